// SPDX-License-Identifier: MIT
#include "platforms/kit/results/document.h"

#include "platforms/kit/summary.h"

namespace sunstar::kit {
namespace {

using Values = std::vector<const json::value*>;  ///< of one figure, one for each trial that has it
using Trials = std::vector<const json::object*>;

/// The mean of several trials, each as write_figures() writes the section. Here alone several trials become one result:
/// figure by figure, by its type and its declaration (models/core/figure.h). Trials are JSON, since each ran in a
/// process of its own.
json::object mean_of(const Type& type, const Trials& trials);

double number_of(const json::value* v) { return v->to_number<double>(); }

bool is_whole(const json::value& v) { return v.is_int64() || v.is_uint64(); }

json::value whole(double d) {
  if (d < 0) return static_cast<std::int64_t>(d);
  return static_cast<std::uint64_t>(d);
}

json::value mean_of_numbers(const Values& values, bool are_whole) {
  // A count beyond 2^53 on which all trials agree must stay exact.
  if (are_whole && std::ranges::all_of(values, [&](const auto* v) { return *v == *values.front(); }))
    return *values.front();
  const double mean = sum(values, number_of) / static_cast<double>(values.size());
  if (are_whole && mean == std::floor(mean)) return whole(mean);
  return mean;
}

/// Whole if all values are.
json::value sum_of_numbers(const Values& values) {
  if (std::ranges::all_of(values, [](const auto* v) { return is_whole(*v); })) return whole(sum(values, number_of));
  return sum(values, number_of);
}

json::value all_hold(const Values& values) {
  return std::ranges::all_of(values, [](const auto* v) { return v->as_bool(); });
}

json::value each_once(const Values& values) {
  json::array all;
  for (const auto* v : values)
    for (const auto& e : v->as_array())
      if (std::ranges::find(all, e) == all.end()) all.push_back(e);
  return all;
}

json::value coefficient_of_variation(const Values& values) {
  return summarise(mapped(values, number_of)).coefficient_of_variation;
}

/// The figure `key` of the trials that have it.
Values at(const Trials& trials, std::string_view key) {
  Values values;
  for (const auto* t : trials)
    if (const auto* v = t->if_contains(key)) values.push_back(v);
  return values;
}

Trials as_objects(const Values& values) {
  Trials all;
  for (const auto* v : values) all.push_back(&v->as_object());
  return all;
}

/// Takes the mean by the values' own types, for figures without a declaration.
json::value mean_by_value(const Values& values) {
  for (const auto* v : values)
    if (v->is_null()) return nullptr;
  const json::value& first = *values.front();
  if (first.is_bool()) return all_hold(values);
  if (first.is_array()) return each_once(values);
  if (first.is_number())
    return mean_of_numbers(values, std::ranges::all_of(values, [](const auto* v) { return is_whole(*v); }));
  if (!first.is_object()) return first;
  const Trials sections = as_objects(values);
  json::object all;
  for (const auto* section : sections)
    for (const auto& [key, value] : *section)
      if (!all.contains(key)) all[key] = mean_by_value(at(sections, key));
  return all;
}

json::value mean_by_type(const Type& type, const Values& values) {
  const auto by_value = [&](const auto&) { return mean_by_value(values); };
  return by_form(
      type, by_value,
      [&](const OptionalForm& f) {
        const bool unknown = std::ranges::any_of(values, [](const auto* v) { return v->is_null(); });
        return unknown ? json::value(nullptr) : mean_by_type(*f.value, values);
      },
      [&](const BooleanForm&) { return all_hold(values); },
      [&](const IntegerForm&) { return mean_of_numbers(values, true); },
      [&](const RealForm&) { return mean_of_numbers(values, false); },
      [&](const StringForm&) { return *values.front(); }, [&](const ListForm&) { return each_once(values); });
}

/// The type of a figure or, if it is optional, of its value.
const Type& value_type(const Member& m) {
  const auto* optional = m.type->if_is<OptionalForm>();
  return optional ? *optional->value : *m.type;
}

/// The keys of a section, including those of flat sections in it.
std::vector<std::string> figure_names(const Type& section) {
  std::vector<std::string> names;
  for (const Member& m : members_of(section)) {
    if (!m.rule_of_figure().is_flat) names.push_back(m.name);
    else if (value_type(m).is<SectionForm>())
      for (auto& key : figure_names(value_type(m))) names.push_back(std::move(key));
  }
  return names;
}

/// Adds the means of a flat section's keys to `all`. If its figures have no declaration, these are all keys that are
/// not in `declared`.
void add_flat_mean(const Type& section, const Trials& trials, const std::vector<std::string>& declared,
                   json::object& all) {
  if (section.is<SectionForm>()) {
    const auto keys = figure_names(section);
    Trials known;
    for (const auto* t : trials)
      if (std::ranges::any_of(keys, [&](const auto& key) { return t->contains(key); })) known.push_back(t);
    if (known.empty()) return;
    for (auto& [key, value] : mean_of(section, known)) all[key] = std::move(value);
  } else {
    std::vector<json::value> own;
    for (const auto* t : trials) {
      json::object& named = own.emplace_back(json::object_kind).get_object();
      for (const auto& [key, value] : *t)
        if (std::ranges::find(declared, std::string_view(key)) == declared.end()) named[key] = value;
    }
    Values pointers;
    for (const auto& v : own) pointers.push_back(&v);
    const auto mean = mean_by_value(pointers);
    for (const auto& [key, value] : mean.as_object()) all[key] = value;
  }
}

const json::object& worst_of(const SectionForm& section, const Trials& trials) {
  const json::object* worst = trials.front();
  if (section.severity)
    for (const auto* t : trials)
      if (section.severity(*t) > section.severity(*worst)) worst = t;
  return *worst;
}

json::object mean_of(const Type& type, const Trials& trials) {
  const auto& section = type.as<SectionForm>();
  const json::object& worst = worst_of(section, trials);
  json::object all;
  for (const Member& m : section.members) {
    const Figure& rule = m.rule_of_figure();
    if (rule.is_flat) {
      add_flat_mean(value_type(m), trials, figure_names(type), all);
      continue;
    }
    if (rule.mean == Figure::Mean::variation) {
      all[m.name] = coefficient_of_variation(at(trials, rule.variation));
      continue;
    }
    const auto values = at(trials, m.name);
    if (values.empty() || (rule.optional_key && values.size() < trials.size())) continue;
    if (rule.mean == Figure::Mean::first) all[m.name] = *values.front();
    else if (rule.mean == Figure::Mean::worst) all[m.name] = worst.at(m.name);
    else if (rule.mean == Figure::Mean::sum) all[m.name] = sum_of_numbers(values);
    else if (value_type(m).is<SectionForm>()) all[m.name] = mean_of(value_type(m), as_objects(values));
    else all[m.name] = mean_by_type(*m.type, values);
  }
  return all;
}

json::object write_named(const NamedFigures& figures) {
  json::object all;
  for (const auto& e : figures.entries()) {
    if (e.is_section) all[e.name] = write_named(e.section);
    else all[e.name] = std::visit([](const auto& v) { return json::value(v); }, e.value);
  }
  return all;
}

/// An unknown value that has no key.
bool is_left_out(ConstRef value, const Figure& rule) {
  const auto* optional = value.type->if_is<OptionalForm>();
  return optional && !value_at(*optional, value.at) && (rule.optional_key || optional->value->is<SectionForm>());
}

std::vector<const json::object*> sections(const std::vector<json::object>& trials, const char* name) {
  return mapped(trials, [&](const json::object& t) { return &t.at(name).as_object(); });
}

json::array each_trial(std::uint64_t seed, const std::vector<json::object>& trials) {
  json::array all;
  for (const auto* result : sections(trials, "result")) {
    json::object trial{{"seed", seed++}};
    for (const auto& [key, value] : *result) trial[key] = value;
    all.push_back(std::move(trial));
  }
  return all;
}

}  // namespace

json::object write_figures(ConstRef section) {
  if (section.type->is<NamedFiguresForm>()) return write_named(section.as<NamedFigures>());
  if (section.type->is<ObjectForm>()) return section.as<json::object>();
  json::object all;
  for (const Member& m : members_of(*section.type)) {
    const Figure& rule = m.rule_of_figure();
    if (is_left_out(m.in(section), rule)) continue;
    auto value = write_value(m.in(section), static_cast<WriteSection>(write_figures));
    if (!rule.is_flat) all[m.name] = std::move(value);
    else
      for (auto& [key, figure] : value.as_object()) all[key] = std::move(figure);
  }
  return all;
}

json::object run_document(std::uint64_t seed, std::vector<json::object> trials, const Type& result, const Type& host) {
  json::object all{{"result", mean_of(result, sections(trials, "result"))},
                   {"host", mean_of(host, sections(trials, "host"))},
                   {"statistics", std::move(trials.front().at("statistics"))},
                   {"trials", each_trial(seed, trials)}};
  for (const char* asked_for : {"explain", "over_time"})
    if (auto& found = trials.front().at(asked_for).as_object(); !found.empty()) all[asked_for] = std::move(found);
  return all;
}

}  // namespace sunstar::kit
