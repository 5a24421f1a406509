// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "models/core/statistics.h"
#include "platforms/kit/json_text.h"

// The one walker over a machine's statistics, in its two forms.
namespace sunstar::kit {

/// Aligned columns: name, value, unit ("1" is left out), description.
std::string table(const StatisticSet&);
/// {"iop0.disk0.reads": {"value": 12, "unit": "1", "description": "..."}, ...} in order of registration; whole values
/// are integers.
json::object to_json(const StatisticSet&);

}  // namespace sunstar::kit
