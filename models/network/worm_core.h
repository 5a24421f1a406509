// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "models/core/quantity.h"
#include "models/network/cube.h"

namespace sunstar::network {

/// The worm model of a wormhole-routed torus, without a kernel: a message is one worm whose head reserves each channel
/// of its path in turn and whose tail frees it. The cost of a message grows with its hops, not with its flits.
///
/// Reservations are made when the message is injected, for the whole path, in order of injection: a message that
/// reaches a channel earlier but was injected later queues behind. A blocked worm keeps the channels behind it that its
/// body does not leave, less what the buffers of the routers on the way hold.
class WormCore {
 public:
  struct Timing {
    Duration router_delay;      ///< head through one router
    Bandwidth link_bandwidth;   ///< of each link and direction
    std::uint32_t buffer_bytes; ///< input buffer of a router port
  };

  WormCore(Cube cube, Timing timing);

  struct Passage {
    Time head;  ///< the first byte leaves the ejection channel
    Time tail;  ///< the last one does: the message has arrived
    std::uint32_t hops = 0;  ///< links crossed
  };

  /// Injects `bytes` at `when`. Without contention the tail arrives after (hops + 1) router delays and the
  /// time of the bytes on one link.
  Passage inject(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when, std::uint32_t tie = 0);

  Duration zero_load(std::uint32_t hops, std::uint64_t bytes) const {
    return (hops + 1) * timing_.router_delay + timing_.link_bandwidth.time_for(bytes);
  }

  /// When the last reservation of the channel ends.
  Time free_at(std::uint32_t channel) const { return channels_[channel].free; }

  /// Up to this share of the time a link may be busy; then latencies are within 9 % of the flit model (docs/validation.md).
  static constexpr double good_utilisation = 0.25;

  /// Told of every reservation: the channel, the router that sends, from when until when. For a channel in order of time.
  using Observer = std::function<void(std::uint32_t channel, std::uint32_t from, Time start, Time end)>;
  void observe(Observer observer) { observer_ = std::move(observer); }

  const Cube& cube() const { return cube_; }
  /// Time for which the channel was reserved.
  Duration busy(std::uint32_t channel) const { return channels_[channel].busy; }

 private:
  Cube cube_;
  Timing timing_;
  Duration buffer_time_;
  struct Channel {
    Time free{};      // the last worm's tail has left
    Duration busy{};
  };
  struct Step {
    Channel* channel;
    Time start;       // the head enters
  };
  std::vector<Channel> channels_;
  std::vector<Step> path_;  // of the worm at hand; as long as the longest path
  std::uint64_t last_bytes_ = ~std::uint64_t{0};  // most messages of a run are of one or two sizes
  Duration last_length_{};
  Observer observer_;
};

}  // namespace sunstar::network
