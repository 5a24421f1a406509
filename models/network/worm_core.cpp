// SPDX-License-Identifier: MIT
#include "models/network/worm_core.h"

#include <algorithm>

namespace sunstar::network {

WormCore::WormCore(Torus torus, Timing timing)
    : torus_(std::move(torus)),
      timing_(timing),
      buffer_time_(timing.link_bandwidth.time_for(timing.buffer_bytes)),
      free_(torus_.channels()),
      busy_(torus_.channels()) {
  path_.reserve(64);
  start_.reserve(64);
}

WormCore::Passage WormCore::inject(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when,
                                   std::uint32_t tie) {
  if (bytes != last_bytes_) {
    last_bytes_ = bytes;
    last_length_ = timing_.link_bandwidth.time_for(bytes);
  }
  const Duration length = last_length_;
  path_.clear();
  start_.clear();
  Time head = when;
  torus_.route(from, to, tie, [&](std::uint32_t channel) {
    head = std::max(head, free_[channel]);
    path_.push_back(channel);
    start_.push_back(head);
    head += timing_.router_delay;
  });
  // The head enters the ejection channel one router delay after the last link: take back the one added for it.
  head -= timing_.router_delay;

  // Tails, from the destination back: a tail leaves a channel when its bytes have passed and the rest of the
  // worm ahead of it has moved on far enough for the next buffer to take it.
  Time tail = start_.back() + length;
  const Time arrival = tail;
  for (std::size_t i = path_.size(); i-- > 0;) {
    tail = std::max(start_[i] + length, tail - timing_.router_delay - buffer_time_);
    free_[path_[i]] = tail;
    busy_[path_[i]] += length;
  }
  return {head, arrival, static_cast<std::uint32_t>(path_.size() - 2)};
}

}  // namespace sunstar::network
