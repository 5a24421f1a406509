// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "platforms/kit/json_text.h"

namespace sunstar::kit {

/// The section "explain" of a result, for a reader: the sentences, the critical path and the busiest resources as
/// tables, and the settings of the changes.
std::string explanation_text(const json::object& explanation);

}  // namespace sunstar::kit
