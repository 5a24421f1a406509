// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <deque>
#include <queue>

#include "models/core/quantity.h"

namespace sunstar::nvme {

/// A limit on operations or bytes a second, kept by a token bucket for one millisecond's worth: nothing waits until the
/// limit is really reached.
class Cap {
 public:
  /// `rate`: the limit a second; 0: none.
  explicit Cap(double rate) : rate_(rate) {}

  /// The time at which `many` operations or bytes that arrive at `from` have passed.
  Time pass(Time from, double many) {
    if (rate_ <= 0) return from;
    const Duration burst = std::chrono::milliseconds{1};
    const Time passes = std::max(from, used_until_ - burst);
    used_until_ = std::max(used_until_, passes) + from_seconds(many / rate_);
    return passes;
  }

 private:
  double rate_;
  Time used_until_{};  // when the bucket is full again
};

/// The blocks written that are not on the dies yet, and the room for more.
class WriteBuffer {
 public:
  explicit WriteBuffer(std::uint64_t bytes) : bytes_(bytes) {}

  /// The earliest time, not before `from`, with room for `bytes`, if the bytes being drained make enough; otherwise the
  /// time when they have all drained.
  Time room(Time from, std::uint64_t bytes) {
    while (!fits(from, bytes) && !leaving_.empty()) from = std::max(from, leaving_.top().at);
    return from;
  }
  /// Whether there is room for `bytes` at `at`.
  bool fits(Time at, std::uint64_t bytes) {
    leave_until(at);
    return used_ == 0 || used_ + bytes <= bytes_;  // a write longer than the buffer passes through it
  }
  /// A write has arrived.
  void add(std::uint64_t first, std::uint64_t end) {
    used_ += end - first;
    gathered_ += end - first;
    held_.push_back({first, end, Time::max()});
  }
  /// `bytes` leave the buffer at `at`.
  void leaves(Time at, std::uint64_t bytes) { leaving_.push({at, bytes}); }
  /// All data in the buffer are on their way to the dies until `until`.
  void drained(Time until) {
    gathered_ = 0;
    for (auto held = held_.rbegin(); held != held_.rend() && held->until == Time::max(); ++held) held->until = until;
  }
  /// Bytes that have arrived since the buffer drained.
  std::uint64_t gathered() const { return gathered_; }
  /// Whether the buffer holds all bytes of [first, end) that were written together.
  bool holds(Time now, std::uint64_t first, std::uint64_t end) {
    while (!held_.empty() && held_.front().until <= now) held_.pop_front();
    return std::ranges::any_of(held_, [&](const Held& h) { return h.first <= first && end <= h.end && h.until > now; });
  }

 private:
  struct Leaving {
    Time at;
    std::uint64_t bytes;
    bool operator>(const Leaving& other) const { return at > other.at; }
  };
  struct Held {
    std::uint64_t first, end;
    Time until;
  };
  void leave_until(Time now) {
    for (; !leaving_.empty() && leaving_.top().at <= now; leaving_.pop())
      used_ -= std::min(used_, leaving_.top().bytes);  // the last page of a flush is padded
  }

  std::uint64_t bytes_, used_ = 0, gathered_ = 0;
  std::priority_queue<Leaving, std::vector<Leaving>, std::greater<>> leaving_;
  std::deque<Held> held_;
};

}  // namespace sunstar::nvme
