// SPDX-License-Identifier: MIT
#include "platforms/kit/results/mean.h"

#include <cmath>

#include "platforms/kit/summary.h"

namespace sunstar::kit::detail {

namespace {

double sum(const Values& values) {
  double all = 0;
  for (const auto* v : values) all += v->to_number<double>();
  return all;
}

bool is_whole(const json::value& v) { return v.is_int64() || v.is_uint64(); }

json::value whole(double d) {
  if (d < 0) return static_cast<std::int64_t>(d);
  return static_cast<std::uint64_t>(d);
}

}  // namespace

json::value mean_of_numbers(const Values& values, bool are_whole) {
  // A count beyond 2^53 on which all trials agree must stay exact.
  if (are_whole && std::ranges::all_of(values, [&](const auto* v) { return *v == *values.front(); }))
    return *values.front();
  const double mean = sum(values) / static_cast<double>(values.size());
  if (are_whole && mean == std::floor(mean)) return whole(mean);
  return mean;
}

json::value sum_of_numbers(const Values& values) {
  if (std::ranges::all_of(values, [](const auto* v) { return is_whole(*v); })) return whole(sum(values));
  return sum(values);
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
  std::vector<double> numbers;
  for (const auto* v : values) numbers.push_back(v->to_number<double>());
  return summarise(numbers).coefficient_of_variation;
}

json::value mean_by_value(const Values& values) {
  for (const auto* v : values)
    if (v->is_null()) return nullptr;
  const json::value& first = *values.front();
  if (first.is_bool()) return all_hold(values);
  if (first.is_array()) return each_once(values);
  if (first.is_number())
    return mean_of_numbers(values, std::ranges::all_of(values, [](const auto* v) { return is_whole(*v); }));
  if (!first.is_object()) return first;
  std::vector<const json::object*> sections;
  for (const auto* v : values) sections.push_back(&v->as_object());
  json::object all;
  for (const auto* section : sections)
    for (const auto& [key, value] : *section)
      if (!all.contains(key)) all[key] = mean_by_value(at(sections, key));
  return all;
}

Values at(const std::vector<const json::object*>& trials, std::string_view key) {
  Values values;
  for (const auto* t : trials)
    if (const auto* v = t->if_contains(key)) values.push_back(v);
  return values;
}

}  // namespace sunstar::kit::detail
