// SPDX-License-Identifier: MIT
#include "platforms/kit/results/document.h"

#include "platforms/kit/json_write.h"
#include "platforms/kit/results/mean.h"

namespace sunstar::kit {
namespace {

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

namespace {

std::vector<const json::object*> sections(const std::vector<json::object>& trials, const char* name) {
  std::vector<const json::object*> all;
  all.reserve(trials.size());
  for (const auto& t : trials) all.push_back(&t.at(name).as_object());
  return all;
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
