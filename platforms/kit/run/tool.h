// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>

namespace sunstar::kit {

/// Carries out a command that simulates no machine, such as "sunstar-disk import", and returns the program's exit code:
/// 0, or, after a sentence on the standard error output, 2 for an error in the command line (UsageError, or an
/// exception of Boost.Program_options) and 3 for a ConfigError.
int run_tool(const std::string& name, const std::function<void()>& command);

}  // namespace sunstar::kit
