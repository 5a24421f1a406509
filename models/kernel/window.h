// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/quantity.h"

namespace sunstar {

/// The part of a run's simulated time that a file records: from `from` until just before `to`.
struct Window {
  Time from{}, to = Time::max();

  bool contains(Time t) const { return from <= t && t < to; }
  /// Whether some of the span from `start` to `end` lies within.
  bool meets(Time start, Time end) const { return start < to && (end > from || start >= from); }
};

}  // namespace sunstar
