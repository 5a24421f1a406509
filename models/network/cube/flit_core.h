// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>

#include "models/network/cube/cube_params.h"

namespace sunstar {

/// Divides by a number that is known only at run time and does not change, by multiplying: a division takes the host
/// several times as long.
class Divider {
 public:
  /// divisor > 0.
  explicit Divider(std::uint32_t divisor) : inverse_((std::uint64_t{1} << shift) / divisor + 1), divisor_(divisor) {}

  /// The quotient, rounded down. It must be below 2^24, and number * divisor below 2^40: more would need more bits.
  std::uint32_t operator()(std::uint32_t number) const {
    assert(number >> 24 < divisor_ && std::uint64_t{number} * divisor_ < std::uint64_t{1} << shift);
    return static_cast<std::uint32_t>(number * inverse_ >> shift);
  }

 private:
  static constexpr unsigned shift = 40;
  std::uint64_t inverse_;
  std::uint32_t divisor_;
};

}  // namespace sunstar

namespace sunstar::network {

/// The flit model of a wormhole-routed torus or mesh, without a kernel. It moves every flit, with virtual channels and
/// credits, cycle by cycle; docs/models/network-flit.md describes routers, their allocators, and the way of one flit.
/// Behind each router a node takes every flit as soon as it comes out.
///
/// A router costs host time only in cycles in which its state may change: otherwise it sleeps until a flit or credit
/// arrives or until a time that it has set.
class FlitCore {
 public:
  using Cycle = std::uint64_t;
  static constexpr Cycle never = ~Cycle{0};

  struct Packet {
    std::uint32_t from = 0, to = 0;
    std::uint32_t flits = 1;
    std::uint32_t last_flit_cycles = 1;  ///< time of the last flit on a channel; other flits take `flit_cycles`
    std::uint64_t random =
        0;  ///< bit d: go up where both ways round dimension d are equally short; bit 32 + d: the class rule's coin
    std::uint64_t tag = 0;     ///< for the caller's own use
    std::uint32_t forced = 0;  ///< see Cube::Directions
  };
  struct Arrival {
    std::uint64_t tag;
    Cycle entered;       ///< when the head left its node
    std::uint32_t hops;  ///< links crossed
  };

  /// Receives the events that wave files show. Times may lie a cycle ahead; the last of several calls for one time
  /// counts.
  class Observer {
   public:
    /// From `when` on the virtual channel belongs to the packet; null: to none.
    virtual void owned(std::uint32_t channel, std::uint32_t vc, const Packet*, Cycle when) = 0;
    /// A flit of the packet starts to pass the channel (a router's: the switch lets it go) and takes `cycles`.
    virtual void passes(std::uint32_t channel, const Packet&, Cycle when, Cycle cycles) = 0;

   protected:
    ~Observer() = default;
  };

  /// `flit_cycles`: cycles for which a flit holds a channel. On a torus a rule with classes needs at least two virtual
  /// channels.
  FlitCore(Cube cube, const RouterParams& params, std::uint32_t flit_cycles = 1);

  /// Queues a packet behind its node's other packets. The head may leave in cycle now().
  void send(const Packet&);

  /// Cycles from when the head leaves its node until the tail arrives, without contention: (hops + 1) times
  /// cycles_per_hop(), plus 1 - link_delay because nodes are always one cycle away from their routers, plus the flits
  /// in sequence. A buffer too short for the round trip of a flit and its credit adds stops.
  Cycle zero_load(std::uint32_t hops, const Packet&) const;

  /// Simulates cycle now() and goes on to the next one; arrivals() then returns the arrivals of the simulated cycle.
  void step();
  Cycle now() const { return now_; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }

  /// The next cycle, from now() on, with an event; never if no packet is in flight, or all are deadlocked.
  Cycle next() const;
  /// Moves now() to `cycle`, before which there must be no event.
  void skip_to(Cycle cycle) { now_ = cycle; }

  /// Whether there are packets, none of which will ever move again.
  bool deadlocked() const { return flits_waiting() > 0 && next() == never; }
  /// For a deadlock: the circle of buffers that wait for one another, a line for each buffer.
  std::vector<std::string> waiting_circle() const;

  std::uint64_t flits_delivered() const { return flits_delivered_; }
  std::uint64_t flits_waiting() const { return flits_queued_ + flits_sent_ - flits_delivered_; }
  std::uint64_t packets() const { return packets_under_way_; }  ///< sent and not arrived
  std::uint64_t queued(std::uint32_t router) const {
    return sources_[router].packets;
  }  ///< packets that have not left their node entirely
  /// Cycles for which flits passed the channel; channels are numbered as in Cube.
  std::uint64_t busy(std::uint32_t channel) const { return busy_[channel]; }
  /// Whether credits and flits in every buffer and channel add up, between steps: a check of the tests.
  friend bool consistent(const FlitCore&);

  /// To be called before the first send(); the observer must outlive the core.
  void observe(Observer& observer) { observer_ = &observer; }

  const Cube& cube() const { return cube_; }
  std::uint32_t flit_cycles() const { return flit_cycles_; }

 private:
  enum class State : std::uint8_t { idle, allocating, active };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::uint16_t none = 0xffff;  // for numbers of 16 bits

  // A flit is its packet's number, with one bit for the head and one for the tail.
  using Flit = std::uint32_t;
  static constexpr Flit head_bit = 1, tail_bit = 2;
  static constexpr unsigned packet_shift = 2;

  struct Travelling : Packet {
    Cycle entered = 0;
    std::uint32_t next = nobody;  // the packet behind it at its node
    std::uint32_t hops = 0;
    std::uint32_t dimension = nobody, vc_class = 0;
  };
  struct InputVc {
    Cycle ready = 0;                     // the first cycle in which it may ask
    Cycle asked_at = never;              // when it last asked for a virtual channel
    std::uint32_t upstream;              // the output virtual channel that fills it
    std::uint16_t first = 0, count = 0;  // in its ring of flits
    std::uint16_t slot = 0;              // its output virtual channel once it is active
    std::uint8_t port = 0;               // its output port
    std::uint8_t least = 0, most = 0;    // range of virtual channels that it may use there
    State state = State::idle;
    bool listed = false;  // is in the list of flits that ask for the switch
  };
  // An output virtual channel of a router, or of a node's injection channel.
  struct OutputVc {
    std::uint32_t owner = nobody;       // input virtual channel of the same router
    std::uint32_t downstream = nobody;  // the buffer it fills; nobody: a node
    std::uint16_t credits = 0;
    bool tail_sent = false;
  };
  struct Source {
    std::uint32_t first = nobody, last = nobody;  // queue of packets
    std::uint64_t packets = 0;
    std::uint32_t sent = 0;  // flits of the first packet
    std::uint32_t vc = 0;
    bool has_vc = false;
    Cycle ready = 0;
  };
  struct FlitEvent {
    std::uint32_t where;
    Flit flit;
  };
  struct Grant {
    std::uint32_t input;  // number of the input virtual channel
    std::uint16_t slot;   // output virtual channel, or the output port for the switch
  };
  struct Moment {
    std::vector<FlitEvent> flits;        // into an input virtual channel
    std::vector<FlitEvent> out;          // to a node
    std::vector<std::uint32_t> credits;  // for an output virtual channel
    std::vector<std::uint32_t> wakes;    // routers, then nodes
    std::vector<Grant> vcs, switches;    // allocations of more than a cycle, which take effect as this cycle begins
  };
  // Lengths of a router's lists of requests.
  struct Lists {
    std::uint16_t allocating = 0, asking = 0;  // heads, and flits for the switch
  };

  Moment& at(Cycle cycle) {
    ++events_;
    return wheel_[cycle & wheel_mask_];
  }
  std::uint32_t router_of(std::uint32_t vc) const { return by_slots_(vc); }
  std::uint32_t ring(const InputVc& vc, std::uint32_t place) const {
    const std::uint32_t i = vc.first + place;
    return i >= depth_ ? i - depth_ : i;
  }
  void wake(std::uint32_t who);
  void sleep_until(std::uint32_t who, Cycle cycle);
  void take_in(std::uint32_t number, Flit flit);
  void begin_packet(std::uint32_t number, Cycle ready);
  void give_credit(std::uint32_t output);
  void take_out(const FlitEvent& event);
  Cycle inject(std::uint32_t node);
  Cycle evaluate(std::uint32_t router);
  void allocate_vcs(std::uint32_t router);
  // The two steps of an allocation; a distance is that of the request from the pointer of the output.
  void request(std::uint32_t output, std::uint32_t input, std::uint16_t distance);
  void accept(const std::uint16_t* pointers, std::uint32_t places);
  void allocate_switch(std::uint32_t router);
  void grant_switch(std::uint32_t router, std::uint32_t input, std::uint32_t port, std::uint32_t local);
  void acquire(std::uint32_t number, std::uint32_t slot, Cycle ready);
  void pass_switch(std::uint32_t number, Cycle when);
  std::uint32_t channel_of(std::uint32_t output) const;
  void show_owner(std::uint32_t output, const Packet* owner, Cycle when) const {
    if (observer_) observer_->owned(channel_of(output), output % vcs_, owner, when);
  }
  void list(std::uint32_t number);
  std::string buffer_name(std::uint32_t number) const;
  std::uint32_t waits_for(std::uint32_t number) const;

  Cube cube_;
  RouterParams params_;
  std::uint32_t flit_cycles_;
  const VcClassRule* rule_;
  Observer* observer_ = nullptr;
  bool classes_;
  std::uint32_t ports_, vcs_, slots_, depth_;  // slots: virtual channels of all ports of a router
  Divider by_vcs_, by_slots_;

  std::vector<InputVc> inputs_;
  std::vector<OutputVc> outputs_;
  std::vector<Flit> flits_;  // rings of all input virtual channels
  std::vector<Source> sources_;
  std::vector<Travelling> packets_;
  std::vector<std::uint32_t> free_packets_;

  std::vector<Lists> lists_;                        // by router
  std::vector<std::uint16_t> allocating_, asking_;  // by router: local numbers of input virtual channels
  std::vector<std::uint16_t> vc_output_pointer_, vc_input_pointer_;  // round-robin pointers, by router and slot
  std::vector<std::uint16_t> switch_output_pointer_, switch_input_pointer_, switch_vc_pointer_;  // by router and port
  std::vector<Cycle> input_free_, output_free_;  // by router and port: when its last flit has passed

  std::vector<Moment> wheel_;
  Cycle wheel_mask_ = 0;
  std::uint64_t events_ = 0;                       // in the wheel
  std::vector<std::uint32_t> awake_, awake_next_;  // routers, then nodes, that this cycle and the next may change
  std::vector<char> is_awake_;
  Cycle now_ = 0;

  // Scratch space of the router being evaluated.
  std::vector<std::uint16_t> best_, nearest_, accepted_, accepted_distance_;
  std::vector<std::uint16_t> touched_, takers_;
  std::vector<std::uint16_t> label_;  // by input and output port: who asks, or none
  std::vector<char> label_speculative_;
  std::vector<std::uint16_t> labels_;
  std::vector<Grant> vc_grants_, switch_grants_;
  Cycle wake_at_ = never;

  std::vector<Arrival> arrivals_;
  std::vector<std::uint64_t> busy_;
  std::uint64_t flits_sent_ = 0, flits_delivered_ = 0, flits_queued_ = 0, packets_under_way_ = 0;
};

}  // namespace sunstar::network
