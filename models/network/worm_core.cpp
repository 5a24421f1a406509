// SPDX-License-Identifier: MIT
#include "models/network/worm_core.h"

#include <algorithm>

namespace sunstar::network {

WormCore::WormCore(Cube cube, Timing timing)
    : cube_(std::move(cube)),
      timing_(timing),
      buffer_time_(timing.link_bandwidth.time_for(timing.buffer_bytes)),
      channels_(cube_.channels()) {
  path_.resize(cube_.diameter() + 2);
}

WormCore::Passage WormCore::inject(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when,
                                   std::uint32_t tie) {
  if (bytes != last_bytes_) {
    last_bytes_ = bytes;
    last_length_ = timing_.link_bandwidth.time_for(bytes);
  }
  const Duration length = last_length_, router_delay = timing_.router_delay;
  Step* end = path_.data();
  Time head = when;
  cube_.route(from, to, tie, [&](std::uint32_t number) {
    Channel& channel = channels_[number];
    if (channel.free > head) head = channel.free;  // std::max, being given references, would keep it in memory
    *end++ = {&channel, head};
    head += router_delay;
  });
  // The head enters the ejection channel one router delay after the last link: take back the one added for it.
  head -= router_delay;

  // Tails, from the destination back: a tail leaves a channel when its bytes have passed and the rest of the
  // worm ahead of it has moved on far enough for the next buffer to take it.
  const Time arrival = head + length;
  Time tail = arrival;
  for (Step* step = end; step-- != path_.data();) {
    const Time moved_on = tail - router_delay - buffer_time_;
    tail = step->start + length;
    if (moved_on > tail) tail = moved_on;
    step->channel->free = tail;
    step->channel->busy += length;
  }
  if (observer_) [[unlikely]]
    for (const Step* step = path_.data(); step != end; ++step)
      observer_(static_cast<std::uint32_t>(step->channel - channels_.data()), from, step->start, step->channel->free);
  return {head, arrival, static_cast<std::uint32_t>(end - path_.data() - 2)};
}

}  // namespace sunstar::network
