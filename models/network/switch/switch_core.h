// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/network/switch/switch_params.h"

namespace sunstar::network {

/// Departure and arrival times of messages at a multistage switch, without a kernel. A message goes through as soon as
/// its head has crossed the chips on its way (virtual cut-through). There are several ways between any two chips, so
/// messages meet only where they share a port: at the link from their sender, and at the link to their receiver, which
/// serves them in the order in which they entered. A message that waits there fills the buffers of the chips on its
/// way; the rest keeps its sender's link busy.
class SwitchCore {
 public:
  explicit SwitchCore(const SwitchParams& params)
      : params_(params), from_free_(params.ports), to_free_(params.ports), busy_(params.ports) {}

  /// Chips on the way between two ports.
  std::uint32_t chips(std::uint32_t from, std::uint32_t to) const {
    if (from / params_.nodes_per_chip == to / params_.nodes_per_chip) return 1;
    if (from / params_.nodes_per_frame == to / params_.nodes_per_frame) return 3;
    // A frame has as many links to other frames as it has nodes; up to five frames are connected directly.
    return params_.ports <= 5 * params_.nodes_per_frame ? 4 : 5;
  }
  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
    return params_.chip_delay * chips(from, to) + params_.port_bandwidth.time_for(bytes);
  }

  /// When the link from the port is free for another message.
  Time link_free(std::uint32_t from) const { return from_free_[from]; }
  /// Sends a message at `now`, when the link from its port is free; calls come in order of time. Returns when its tail
  /// arrives.
  Time send(Time now, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    assert(from_free_[from] <= now);
    const std::uint32_t on_the_way = chips(from, to);
    const Duration delay = params_.chip_delay * on_the_way, length = params_.port_bandwidth.time_for(bytes);
    const Time head = std::max(now + delay, to_free_[to]);
    const Time tail = to_free_[to] = head + length;
    busy_[to] += length;
    const Duration held = params_.port_bandwidth.time_for(on_the_way * params_.chip_buffer.count);
    from_free_[from] = std::max(now + length, tail - delay - held);
    return tail;
  }
  /// The time for which bytes have passed the link to the port, or are already due to.
  Duration busy(std::uint32_t to) const { return busy_[to]; }

 private:
  SwitchParams params_;
  std::vector<Time> from_free_, to_free_;  // by port: when its links are free
  std::vector<Duration> busy_;
};

}  // namespace sunstar::network
