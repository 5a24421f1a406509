// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace sunstar {

/// A string literal. Tables of literals, such as declarations of parameters, cost the compiler little, and literals
/// cannot dangle.
class Literal : public std::string_view {
 public:
  constexpr Literal() = default;
  consteval Literal(const char* text) : std::string_view(text) {}

  std::string text() const { return std::string(*this); }
};

}  // namespace sunstar
