// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/fifo.h"
#include "models/core/quantity.h"

namespace sunstar {

/// How long a part that does one thing at a time has been busy. Models plan ahead, so add() also takes work that lies
/// in the future; until() counts only the time that has passed.
class BusyTime {
 public:
  /// Work from `from` to `to`, which begins no earlier than the work before it ends; it is `now`.
  void add(Time from, Time to, Time now) {
    planned_.push_back({from, to});
    while (!planned_.empty() && planned_.front().to <= now) {
      past_ += planned_.front().to - planned_.front().from;
      planned_.pop_front();
    }
  }
  /// The busy time before `now`.
  Duration until(Time now) const {
    Duration sum = past_;
    for (const Span& s : planned_)
      if (s.from < now) sum += std::min(s.to, now) - s.from;
    return sum;
  }

 private:
  struct Span {
    Time from, to;
  };
  Duration past_{};
  Fifo<Span> planned_;  // spans that had not ended when the last span was added
};

}  // namespace sunstar
