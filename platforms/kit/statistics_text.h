// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstddef>

#include "models/core/statistics.h"
#include "platforms/kit/json_text.h"

// A machine's statistics in the form of the result file.
namespace sunstar::kit {

/// automatic: by part up to most_by_part statistics, otherwise by kind.
BOOST_DEFINE_ENUM_CLASS(By, automatic, part, kind)
inline constexpr std::size_t most_by_part = 30'000;

/// {"iop0.disk0.reads": {"value": 12, "unit": "1", "description": "..."}, ...} in order of registration; whole values
/// are integers. By kind, all "iop*.disk*.reads" are one, whose value is their mean, with "parts", "min", "max" and,
/// unless they are shares, "sum" besides.
json::object to_json(const StatisticSet&, By by = By::automatic);

/// The name of a statistic with a star for each number of a part: "iop*.disk*.reads".
std::string kind_of(std::string_view name);

}  // namespace sunstar::kit
