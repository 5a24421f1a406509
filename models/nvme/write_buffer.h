// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <queue>
#include <vector>

#include "models/core/quantity.h"

namespace sunstar::nvme {

/// What has been written and is not on the dies yet: which blocks, and how much room there is.
class WriteBuffer {
 public:
  explicit WriteBuffer(std::uint64_t bytes) : bytes_(bytes) {}

  /// The earliest time, not before `from`, at which so many bytes have room, if what has begun to drain makes enough;
  /// otherwise the time when all of that is done.
  Time room(Time from, std::uint64_t bytes);
  /// Whether there is room for so many bytes at that time.
  bool fits(Time at, std::uint64_t bytes);
  /// A write has arrived.
  void add(std::uint64_t first, std::uint64_t end);
  /// So many bytes leave the buffer then.
  void leaves(Time at, std::uint64_t bytes) { leaving_.push({at, bytes}); }
  /// All that has arrived is on its way to the dies, the last of it until then.
  void drained(Time until);
  /// Bytes that have arrived since the buffer drained.
  std::uint64_t gathered() const { return gathered_; }
  /// Whether the buffer holds all bytes of [first, end) that were written together.
  bool holds(Time now, std::uint64_t first, std::uint64_t end);

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
  void leave_until(Time now);

  std::uint64_t bytes_, used_ = 0, gathered_ = 0;
  std::priority_queue<Leaving, std::vector<Leaving>, std::greater<>> leaving_;
  std::deque<Held> held_;
};

}  // namespace sunstar::nvme
