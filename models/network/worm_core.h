// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/core/quantity.h"
#include "models/network/cube.h"
#include "models/network/vc_class_rule.h"

namespace sunstar::network {

/// The worm model of a wormhole-routed torus or mesh, without a kernel: a message is one worm whose head reserves each channel
/// of its path in turn and whose tail frees it. The cost of a message grows with its hops, not with its flits.
///
/// Reservations are made when the message is injected, for the whole path. A channel is a wire that two virtual channels share. A
/// worm waits for its virtual channel until the tail of the worm before has left it, and for the wire until the bytes of
/// the worms before have passed; a blocked worm keeps the virtual channels behind it that its body does not leave, less what the buffers of the routers
/// on the way hold, but not the wire. Where a worm is reserved for later the wire is idle before it, and another that fits
/// in between may go there; one such gap a channel is remembered.
///
/// Two worms in different virtual channels of a wire take turns byte by byte: a short one that comes second needs twice its time, a long one ends as
/// it would behind the first, and the first is late by what the second takes of its time. That becomes known while the first is under way, so its lateness is asked for when it arrives.
class WormCore {
 public:
  struct Timing {
    Duration router_delay;       ///< head through one router
    Bandwidth link_bandwidth;    ///< of each link and direction
    std::uint32_t buffer_bytes;  ///< input buffer of a virtual channel
    Duration turnaround{};       ///< after a tail, before a head that waited for its virtual channel goes on
  };

  explicit WormCore(Cube cube, Timing timing, const VcClassRule& rule = vc_class_rule("static"));

  using Ticket = std::uint32_t;
  struct Passage {
    Time head;  ///< the first byte leaves the ejection channel
    Time tail;  ///< the last one does: the message has arrived, unless late() says otherwise
    std::uint32_t hops = 0;  ///< links crossed
    Ticket ticket = 0;
  };

  /// Injects `bytes` at `when`, not before the last worm has left the node, free_at(injection). Without contention the tail arrives after (hops + 1)
  /// router delays and the time of the bytes on one link. `random`: bit d decides ties in dimension d, bit 32 + d is the coin of the class rule.
  Passage inject(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when, std::uint64_t random = 0);

  /// To be asked at the time at which the worm should have arrived, until it is zero, after which the ticket is used again: how much later it arrives.
  Duration late(Ticket ticket);

  Duration zero_load(std::uint32_t hops, std::uint64_t bytes) const {
    return (hops + 1) * timing_.router_delay + timing_.link_bandwidth.time_for(bytes);
  }

  /// When the next worm may enter the channel, behind all that have reserved it.
  Time free_at(std::uint32_t channel) const {
    const Channel& c = channels_[channel];
    return std::max(c.wire, c.free[0]);
  }

  /// Up to this share of the time every link may be busy; then latencies are within 5 % of the flit model (docs/validation.md).
  static constexpr double good_utilisation = 0.20;

  /// Told of every reservation: the channel, from when until when.
  using Observer = std::function<void(std::uint32_t channel, Time start, Time end)>;
  void observe(Observer observer) { observer_ = std::move(observer); }

  const Cube& cube() const { return cube_; }
  /// Time for which the channel was reserved.
  Duration busy(std::uint32_t channel) const { return channels_[channel].busy; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct Worm {
    Duration late{};
    std::uint32_t number = 0;  // which worm has this ticket now
  };
  struct Channel {
    std::array<Time, 2> free{};       // by class: the last worm's tail has left
    Time wire{};                      // its last byte has passed, had it not been blocked
    Time gap_begin{}, gap_end{};      // the wire is idle before a reservation
    Duration busy{};
    std::uint32_t came_from = nobody;  // of the last worm: its virtual channel on a link, the one before at an ejection channel
    Ticket ticket = 0;
    std::uint32_t number = 0;
  };
  /// Where a worm goes: between reservations, behind them, or beside the last of them, in turns.
  enum How : std::uint32_t { in_gap, behind, beside };
  struct Step {
    Channel* channel;
    Time start;  // the head enters
    std::uint32_t vc;
    std::uint32_t came_from;
    How how;
  };
  Time reserve(Channel& channel, std::uint32_t vc, std::uint32_t came_from, Time head, Duration length);

  Cube cube_;
  Timing timing_;
  const VcClassRule& rule_;
  bool classes_, static_classes_;
  Duration buffer_time_;
  std::vector<Channel> channels_;
  std::vector<Step> path_;  // of the worm at hand; as long as the longest path
  Step* end_ = nullptr;
  std::vector<Worm> worms_;  // by ticket
  std::vector<Ticket> free_tickets_;
  std::uint32_t number_ = 0;
  std::uint64_t last_bytes_ = ~std::uint64_t{0};  // most messages of a run are of one or two sizes
  Duration last_length_{};
  Observer observer_;
};

}  // namespace sunstar::network
