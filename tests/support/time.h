// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/quantity.h"

namespace sunstar::test {

constexpr Time at_ns(std::int64_t ns) { return Time{std::chrono::nanoseconds(ns)}; }

}  // namespace sunstar::test
