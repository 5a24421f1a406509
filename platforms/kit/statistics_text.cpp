// SPDX-License-Identifier: MIT
#include "platforms/kit/statistics_text.h"

#include <cmath>

namespace sunstar::kit {

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
