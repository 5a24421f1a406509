// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>

#include "models/core/fifo.h"
#include "models/core/quantity.h"

namespace sunstar {

/// The time of a resource that serves one request at a time, reserved ahead of time and in any order. What is reserved
/// for later neither blocks nor loses the idle time before it. `now` never decreases from call to call: what ended
/// before is forgotten.
class Reservations {
 public:
  /// Reserves `length` in one piece, not before `earliest`: it takes the first gap that is long enough. Returns the
  /// end.
  Time whole(Time now, Time earliest, Duration length);
  /// Reserves the first idle time from `earliest` on, around what is reserved already, `length` in all: a resource that
  /// passes from one request to another between two bursts. Returns the end. From `earliest` to the end the resource is
  /// never idle. `earliest` may lie before now, for work that had begun unseen; idle time that lies before other past
  /// work is not given away.
  Time in_pieces(Time now, Time earliest, Duration length);

  /// When all reserved work has ended.
  Time free_at() const { return busy_.empty() ? Time{} : busy_.back().end; }
  /// Time reserved in all, and before `now`.
  Duration reserved() const { return reserved_; }
  Duration busy(Time now) const;

 private:
  void forget(Time now) {
    for (; !busy_.empty() && busy_.front().end <= now; busy_.pop_front()) forgotten_until_ = busy_.front().end;
  }
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

  Fifo<Interval> busy_;       // in order, none overlaps another
  std::array<Full, 2> full_;  // for the last lengths asked for
  std::size_t oldest_ = 0;
  Time forgotten_until_{};
  Duration reserved_{};
};

}  // namespace sunstar
