// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "models/core/quantity.h"

namespace sunstar::nvme {

/// A resource that serves one thing at a time: a die, a channel, a direction of the link. Work is reserved ahead of
/// time, in any order: it takes the first gap that is long enough.
class Server {
 public:
  /// Reserves `length` not before `earliest` and returns the end. `now` never decreases: what ended before is
  /// forgotten.
  Time reserve(Time now, Time earliest, Duration length);
  /// When all that is reserved has ended.
  Time free_at() const { return busy_.empty() ? Time{} : busy_.back().end; }
  /// Time reserved in all; before `now`.
  Duration reserved() const { return reserved_; }
  Duration busy(Time now) const;

 private:
  struct Interval {
    Time begin, end;
  };
  std::deque<Interval> busy_;  // in order, with gaps between them
  Duration reserved_{};
};

}  // namespace sunstar::nvme
