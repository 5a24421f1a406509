// SPDX-License-Identifier: MIT
#include "models/core/reservations.h"

namespace sunstar {

Time Reservations::whole(Time now, Time earliest, Duration length) {
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

Time Reservations::in_pieces(Time now, Time earliest, Duration length) {
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

void Reservations::note_full(Duration length, Time from, Time to) {
  for (Full& full : full_)
    if (full.length == length && from <= full.to && full.from <= to) {
      full.from = std::min(full.from, from);
      full.to = std::max(full.to, to);
      return;
    }
  full_[oldest_] = {length, from, to};
  oldest_ = (oldest_ + 1) % full_.size();
}

Duration Reservations::busy(Time now) const {
  Duration planned{};
  for (const Interval& i : busy_)
    if (i.end > now) planned += i.end - std::max(i.begin, now);
  return reserved_ - planned;
}

}  // namespace sunstar
