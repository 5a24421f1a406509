// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/network/cube/cube.h"
#include "models/network/cube/router_params.h"

namespace sunstar::network {

/// The flit model of a wormhole-routed torus or mesh, without a kernel: every flit, virtual channels and credits, a
/// cycle at a time. The way of one flit is told in docs/models/network-flit.md.
///
/// Each router has an input port for each direction of each dimension and one for its node, each with
/// `virtual_channels` FIFO buffers of `buffer_flits`. A head is routed (dimension order), is given an output virtual
/// channel, and then all flits ask for the switch one by one. Both allocators are separable and work output first with
/// round-robin pointers that move on when a grant is accepted, one round a cycle (iSLIP; McKeown 1999). Behind each
/// router a node takes all flits that come out at once.
///
/// A router costs time in a cycle only if something in it may have changed: it sleeps until a flit or a credit comes in
/// or what it waits for is over.
class FlitCore {
 public:
  using Cycle = std::uint64_t;
  static constexpr Cycle never = ~Cycle{0};

  struct Packet {
    std::uint32_t from = 0, to = 0;
    std::uint32_t flits = 1;
    std::uint32_t last_flit_cycles = 1;  ///< time of the last flit on a channel; the others take `flit_cycles`
    std::uint64_t random =
        0;  ///< bit d: up where both ways round dimension d are equally short; bit 32 + d: the rule's coin
    std::uint64_t tag = 0;  ///< the caller's own
  };
  struct Arrival {
    std::uint64_t tag;
    Cycle entered;       ///< the head left its node
    std::uint32_t hops;  ///< links crossed
  };

  /// `flit_cycles`: for which a flit holds a channel. More than one virtual channel unless the rule knows no classes.
  FlitCore(Cube cube, const RouterParams& params, std::uint32_t flit_cycles = 1);

  /// Puts a packet behind those of its node, which have to leave first. The head may leave in cycle now().
  void send(const Packet&);

  /// Cycles from the head's leaving its node to the tail's arrival, if nobody stops it: (hops + 1) times
  /// cycles_per_hop() + 1 - link_delay, since nodes are always one cycle away from their routers, and the flits, one
  /// after the other. Buffers shorter than the way of a flit and its credit stop them now and then.
  Cycle zero_load(std::uint32_t hops, const Packet&) const;

  /// Simulates cycle now() and goes on to the next; arrivals() are then those of that cycle.
  void step();
  Cycle now() const { return now_; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }

  /// The first cycle from now() on in which something happens; never if nothing is under way, or all of it is
  /// deadlocked.
  Cycle next() const;
  /// Goes to a cycle before which nothing happens.
  void skip_to(Cycle cycle) { now_ = cycle; }

  /// Whether there are packets, and none of them will ever move again.
  bool deadlocked() const { return flits_waiting() > 0 && next() == never; }
  /// For a deadlock: the circle of buffers that wait for one another, a line each.
  std::vector<std::string> waiting_circle() const;

  std::uint64_t flits_sent() const { return flits_sent_; }  ///< left their nodes
  std::uint64_t flits_delivered() const { return flits_delivered_; }
  std::uint64_t flits_waiting() const { return flits_queued_ + flits_sent_ - flits_delivered_; }
  std::uint64_t packets() const { return packets_under_way_; }  ///< sent and not arrived
  std::uint64_t queued(std::uint32_t router) const {
    return sources_[router].packets;
  }  ///< packets at a node that have not all left
  /// Cycles for which flits passed the channel, numbered as in Cube.
  std::uint64_t busy(std::uint32_t channel) const { return busy_[channel]; }
  /// Credits and flits in every buffer and channel add up; for tests, between steps.
  bool consistent() const;

  const Cube& cube() const { return cube_; }
  std::uint32_t flit_cycles() const { return flit_cycles_; }

 private:
  enum class State : std::uint8_t { idle, allocating, active };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::uint16_t none = 0xffff;  // of what is counted with 16 bits

  // Numbers of packets; a flit is its packet's number, whether it is the head and whether it is the tail.
  using Flit = std::uint32_t;
  static constexpr Flit head_bit = 1, tail_bit = 2;
  static constexpr unsigned packet_shift = 2;

  struct Travelling : Packet {
    Cycle entered = 0;
    std::uint32_t next = nobody;  // behind it at its node
    std::uint32_t hops = 0;
    std::uint32_t dimension = nobody, vc_class = 0;
  };
  struct InputVc {
    Cycle ready = 0;                     // may ask from this cycle on
    Cycle asked_at = never;              // for a virtual channel
    std::uint32_t upstream;              // the output virtual channel that fills it
    std::uint16_t first = 0, count = 0;  // of its ring of flits
    std::uint16_t slot = 0;              // its output virtual channel once it is active
    std::uint8_t port = 0;               // its output
    std::uint8_t least = 0, most = 0;    // virtual channels there that it may use
    State state = State::idle;
    bool listed = false;  // asks for the switch
  };
  // Beside those of the routers, each virtual channel of a node's injection channel is one.
  struct OutputVc {
    std::uint32_t owner = nobody;       // input virtual channel of the same router
    std::uint32_t downstream = nobody;  // the buffer it fills; nobody: a node
    std::uint16_t credits = 0;
    bool tail_sent = false;
  };
  struct Source {
    std::uint32_t first = nobody, last = nobody;  // queue of packets
    std::uint64_t packets = 0;
    std::uint32_t sent = 0;  // flits of the first
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
  // What happens in one cycle.
  struct Moment {
    std::vector<FlitEvent> flits;        // into an input virtual channel
    std::vector<FlitEvent> out;          // to a node
    std::vector<std::uint32_t> credits;  // for an output virtual channel
    std::vector<std::uint32_t> wakes;    // routers, then nodes
    std::vector<Grant> vcs, switches;    // allocations that took longer than a cycle, at the beginning of the next one
  };
  // What a router's allocators remember.
  struct Lists {
    std::uint16_t allocating = 0, asking = 0;  // lengths
  };

  Moment& at(Cycle cycle) {
    ++events_;
    return wheel_[cycle & wheel_mask_];
  }
  std::uint32_t router_of(std::uint32_t vc) const { return vc / slots_; }
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
  void allocate_switch(std::uint32_t router);
  void acquire(std::uint32_t number, std::uint32_t slot, Cycle ready);
  void pass_switch(std::uint32_t number, Cycle when);
  void list(std::uint32_t number);
  std::string buffer_name(std::uint32_t number) const;
  std::uint32_t waits_for(std::uint32_t number) const;

  Cube cube_;
  RouterParams params_;
  std::uint32_t flit_cycles_;
  const VcClassRule& rule_;
  bool classes_;
  std::uint32_t ports_, vcs_, slots_, depth_;  // slots: virtual channels of all ports of a router

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

  // Of the router at hand.
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
