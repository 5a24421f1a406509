// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>

#include "models/core/message_text.h"

// The two ways in which a run can fail for its user. Programmers' mistakes are asserted, not thrown.
namespace sunstar {

/// The input cannot be used: exit code 3. `what()` holds finished sentences, one on each line, each with file, path and
/// value.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(const std::string& sentence) : std::runtime_error(printable(sentence)) {}
};

/// The simulated machine failed (deadlock, wrong bytes, a request lost): exit code 4.
class SimulationError : public std::runtime_error {
 public:
  explicit SimulationError(const std::string& sentence) : std::runtime_error(printable(sentence)) {}
};

}  // namespace sunstar
