// SPDX-License-Identifier: MIT
#include "platforms/kit/statistics_text.h"

#include <cmath>

#include "platforms/kit/text_table.h"

namespace sunstar::kit {

std::string table(const StatisticSet& all) {
  std::vector<std::vector<std::string>> rows;
  all.for_each([&](const Statistic& s) {
    rows.push_back({s.name, number_text(s.value()), s.unit == "1" ? "" : s.unit, s.description});
  });
  return text_table(rows, {1});
}

json::object to_json(const StatisticSet& all) {
  json::object object;
  all.for_each([&](const Statistic& s) {
    const double d = s.value();
    json::value value = nullptr;
    if (std::trunc(d) == d && std::abs(d) <= 0x1p53) value = static_cast<std::int64_t>(d);
    else if (std::isfinite(d)) value = d;
    object[s.name] = {{"value", value}, {"unit", s.unit}, {"description", s.description}};
  });
  return object;
}

}  // namespace sunstar::kit
