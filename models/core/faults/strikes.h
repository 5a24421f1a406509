// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "models/core/faults/trigger.h"
#include "models/core/random.h"

namespace sunstar::faults {

/// How often and how long a fault strikes, once its trigger has let it begin.
struct Extent {
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t times = 1;  ///< operations that it strikes
  Duration lasts{};         ///< from its beginning; 0: for good
};

/// One fault at one part. Pure: the part asks it, and pays nothing if it has none. Random times derive from the seed
/// and the part's name, so a fault at one part does not move those of others.
class Strikes {
 public:
  Strikes(const Trigger& trigger, const Extent& extent, std::uint64_t seed, std::string_view name);

  /// The part carries out an operation that this fault could strike; times of calls never decrease. Whether it does.
  bool operation(Time now);
  /// The same for a fault that is a state of its part: an operation may begin it.
  void count(Time now);
  /// Whether the state holds now.
  bool holds(Time now);
  /// When it strikes next; of a trigger of time.
  Time next() const { return begin_; }
  /// How many operations it has struck; of a state, whether it has begun.
  std::uint64_t struck() const { return struck_; }

  /// Called at each strike, for whoever watches.
  std::function<void(Time)> when_struck;

 private:
  bool begins(Time now);
  bool ended(Time now) const;
  bool strike(Time now);
  Duration draw();

  const Trigger trigger_;
  const Extent extent_;
  RandomStream random_;
  std::uint64_t operations_ = 0, struck_ = 0;
  bool begun_ = false;
  Time begin_{};  // when it begins, or began; of distributions, when it strikes next
};

}  // namespace sunstar::faults
