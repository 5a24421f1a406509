// SPDX-License-Identifier: MIT
#pragma once
// One header for Catch2 version 2 (Debian 12) and version 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>

namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif

#include "models/core/quantity.h"

template <>
struct Catch::StringMaker<sunstar::Time> {
  static std::string convert(sunstar::Time t) { return std::to_string(t.time_since_epoch().count()) + " ps"; }
};
