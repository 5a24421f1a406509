// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <functional>
#include <span>

#include "models/core/fifo.h"
#include "models/core/param.h"
#include "models/core/quantity.h"

namespace sunstar::network {

/// The worm model of a network of routers of any topology, without a kernel: a message is one worm whose head reserves
/// each channel of its path in turn and whose tail frees it. Simulating a message costs host time by its hops, not by
/// its flits. docs/models/network-worm.md describes how worms wait, and how they share a wire.
///
/// inject() reserves the path as far as the head gets without waiting. A head that has to wait goes on in proceed(),
/// when the channel is free for it. A worm with which another takes turns later is late: its tail leaves all remaining
/// channels later, and late() returns the delay when the worm should arrive.
class WormCore {
 public:
  struct Timing {
    Duration router_delay;       ///< time that a head takes through one router; of a channel's own, see set_channel()
    Bandwidth link_bandwidth;    ///< of each link and direction
    std::uint32_t buffer_bytes;  ///< input buffer of a virtual channel
    Duration turnaround{};       ///< from a tail's departure until the head that waited for its virtual channel goes on
    bool credits = false;        ///< whether all worms that wait in a buffer share it; if not, each has a whole buffer
    bool step_by_step = false;   ///< whether, with credits, a head asks for a channel only when it is there; if not, as
                                 ///< soon as it can be known that none that comes earlier is in the way, or nearly so
    bool in_order = false;       ///< whether worms leave a buffer as they came, which asks for step_by_step; if not,
                                 ///< any whose channel is free
  };

  WormCore(std::uint32_t channels, Timing timing);

  /// A channel of its own length: how long a head takes over it and through the router at its end, and its bandwidth if
  /// that is less than `link_bandwidth`. Only for worms that go step by step; to be called before the first inject().
  void set_channel(std::uint32_t channel, Duration delay, Bandwidth bandwidth) {
    channels_[channel].delay = delay;
    switched_[channel].slower = timing_.link_bandwidth.bytes_per_second / bandwidth.bytes_per_second - 1;
    channels_[channel].slow = switched_[channel].slower > 0;
  }

  /// A step of a path. A link may have four virtual channels; of the first two a worm may take whichever is free first.
  static constexpr std::uint32_t virtual_channels = 4;
  struct Hop {
    static constexpr std::uint8_t any = virtual_channels;
    std::uint32_t channel;
    std::uint8_t input = 0;  ///< the port, below 128, by which the worm comes to the router that sends into the channel
    std::uint8_t vc = any;   ///< the virtual channel; any: of the first two whichever is free first
  };
  using Path = std::span<const Hop>;

  using Ticket = std::uint32_t;
  static constexpr Time waits_on_the_way = Time::max();
  struct Passage {
    Time head;  ///< when the first byte leaves the ejection channel
    Time tail;  ///< when the last byte does: the message has arrived, unless it is late(); waits_on_the_way if only
                ///< proceed() will know
    std::uint32_t hops = 0;  ///< links crossed
    Ticket ticket = 0;
  };

  /// Injects a worm of `bytes` at `when`, which must be neither before the last worm has left the node,
  /// free_at(injection), nor after next(). The path begins with the node's injection channel and ends with another
  /// node's ejection channel; in both, any two worms that come by different ports share the wire. Without contention
  /// the tail arrives after (hops + 1) router delays plus the time of the bytes on one link.
  Passage inject(Path path, std::uint64_t bytes, Time when);

  /// When the first of the waiting worms may go on; Time::max() if no such time is known.
  Time next() const { return going_on_.empty() ? Time::max() : going_on_.front().when; }
  /// Lets that worm go on, to its destination or to its next wait. Returns nothing if the worm before it is late, so
  /// that none can go on.
  std::optional<Passage> proceed();

  /// The worm's delay against its announced arrival. To be called at that arrival, and again after each delay returned
  /// until it is zero; then the ticket may be reused.
  Duration late(Ticket ticket);

  Duration zero_load(std::uint32_t hops, std::uint64_t bytes) const {
    return (hops + 1) * timing_.router_delay + timing_.link_bandwidth.time_for(bytes);
  }

  /// When the next worm may enter the channel, behind all worms that have reserved it; Time::max() while a worm that
  /// waits further on keeps it.
  Time free_at(std::uint32_t channel) const {
    const Channel& c = channels_[channel];
    return std::max(c.wire, timing_.in_order ? std::min(c.free[0], c.free[1]) : c.free[0]);
  }

  /// The time of the bytes that were sent into the channel and whose credits are not back yet; a credit takes as long
  /// as a head. Only for worms that go step by step; times of calls never decrease.
  Duration without_credit(std::uint32_t channel, Time now);

  /// How long the channel will be busy with the worms that have reserved it or wait for it, as far as known.
  Duration backlog(std::uint32_t channel, Time now) const;

  /// While no link is busy for more than this share of the time, latencies are within 3 % of the flit model
  /// (docs/validation.md).
  static constexpr double good_utilisation = 0.20;
  /// Up to this share worms that go step by step, in order, are within 6 % of the flits of another simulator.
  static constexpr double good_step_by_step = 0.40;

  /// Called for every reservation: with the channel and the time at which a worm enters it (+1) or its tail leaves it
  /// (-1), as soon as each is known.
  using Observer = std::function<void(std::uint32_t channel, Time when, int by)>;
  void observe(Observer observer) { observer_ = std::move(observer); }

  /// Time for which the channel was reserved.
  Duration busy(std::uint32_t channel) const { return channels_[channel].busy; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr Time unknown = Time::max();
  // A wire of a channel, or the way from an input port into a switch.
  struct Wire {
    Time wire{};        // when the last byte reserved so far has passed
    Ticket ticket = 0;  // of the last worm, and its number
    std::uint32_t number = 0;
    std::uint16_t lane = 0;  // of the last worm
    bool streams = false;    // into a switch: its bytes pass as they come
  };
  // What all networks use; the rest is in Switched, so that a torus needs little of the cache.
  struct Channel : Wire {
    std::uint8_t called = 0;  // bit by class: going_on_ holds the time at which the next waiting worm goes on
    bool slow = false;        // see Switched::slower
    std::array<Time, virtual_channels> free{};  // by class: when the last worm's tail leaves; unknown while that worm
                                                // waits further on
    Time gap_begin{}, gap_end{};                // the wire is idle before a reservation
    Duration delay{};                           // that a head takes over it
    Duration busy{};
    std::array<std::uint16_t, virtual_channels> turn{};  // by class: the input whose turn it is
    Ticket waiting = nobody;                             // the first of an input's waiting worms
    Duration queued{};                                   // the sum of the waiting worms' lengths
  };
  // What channels have only with credits or step by step.
  struct Switched {
    std::array<Duration, virtual_channels> held{};   // by class: lengths of the worms that wait in the buffer behind it
    std::array<Time, virtual_channels> called_at{};  // by class: the time in going_on_, the earliest
    double slower = 0;  // how much longer bytes take than at the full bandwidth, as a share
    Duration out{};     // the bytes whose credits are not back yet, and when some of them will be
    Fifo<std::pair<Time, Duration>> back;
  };
  /// How a worm enters a channel: only if it is free; because it has waited for it; or, on leaving its node, as soon as
  /// it will be free.
  enum class Entry { when_free, granted, reserved };
  /// The place of a worm's bytes on the wire: between reservations, behind them, or beside the last of them, in turns.
  enum class Place : std::uint8_t { in_gap, behind, beside };
  struct Step {
    Time start;        // when the head enters
    Time end;          // when the last byte enters, if the head waits no further
    Time free;         // when the tail has left; unknown while the head waits further on
    Duration stretch;  // extra time of the bytes because of sharing, so far
    std::uint32_t channel;
    std::uint8_t vc;
    std::uint16_t input;  // the virtual channel by which it comes to the router; a port's are numbered in a row
    std::uint16_t lane;   // worms in different lanes take turns on the wire; on a link the lane is the virtual channel,
                          // at a node the input
    Place place;
    bool any_vc;
  };
  struct Worm {
    Duration late{};
    Duration length{}, stretch{};
    std::uint32_t number = 0;  // the number of the worm that has this ticket now
    std::uint16_t steps = 0;   // of its path
    std::uint16_t at = 0;      // steps it has reserved; it waits for the next one, if there is one
    // While it waits: when the head came, its input, and the virtual channels it waits for (bits). The worms of an
    // input wait in a queue.
    Time head{};
    std::uint16_t input = 0;
    std::uint8_t vcs = 0;
    Ticket behind = nobody;      // the next in its queue
    Ticket last = nobody;        // if it is the first of a queue: the queue's last, and
    Ticket next_input = nobody;  // the first of another input's queue
  };
  /// The buffer behind a virtual channel of a link from which worms leave as they came.
  struct Buffer {
    Time empty{};                          // when the last worm's tail leaves; unknown while that worm waits
    Ticket first = nobody, last = nobody;  // worms behind that one
  };
  struct Head {
    Time at;
    Duration length, stretch{};
    bool streams = false;  // it goes on at once, so that its bytes pass the switch as they come
  };
  struct GoingOn {
    Time when;
    std::uint64_t order;
    std::uint32_t channel, vc;
    bool operator>(const GoingOn& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  Step* path(Ticket ticket) { return paths_[ticket].data(); }
  Buffer& buffer(const Step& before) { return buffers_[virtual_channels * before.channel + before.vc]; }
  void empties(const Step& before, Time when);
  // `steps`: timing_.step_by_step, apart because most machines have messages that do not go so.
  template <bool steps>
  Passage inject_as(Path path, std::uint64_t bytes, Time when);
  template <bool steps>
  bool reserve(Step& step, Head& head, Entry entry);
  void slow_down(const Step& step, Head& head, Time start, Entry entry);
  Duration more_time(std::uint32_t channel, Duration length) const;
  Duration share(const Wire& wire, Time start, Duration length);
  void delay(Ticket ticket, Duration by, Time now, const Wire& where);
  // `through`: the head has gone all the way, no wire was shared, and nobody observes, as with most worms.
  template <bool steps, bool through>
  Passage settle(Ticket ticket, std::uint32_t first, const Head& head, Time when);
  void pass(Wire& wire, std::uint16_t lane, Ticket ticket, Time end);
  Ticket next_in_turn(const Channel& channel, std::uint32_t vc, Time now);
  void enqueue(Channel& channel, Ticket ticket);
  void dequeue(Channel& channel, Ticket ticket);
  bool wants(Ticket ticket, std::uint32_t vc) const { return (worms_[ticket].vcs >> vc & 1) != 0; }
  void wait(Ticket ticket, Time head);
  bool waits_behind_another(Ticket ticket, const Step& before, Time& head);
  void take_credit(const Step& step, Duration length);
  void give_credit(const Step& step, Duration length, Time when);
  void call(std::uint32_t channel, std::uint32_t vc);

  Timing timing_;
  Duration buffer_time_;
  std::vector<Channel> channels_;
  std::vector<Buffer> buffers_;           // by channel and virtual channel; only if worms leave them in order
  std::vector<Switched> switched_;        // by channel; only with credits
  std::vector<Wire> into_switch_;         // behind each channel; only if worms leave buffers in order
  std::vector<Worm> worms_;               // by ticket
  std::vector<std::vector<Step>> paths_;  // by ticket; as long as the ticket's longest path so far
  std::vector<GoingOn> going_on_;         // a heap, earliest first
  std::uint64_t order_ = 0;
  std::vector<Ticket> free_tickets_;
  std::uint32_t number_ = 0;
  std::uint64_t last_bytes_ = ~std::uint64_t{0};  // a cache of one length: most messages of a run have one or two sizes
  Duration last_length_{};
  Observer observer_;
};

/// How messages wait. `by_destination`: nodes have a queue for each receiver, like independent queue pairs, and
/// switches for each output (virtual output queues); `in_order`: a node has one queue, and so has each virtual channel
/// of a link.
BOOST_DEFINE_FIXED_ENUM_CLASS(Queues, std::uint8_t, by_destination, in_order)

inline Param queues_param() {
  return {"queues",
          "by-destination: a node has a queue for each receiver, and sends to the one with the least load first; a "
          "switch has one for each output. in-order: a node has one queue, and so has each virtual channel of a link",
          Tuning::setting};
}

}  // namespace sunstar::network
