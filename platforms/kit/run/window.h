// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "models/kernel/scope.h"
#include "models/kernel/window.h"

namespace sunstar::kit {

/// Reads "2ms,5ms": from, to. Either may be left out ("2ms,", ",5ms"). Throws a UsageError that names the option.
Window parse_window(const std::string& option, const std::string& text);

/// Reads "iop0*,cp3": patterns of names. Throws a UsageError that names the option.
Scope parse_scope(const std::string& option, const std::string& text);

}  // namespace sunstar::kit
