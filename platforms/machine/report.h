// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "platforms/kit/json_text.h"

namespace sunstar::machine {

namespace json = boost::json;

/// What a result file holds below the effective configuration: means over the trials under "result", each trial under
/// "trials", the first trial's statistics of every resource, and what the host spent.
json::object report(std::vector<json::object> trials);

}  // namespace sunstar::machine
