// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/core/quantity.h"

namespace sunstar {

/// Divides spans that overlap among tracks on which they do not. Tracks are used again and again, the lowest first.
class Lanes {
 public:
  /// The number of a lane that is free from then on; it is taken until given back.
  std::uint32_t take(Time from) {
    auto free = std::ranges::find_if(free_from_, [from](Time t) { return t <= from; });
    if (free == free_from_.end()) free = free_from_.insert(free, Time{});
    *free = Time::max();
    return static_cast<std::uint32_t>(free - free_from_.begin());
  }
  /// The lane's span ends then.
  void give_back(std::uint32_t lane, Time end) { free_from_[lane] = end; }
  std::size_t count() const { return free_from_.size(); }

 private:
  std::vector<Time> free_from_;
};

}  // namespace sunstar
