// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <vector>

// Wording of error sentences.
namespace sunstar::text {

/// `allowed are a, b and c`, with `did you mean "b"? ` before it when one of them is close to `given`.
std::string allowed(std::string_view given, const std::vector<std::string>& names);

/// `a, b and c`
std::string list(const std::vector<std::string>& names);

}  // namespace sunstar::text
