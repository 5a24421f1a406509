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
  Time whole(Time now, Time earliest, Duration length) {
    forget(now);
    reserved_ += length;
    Time begin = earliest;
    for (const Full& full : full_)
      if (full.length <= length && full.from <= begin && begin < full.to) begin = full.to;
    auto next = std::ranges::upper_bound(busy_, begin, {}, &Interval::end);
    for (; next != busy_.end() && begin + length > next->begin; ++next) begin = std::max(begin, next->end);
    if (begin > earliest) note_full(length, earliest, begin);
    const Time end = begin + length;
    const bool continues = next != busy_.begin() && std::prev(next)->end == begin,
               joins = next != busy_.end() && next->begin == end;
    if (continues && joins) {
      std::prev(next)->end = next->end;
      busy_.erase(next, std::next(next));
    } else if (continues) {
      std::prev(next)->end = end;
    } else if (joins) {
      next->begin = begin;
    } else {
      busy_.insert(next, {begin, end});
    }
    return end;
  }

  /// Reserves the first idle time from `earliest` on, around what is reserved already, `length` in all: a resource that
  /// passes from one request to another between two bursts. Returns the end. From `earliest` to the end the resource is
  /// never idle. `earliest` may lie before now, for work that had begun unseen; idle time that lies before other past
  /// work is not given away.
  Time in_pieces(Time now, Time earliest, Duration length) {
    forget(now);
    reserved_ += length;
    const Time start = std::max(earliest, forgotten_until_);
    Time begin = start, end = within_horizon(start + length);
    // All that is reserved between start and end becomes one interval with the new piece.
    const auto first = std::ranges::find_if(busy_, [&](const Interval& i) { return i.end > start; });
    auto last = first;
    for (; last != busy_.end() && last->begin < end; ++last) {
      end += last->end - std::max(last->begin, start);
      begin = std::min(begin, last->begin);
    }
    if (first == last) {
      busy_.insert(first, {begin, end});
    } else {
      *first = {begin, end};
      busy_.erase(std::next(first), last);
    }
    return end;
  }

  /// When all reserved work has ended.
  Time free_at() const { return busy_.empty() ? Time{} : busy_.back().end; }
  /// Time reserved in all, and before `now`.
  Duration reserved() const { return reserved_; }

  Duration busy(Time now) const {
    Duration planned{};
    for (const Interval& i : busy_)
      if (i.end > now) planned += i.end - std::max(i.begin, now);
    return reserved_ - planned;
  }

 private:
  void forget(Time now) {
    for (; !busy_.empty() && busy_.front().end <= now; busy_.pop_front()) forgotten_until_ = busy_.front().end;
  }

  void note_full(Duration length, Time from, Time to) {
    for (Full& full : full_)
      if (full.length == length && from <= full.to && full.from <= to) {
        full.from = std::min(full.from, from);
        full.to = std::max(full.to, to);
        return;
      }
    full_[oldest_] = {length, from, to};
    oldest_ = (oldest_ + 1) % full_.size();
  }

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
