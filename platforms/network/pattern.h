// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/random.h"

namespace sunstar::traffic {

/// Chooses the destinations of synthetic traffic. Routers are numbered with the first coordinate running fastest.
struct Pattern {
  struct Params {
    std::vector<std::uint32_t> shape;  ///< routers in each dimension
    std::uint32_t hotspot = 0;         ///< hotspot: the router to which many messages go
    double hotspot_share = 0;          ///< hotspot: the share of its messages; other messages are uniform
    std::uint32_t group = 0;           ///< ports of a group, which come in a row
  };
  std::string_view name;
  std::uint32_t (*destination)(std::uint32_t from, const Params&, RandomStream&);
};

/// The pattern called `name`, one of pattern_names().
const Pattern& pattern(std::string_view name);
std::vector<std::string> pattern_names();

}  // namespace sunstar::traffic
