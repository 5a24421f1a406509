// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <deque>

#include "models/core/quantity.h"

namespace sunstar::nvme {

/// A resource that serves one request at a time: a die, a channel, a direction of the link. Work is reserved ahead of
/// time, in any order: it takes the first gap that is long enough.
class Server {
 public:
  /// Reserves `length` not before `earliest` and returns the end. `now` never decreases: work that ended before is
  /// forgotten.
  Time reserve(Time now, Time earliest, Duration length);
  /// When all reserved work has ended.
  Time free_at() const { return busy_.empty() ? Time{} : busy_.back().end; }
  /// Time reserved in all, and before `now`.
  Duration reserved() const { return reserved_; }
  Duration busy(Time now) const;

 private:
  void note_full(Duration length, Time from, Time to);

  struct Interval {
    Time begin, end;
  };
  // Notes that no gap of this length or longer begins in [from, to). Gaps never grow, so it stays true; far ahead of
  // time there may be thousands of shorter gaps, which need not be looked at again.
  struct Full {
    Duration length = Duration::max();
    Time from{}, to{};
  };

  std::deque<Interval> busy_;  // in order, with gaps between them
  std::array<Full, 2> full_;   // for the last lengths asked for
  std::size_t oldest_ = 0;
  Duration reserved_{};
};

}  // namespace sunstar::nvme
