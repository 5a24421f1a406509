// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "platforms/kit/results/figures.h"

// The one place where several trials become one result: figure by figure, by its type and its declaration
// (models/core/figure.h). Trials are JSON, since each ran in a process of its own.
namespace sunstar::kit {

namespace detail {

using Values = std::vector<const json::value*>;  ///< of one figure, one for each trial that has it

json::value mean_of_numbers(const Values&, bool whole);
json::value sum_of_numbers(const Values&);  ///< whole if all are
json::value all_hold(const Values&);
json::value each_once(const Values&);
json::value coefficient_of_variation(const Values&);
/// Takes the mean by the values' own types, for figures without a declaration.
json::value mean_by_value(const Values&);
/// The figure `key` of the trials that have it.
Values at(const std::vector<const json::object*>& trials, std::string_view key);

template <class T>
json::value mean_by_type(const Values& values) {
  if constexpr (Optional<T>) {
    for (const auto* v : values)
      if (v->is_null()) return nullptr;
    return mean_by_type<typename T::value_type>(values);
  } else if constexpr (std::same_as<T, bool>) {
    return all_hold(values);
  } else if constexpr (FigureNumber<T>) {
    return mean_of_numbers(values, Integer<T>);
  } else if constexpr (std::same_as<T, std::string>) {
    return *values.front();
  } else if constexpr (List<T>) {
    return each_once(values);
  } else {
    return mean_by_value(values);
  }
}

}  // namespace detail

/// The mean of several trials, each as write_figures() writes a T.
template <FigureSection T>
json::object mean_of(const std::vector<const json::object*>& trials);

namespace detail {

/// The mean of a section, over the trials that have it.
template <FigureSection T>
json::value mean_of_sections(const Values& values) {
  std::vector<const json::object*> sections;
  for (const auto* v : values) sections.push_back(&v->as_object());
  return mean_of<T>(sections);
}

/// The keys of a T, including those of flat sections.
template <FigureSection T>
std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for_each_member<T>([&](const char* name, auto member) {
    using Section = section_type<member_type_t<decltype(member)>>;
    if (!figure_of<T>(name).is_flat) names.emplace_back(name);
    else if constexpr (FigureSection<Section>)
      for (auto& key : figure_names<Section>()) names.push_back(std::move(key));
  });
  return names;
}

/// Adds the means of a flat section's keys to `all`. If its figures have no declaration, these are all keys that are
/// not in `declared`.
template <class Section>
void add_flat_mean(const std::vector<const json::object*>& trials, const std::vector<std::string>& declared,
                   json::object& all) {
  if constexpr (FigureSection<Section>) {
    const auto keys = figure_names<Section>();
    std::vector<const json::object*> known;
    for (const auto* t : trials)
      if (std::ranges::any_of(keys, [&](const auto& key) { return t->contains(key); })) known.push_back(t);
    if (known.empty()) return;
    for (const auto& [key, value] : mean_of<Section>(known)) all[key] = value;
  } else {
    std::vector<json::object> own;
    for (const auto* t : trials) {
      json::object& named = own.emplace_back();
      for (const auto& [key, value] : *t)
        if (std::ranges::find(declared, std::string_view(key)) == declared.end()) named[key] = value;
    }
    const std::vector<json::value> values(own.begin(), own.end());
    Values pointers;
    for (const auto& v : values) pointers.push_back(&v);
    const auto mean = mean_by_value(pointers);
    for (const auto& [key, value] : mean.as_object()) all[key] = value;
  }
}

}  // namespace detail

template <FigureSection T>
json::object mean_of(const std::vector<const json::object*>& trials) {
  using namespace detail;
  const json::object* worst = trials.front();
  if constexpr (HasSeverity<T>) {
    const auto badness = [](const json::object& t) { return severity(static_cast<const T*>(nullptr), t); };
    for (const auto* t : trials)
      if (badness(*t) > badness(*worst)) worst = t;
  }
  json::object all;
  for_each_member<T>([&](const char* name, auto member) {
    using Member = member_type_t<decltype(member)>;
    using Section = section_type<Member>;
    const Figure& rule = figure_of<T>(name);
    if (rule.is_flat) return add_flat_mean<Section>(trials, figure_names<T>(), all);
    if (rule.mean == Figure::Mean::variation) {
      all[name] = coefficient_of_variation(at(trials, rule.variation));
      return;
    }
    const auto values = at(trials, name);
    if (values.empty() || (rule.optional_key && values.size() < trials.size())) return;
    if (rule.mean == Figure::Mean::first) all[name] = *values.front();
    else if (rule.mean == Figure::Mean::worst) all[name] = worst->at(name);
    else if (rule.mean == Figure::Mean::sum) all[name] = sum_of_numbers(values);
    else if constexpr (FigureSection<Section>) all[name] = mean_of_sections<Section>(values);
    else all[name] = mean_by_type<Member>(values);
  });
  return all;
}

}  // namespace sunstar::kit
