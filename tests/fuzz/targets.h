// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"

namespace sunstar::fuzz {

/// The outcome of an input.
enum class Outcome : unsigned char { accepted, refused };

/// Something that takes inputs from outside. It must accept an input or refuse it with a ConfigError, nothing else.
struct Target {
  std::string name, help;
  std::function<std::string(Mutator&)> make;  ///< the next input
  std::vector<std::string> dictionary;
  /// Takes an input, in this process. The folder is the input's own.
  std::function<Outcome(const std::string& input, const std::filesystem::path& folder)> take;
};

const std::vector<Target>& targets();

}  // namespace sunstar::fuzz
