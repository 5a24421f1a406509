// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/core/quantity.h"

namespace sunstar {

/// Divides overlapping spans among tracks so that the spans of a track do not overlap. Reuses tracks, the lowest first.
class Lanes {
 public:
  /// Takes a lane that is free from `from` on, until it is given back; returns its number.
  std::uint32_t take(Time from) {
    auto free = std::ranges::find_if(free_from_, [from](Time t) { return t <= from; });
    if (free == free_from_.end()) free = free_from_.insert(free, Time{});
    *free = Time::max();
    return static_cast<std::uint32_t>(free - free_from_.begin());
  }
  /// The lane's span ends at `end`.
  void give_back(std::uint32_t lane, Time end) { free_from_[lane] = end; }
  std::size_t count() const { return free_from_.size(); }

 private:
  std::vector<Time> free_from_;
};

}  // namespace sunstar
