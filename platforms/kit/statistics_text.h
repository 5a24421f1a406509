// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/statistics.h"
#include "platforms/kit/json_text.h"

// A machine's statistics as the result file holds them.
namespace sunstar::kit {

/// {"iop0.disk0.reads": {"value": 12, "unit": "1", "description": "..."}, ...} in order of registration; whole values
/// are integers.
json::object to_json(const StatisticSet&);

}  // namespace sunstar::kit
