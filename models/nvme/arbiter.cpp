// SPDX-License-Identifier: MIT
#include "models/nvme/arbiter.h"

#include <algorithm>
#include <utility>

namespace sunstar::nvme {

bool Arbiter::empty() const {
  return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
}

std::optional<Arbiter::Waiting> Arbiter::take(Time now) {
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

}  // namespace sunstar::nvme
