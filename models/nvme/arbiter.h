// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/core/quantity.h"

namespace sunstar::nvme {

/// Chooses the submission queue of a controller's next command: round-robin, one command at a time (NVM Express 1.4,
/// command arbitration).
class Arbiter {
 public:
  /// A command that waits.
  struct Waiting {
    Time there;            ///< when its entry is at the controller; a queue's entries arrive in order
    std::uint32_t slot;    ///< the controller's slot for it
    std::uint64_t number;  ///< the command's number, which the slot has as well
  };

  explicit Arbiter(std::uint32_t queues) : queues_(queues) {}

  void add(std::uint32_t queue, const Waiting& command) { queues_[queue].push_back(command); }
  /// Takes out the next command: among the commands there at `now`, or else among the earliest to come. Nothing if none
  /// waits.
  std::optional<Waiting> take(Time now) {
    std::optional<std::size_t> next;
    Time best = Time::max();
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const std::size_t q = (turn_ + i) % queues_.size();
      if (queues_[q].empty()) continue;
      if (const Time there = std::max(now, queues_[q].front().there); !next || there < best) {
        next = q;
        best = there;
      }
    }
    if (!next) return {};
    turn_ = (*next + 1) % queues_.size();
    const Waiting command = queues_[*next].front();
    queues_[*next].pop_front();
    return command;
  }
  bool empty() const {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }

 private:
  std::vector<std::deque<Waiting>> queues_;
  std::size_t turn_ = 0;  // the queue to be asked first
};

}  // namespace sunstar::nvme
