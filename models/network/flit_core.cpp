// SPDX-License-Identifier: MIT
#include "models/network/flit_core.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace sunstar::network {

namespace {
constexpr std::uint16_t none = 0xffff;
// A credit's way to a node: its channel, and a register at each end.
constexpr std::uint32_t node_credit_delay = 3;

/// How far `place` is behind a round-robin pointer.
std::uint16_t behind(std::uint32_t place, std::uint32_t pointer, std::uint32_t places) {
  return static_cast<std::uint16_t>(place >= pointer ? place - pointer : place + places - pointer);
}
std::uint16_t after(std::uint32_t place, std::uint32_t places) { return static_cast<std::uint16_t>(place + 1 == places ? 0 : place + 1); }
}  // namespace

FlitCore::FlitCore(Cube cube, const RouterParams& params, std::uint32_t flit_cycles)
    : cube_(std::move(cube)),
      params_(params),
      flit_cycles_(flit_cycles),
      rule_(network::vc_class_rule(params.vc_class_rule)),
      classes_(rule_.classes && cube_.topology() == Topology::torus),
      ports_(2 * cube_.dimensions() + 1),
      vcs_(params.virtual_channels),
      slots_(ports_ * vcs_),
      depth_(params.buffer_flits) {
  assert(flit_cycles > 0 && vcs_ > 0 && depth_ > 0 && (!classes_ || vcs_ > 1));
  const std::uint32_t routers = cube_.routers();
  inputs_.resize(std::size_t{routers} * slots_);
  outputs_.resize(inputs_.size() + std::size_t{routers} * vcs_);
  flits_.resize(inputs_.size() * depth_);
  sources_.resize(routers);
  lists_.resize(routers);
  allocating_.resize(inputs_.size());
  asking_.resize(inputs_.size());
  vc_output_pointer_.resize(inputs_.size());
  vc_input_pointer_.resize(inputs_.size());
  const std::size_t all_ports = std::size_t{routers} * ports_;
  switch_output_pointer_.resize(all_ports);
  switch_input_pointer_.resize(all_ports);
  switch_vc_pointer_.resize(all_ports);
  input_free_.resize(all_ports);
  output_free_.resize(all_ports);
  busy_.resize(cube_.channels());
  is_awake_.resize(2 * std::size_t{routers});

  for (OutputVc& out : outputs_) out.credits = static_cast<std::uint16_t>(depth_);
  const auto connect = [&](std::size_t output, std::size_t input) {
    outputs_[output].downstream = static_cast<std::uint32_t>(input);
    inputs_[input].upstream = static_cast<std::uint32_t>(output);
  };
  for (std::uint32_t r = 0; r < routers; ++r) {
    for (std::uint32_t port = 0; port + 1 < ports_; ++port) {
      // The input port is called after the direction of travel, as the output port it comes from.
      if (!cube_.has_link(r, port / 2, port % 2 == 0)) continue;
      const std::uint32_t there = cube_.neighbour(r, port / 2, port % 2 == 0);
      for (std::uint32_t v = 0; v < vcs_; ++v)
        connect(std::size_t{r} * slots_ + port * vcs_ + v, std::size_t{there} * slots_ + port * vcs_ + v);
    }
    for (std::uint32_t v = 0; v < vcs_; ++v)
      connect(inputs_.size() + std::size_t{r} * vcs_ + v, std::size_t{r} * slots_ + (ports_ - 1) * vcs_ + v);
  }

  const std::uint32_t furthest = std::max({params_.traversal_delay + params_.link_delay + 1, params_.traversal_delay + 4 + flit_cycles_,
                                           flit_cycles_ + 1, params_.vc_allocation_delay, params_.switch_allocation_delay,
                                           params_.routing_delay + 1});
  wheel_.resize(std::bit_ceil(furthest + 1));
  wheel_mask_ = wheel_.size() - 1;

  best_.assign(slots_, none);
  nearest_.resize(slots_);
  accepted_.assign(slots_, none);
  accepted_distance_.resize(slots_);
  label_.assign(ports_ * ports_, none);
  label_speculative_.resize(ports_ * ports_);
}

void FlitCore::send(const Packet& packet) {
  std::uint32_t number;
  if (free_packets_.empty()) {
    number = static_cast<std::uint32_t>(packets_.size());
    packets_.emplace_back();
  } else {
    number = free_packets_.back();
    free_packets_.pop_back();
  }
  Travelling& p = packets_[number];
  static_cast<Packet&>(p) = packet;
  p.next = nobody;
  p.hops = 0;
  p.dimension = nobody;
  Source& source = sources_[packet.from];
  (source.last == nobody ? source.first : packets_[source.last].next) = number;
  source.last = number;
  ++source.packets;
  ++packets_under_way_;
  flits_queued_ += packet.flits;
  if (source.packets == 1) sleep_until(cube_.routers() + packet.from, std::max(now_, source.ready));
}

FlitCore::Cycle FlitCore::zero_load(std::uint32_t hops, const Packet& packet) const {
  // From a flit's grant of the switch to that of the flit that takes its place in the buffer: to a router, or, without links, to the node.
  const Cycle link = hops > 0 ? params_.link_delay : 1;
  const Cycle round_trip = params_.traversal_delay + 2 * link + 1 + params_.switch_allocation_delay, buffer = Cycle{depth_} * flit_cycles_;
  const Cycle stops = round_trip > buffer ? (packet.flits - 1) / depth_ * (round_trip - buffer) : 0;
  return (hops + 1) * Cycle{params_.cycles_per_hop()} + 1 - params_.link_delay + (packet.flits - 1) * Cycle{flit_cycles_} + packet.last_flit_cycles + stops;
}

FlitCore::Cycle FlitCore::next() const {
  if (!awake_.empty() || !awake_next_.empty()) return now_;
  if (events_ == 0) return never;
  for (Cycle c = now_;; ++c) {
    const Moment& m = wheel_[c & wheel_mask_];
    if (!m.flits.empty() || !m.out.empty() || !m.credits.empty() || !m.wakes.empty() || !m.vcs.empty() || !m.switches.empty()) return c;
  }
}

// Routers and nodes that are awake in this cycle. One that is to be awake in the next is in awake_next_.
void FlitCore::wake(std::uint32_t who) {
  if (is_awake_[who]) return;
  is_awake_[who] = 1;
  awake_.push_back(who);
}

void FlitCore::sleep_until(std::uint32_t who, Cycle cycle) {
  if (cycle == never) return;
  if (cycle == now_) return wake(who);
  at(cycle).wakes.push_back(who);
}

void FlitCore::step() {
  arrivals_.clear();
  // Those found awake at the end of the cycle before, and those woken by send().
  awake_.insert(awake_.end(), awake_next_.begin(), awake_next_.end());
  awake_next_.clear();

  Moment& moment = wheel_[now_ & wheel_mask_];
  events_ -= moment.flits.size() + moment.out.size() + moment.credits.size() + moment.wakes.size() + moment.vcs.size() + moment.switches.size();
  // Allocations that ended with the cycle before; a virtual channel may have been taken, or a buffer filled, meanwhile.
  for (const Grant& g : moment.vcs) {
    if (outputs_[std::size_t{router_of(g.input)} * slots_ + g.slot].owner == nobody) acquire(g.input, g.slot, now_);
    wake(router_of(g.input));
  }
  for (const Grant& g : moment.switches) {
    if (inputs_[g.input].state == State::active && outputs_[std::size_t{router_of(g.input)} * slots_ + inputs_[g.input].slot].credits > 0)
      pass_switch(g.input, now_ - 1);
    wake(router_of(g.input));
  }
  for (const FlitEvent& e : moment.flits) take_in(e.where, e.flit);
  for (const FlitEvent& e : moment.out) take_out(e);
  for (const std::uint32_t output : moment.credits) give_credit(output);
  for (const std::uint32_t who : moment.wakes) wake(who);
  moment.flits.clear();
  moment.out.clear();
  moment.credits.clear();
  moment.wakes.clear();
  moment.vcs.clear();
  moment.switches.clear();

  const std::uint32_t routers = cube_.routers();
  for (const std::uint32_t who : awake_) {
    const Cycle again = who < routers ? evaluate(who) : inject(who - routers);
    if (again == now_ + 1) {
      awake_next_.push_back(who);
    } else {
      is_awake_[who] = 0;
      if (again != never) at(again).wakes.push_back(who);
    }
  }
  awake_.clear();
  ++now_;
}

void FlitCore::take_in(std::uint32_t number, Flit flit) {
  InputVc& in = inputs_[number];
  assert(in.count < depth_);
  flits_[std::size_t{number} * depth_ + ring(in, in.count)] = flit;
  ++in.count;
  if (in.state == State::idle) {
    begin_packet(number, now_ + params_.routing_delay);
  } else if (in.state == State::active && in.count == 1) {
    in.ready = std::max(in.ready, now_);
    list(number);
  }
  wake(router_of(number));
}

// The first flit of the buffer is a head: where it goes, and that it asks for a virtual channel.
void FlitCore::begin_packet(std::uint32_t number, Cycle ready) {
  InputVc& in = inputs_[number];
  const std::uint32_t router = router_of(number);
  Travelling& p = packets_[flits_[std::size_t{number} * depth_ + in.first] >> packet_shift];
  const Cube::Step step = cube_.next_step(router, p.to, static_cast<std::uint32_t>(p.random));
  in.least = 0;
  in.most = static_cast<std::uint8_t>(vcs_ - 1);
  if (step.dimension == cube_.dimensions()) {
    in.port = static_cast<std::uint8_t>(ports_ - 1);
  } else {
    in.port = static_cast<std::uint8_t>(2 * step.dimension + (step.up ? 0 : 1));
    ++p.hops;
    if (classes_) {
      const std::uint32_t d = step.dimension;
      p.vc_class = rule_.choose({cube_.coordinate(router, d), cube_.coordinate(p.to, d), cube_.shape()[d], step.up, p.dimension != d, p.vc_class,
                                 (p.random >> (32 + d) & 1) != 0});
      p.dimension = d;
      (p.vc_class == 0 ? in.most : in.least) = static_cast<std::uint8_t>(p.vc_class == 0 ? vcs_ - 1 - vcs_ / 2 : vcs_ / 2);
    }
  }
  in.state = State::allocating;
  in.ready = ready;
  allocating_[std::size_t{router} * slots_ + lists_[router].allocating++] = static_cast<std::uint16_t>(number - router * slots_);
}

void FlitCore::list(std::uint32_t number) {
  InputVc& in = inputs_[number];
  if (in.listed) return;
  in.listed = true;
  const std::uint32_t router = router_of(number);
  asking_[std::size_t{router} * slots_ + lists_[router].asking++] = static_cast<std::uint16_t>(number - router * slots_);
}

void FlitCore::give_credit(std::uint32_t output) {
  OutputVc& out = outputs_[output];
  ++out.credits;
  assert(out.credits <= depth_);
  if (params_.wait_for_tail_credit && out.tail_sent && out.credits == depth_) out.owner = nobody;
  wake(output < inputs_.size() ? router_of(output) : cube_.routers() + static_cast<std::uint32_t>(output - inputs_.size()) / vcs_);
}

void FlitCore::take_out(const FlitEvent& event) {
  ++flits_delivered_;
  if (!(event.flit & tail_bit)) return;
  const std::uint32_t number = event.flit >> packet_shift;
  arrivals_.push_back({packets_[number].tag, packets_[number].entered, packets_[number].hops});
  free_packets_.push_back(number);
  --packets_under_way_;
}

// One flit of a node; returns when to look again.
FlitCore::Cycle FlitCore::inject(std::uint32_t node) {
  Source& source = sources_[node];
  if (source.first == nobody) return never;
  if (source.ready > now_) return source.ready;
  OutputVc* const outs = &outputs_[inputs_.size() + std::size_t{node} * vcs_];
  if (!source.has_vc) {
    for (std::uint32_t i = 1; i <= vcs_ && !source.has_vc; ++i) {
      const std::uint32_t vc = (source.vc + i) % vcs_;
      if (outs[vc].owner != nobody || outs[vc].credits == 0) continue;
      source.vc = vc;
      source.has_vc = true;
      outs[vc].owner = node;
      outs[vc].tail_sent = false;
    }
    if (!source.has_vc) return never;  // a credit wakes it
  }
  OutputVc& out = outs[source.vc];
  if (out.credits == 0) return never;
  Travelling& p = packets_[source.first];
  const bool head = source.sent == 0, tail = source.sent + 1 == p.flits;
  if (head) p.entered = now_;
  at(now_ + 1).flits.push_back({out.downstream, source.first << packet_shift | (head ? head_bit : 0) | (tail ? tail_bit : 0)});
  --out.credits;
  ++source.sent;
  ++flits_sent_;
  --flits_queued_;
  const std::uint32_t cycles = tail ? p.last_flit_cycles : flit_cycles_;
  busy_[cube_.injection(node)] += cycles;
  source.ready = now_ + cycles;
  if (tail) {
    out.tail_sent = true;
    if (!params_.wait_for_tail_credit) out.owner = nobody;
    source.has_vc = false;
    source.sent = 0;
    source.first = p.next;
    if (source.first == nobody) source.last = nobody;
    --source.packets;
  }
  return source.first == nobody ? never : source.ready;
}

// One cycle of a router; returns when to look again unless a flit or a credit wakes it.
FlitCore::Cycle FlitCore::evaluate(std::uint32_t router) {
  wake_at_ = never;
  Lists& lists = lists_[router];
  const std::uint32_t base = router * slots_;
  vc_grants_.clear();
  switch_grants_.clear();
  const std::uint16_t heads = lists.allocating;
  if (heads > 0) allocate_vcs(router);
  if (lists.asking > 0 || (heads > 0 && params_.speculative)) allocate_switch(router);

  for (const Grant& g : vc_grants_) {
    if (params_.vc_allocation_delay == 1) {
      acquire(g.input, g.slot, now_ + 1);
    } else {
      inputs_[g.input].ready = now_ + params_.vc_allocation_delay;
      at(now_ + params_.vc_allocation_delay).vcs.push_back(g);
    }
  }
  for (const Grant& g : switch_grants_) {
    if (params_.switch_allocation_delay == 1) {
      // A speculative one is in vain if the head has no virtual channel, or one without room.
      if (inputs_[g.input].state == State::active && outputs_[base + inputs_[g.input].slot].credits > 0) pass_switch(g.input, now_);
    } else {
      InputVc& in = inputs_[g.input];
      in.ready = now_ + params_.switch_allocation_delay;
      at(now_ + params_.switch_allocation_delay).switches.push_back(g);
    }
  }

  // What is left in the lists has said when it asks again.
  std::uint16_t* const asking = &asking_[base];
  std::uint16_t kept = 0;
  for (std::uint16_t i = 0; i < lists.asking; ++i) {
    InputVc& in = inputs_[base + asking[i]];
    if (in.state == State::active && in.count > 0)
      asking[kept++] = asking[i];
    else
      in.listed = false;
  }
  lists.asking = kept;
  return wake_at_;
}

void FlitCore::allocate_vcs(std::uint32_t router) {
  const std::uint32_t base = router * slots_;
  const std::uint16_t* const heads = &allocating_[base];
  const std::uint16_t* const output_pointer = &vc_output_pointer_[base];
  for (std::uint16_t i = 0; i < lists_[router].allocating; ++i) {
    const std::uint16_t local = heads[i];
    InputVc& in = inputs_[base + local];
    if (in.ready > now_) {
      wake_at_ = std::min(wake_at_, in.ready);
      continue;
    }
    in.asked_at = now_;
    for (std::uint32_t v = in.least; v <= in.most; ++v) {
      const std::uint32_t slot = in.port * vcs_ + v;
      if (outputs_[base + slot].owner != nobody) continue;
      wake_at_ = now_ + 1;  // for those that ask in vain, and those that go on to the switch
      const std::uint16_t distance = behind(local, output_pointer[slot], slots_);
      if (best_[slot] == none) {
        touched_.push_back(static_cast<std::uint16_t>(slot));
      } else if (distance >= nearest_[slot]) {
        continue;
      }
      best_[slot] = local;
      nearest_[slot] = distance;
    }
  }
  for (const std::uint16_t slot : touched_) {
    const std::uint16_t local = best_[slot], distance = behind(slot, vc_input_pointer_[base + local], slots_);
    best_[slot] = none;
    if (accepted_[local] == none) {
      takers_.push_back(local);
    } else if (distance >= accepted_distance_[local]) {
      continue;
    }
    accepted_[local] = slot;
    accepted_distance_[local] = distance;
  }
  for (const std::uint16_t local : takers_) {
    const std::uint16_t slot = accepted_[local];
    accepted_[local] = none;
    vc_output_pointer_[base + slot] = after(local, slots_);
    vc_input_pointer_[base + local] = after(slot, slots_);
    vc_grants_.push_back({base + local, slot});
  }
  if (params_.vc_allocation_delay > 1)
    // A vain attempt takes as long.
    for (std::uint16_t i = 0; i < lists_[router].allocating; ++i)
      if (InputVc& in = inputs_[base + heads[i]]; in.ready <= now_) in.ready = now_ + params_.vc_allocation_delay;
  touched_.clear();
  takers_.clear();
}

void FlitCore::allocate_switch(std::uint32_t router) {
  const std::uint32_t base = router * slots_, first_port = router * ports_;
  const auto ask = [&](std::uint32_t local, std::uint32_t port, bool speculative) {
    const std::uint32_t input = local / vcs_, cell = input * ports_ + port;
    if (flit_cycles_ > 1) {
      const Cycle free = std::max(input_free_[first_port + input], output_free_[first_port + port]);
      if (free > now_) {
        wake_at_ = std::min(wake_at_, free);
        return;
      }
    }
    wake_at_ = now_ + 1;
    std::uint16_t& label = label_[cell];
    if (label != none) {
      // Of the virtual channels of an input that want the same output one asks: no speculative one before another, else in turn.
      const bool other = label_speculative_[cell];
      const std::uint32_t pointer = switch_vc_pointer_[first_port + input];
      if (other == speculative ? behind(local % vcs_, pointer, vcs_) >= behind(label % vcs_, pointer, vcs_) : speculative) return;
    } else {
      labels_.push_back(static_cast<std::uint16_t>(cell));
      const std::uint16_t distance = behind(input, switch_output_pointer_[first_port + port], ports_);
      if (best_[port] == none) touched_.push_back(static_cast<std::uint16_t>(port));
      if (best_[port] == none || distance < nearest_[port]) {
        best_[port] = static_cast<std::uint16_t>(input);
        nearest_[port] = distance;
      }
    }
    label = static_cast<std::uint16_t>(local);
    label_speculative_[cell] = speculative;
  };

  for (std::uint16_t i = 0; i < lists_[router].asking; ++i) {
    const std::uint16_t local = asking_[base + i];
    InputVc& in = inputs_[base + local];
    if (in.state != State::active || in.count == 0) continue;
    if (in.ready > now_) {
      wake_at_ = std::min(wake_at_, in.ready);
      continue;
    }
    if (outputs_[base + in.slot].credits == 0) continue;  // a credit wakes the router
    ask(local, in.port, false);
  }
  if (params_.speculative)
    for (std::uint16_t i = 0; i < lists_[router].allocating; ++i) {
      const std::uint16_t local = allocating_[base + i];
      const InputVc& in = inputs_[base + local];
      if (in.asked_at != now_) continue;
      for (std::uint32_t v = in.least; v <= in.most; ++v) {
        const OutputVc& out = outputs_[base + in.port * vcs_ + v];
        if (out.owner != nobody || out.credits == 0) continue;
        ask(local, in.port, true);
        break;
      }
    }

  for (const std::uint16_t port : touched_) {
    const std::uint16_t input = best_[port], distance = behind(port, switch_input_pointer_[first_port + input], ports_);
    best_[port] = none;
    if (accepted_[input] == none) {
      takers_.push_back(input);
    } else if (distance >= accepted_distance_[input]) {
      continue;
    }
    accepted_[input] = port;
    accepted_distance_[input] = distance;
  }
  for (const std::uint16_t input : takers_) {
    const std::uint16_t port = accepted_[input], local = label_[input * ports_ + port];
    accepted_[input] = none;
    switch_output_pointer_[first_port + port] = after(input, ports_);
    switch_input_pointer_[first_port + input] = after(port, ports_);
    switch_vc_pointer_[first_port + input] = after(local % vcs_, vcs_);
    switch_grants_.push_back({base + local, port});
  }
  if (params_.switch_allocation_delay > 1)
    // A vain attempt takes as long.
    for (const std::uint16_t cell : labels_)
      if (InputVc& in = inputs_[base + label_[cell]]; in.state == State::active) in.ready = now_ + params_.switch_allocation_delay;
  for (const std::uint16_t cell : labels_) label_[cell] = none;
  labels_.clear();
  touched_.clear();
  takers_.clear();
}

// A head has its output virtual channel.
void FlitCore::acquire(std::uint32_t number, std::uint32_t slot, Cycle ready) {
  const std::uint32_t router = router_of(number), base = router * slots_;
  InputVc& in = inputs_[number];
  OutputVc& out = outputs_[base + slot];
  assert(in.state == State::allocating && out.owner == nobody);
  out.owner = number;
  out.tail_sent = false;
  in.state = State::active;
  in.slot = static_cast<std::uint16_t>(slot);
  in.ready = ready;
  std::uint16_t* const heads = &allocating_[base];
  std::uint16_t& length = lists_[router].allocating;
  *std::find(heads, heads + length, static_cast<std::uint16_t>(number - base)) = heads[length - 1];
  --length;
  list(number);
}

// A flit goes through the switch, granted in cycle `when`; its buffer has room again.
void FlitCore::pass_switch(std::uint32_t number, Cycle when) {
  const std::uint32_t router = router_of(number), base = router * slots_;
  InputVc& in = inputs_[number];
  OutputVc& out = outputs_[base + in.slot];
  const Flit flit = flits_[std::size_t{number} * depth_ + in.first];
  in.first = static_cast<std::uint16_t>(ring(in, 1));
  --in.count;
  --out.credits;
  const bool tail = flit & tail_bit;
  std::uint32_t cycles = 1;
  if (flit_cycles_ > 1) {
    cycles = tail ? packets_[flit >> packet_shift].last_flit_cycles : flit_cycles_;
    input_free_[router * ports_ + (number - base) / vcs_] = when + cycles;
    output_free_[router * ports_ + in.port] = when + cycles;
  }
  const bool from_node = in.upstream >= inputs_.size();
  at(when + (from_node ? node_credit_delay : params_.link_delay + 1)).credits.push_back(in.upstream);
  if (out.downstream == nobody) {
    const Cycle there = when + params_.traversal_delay + 1 + cycles;
    at(there).out.push_back({router, flit});
    at(there + 2).credits.push_back(base + in.slot);
    busy_[cube_.ejection(router)] += cycles;
  } else {
    at(when + params_.traversal_delay + params_.link_delay + 1).flits.push_back({out.downstream, flit});
    busy_[cube_.link(router, in.port / 2, in.port % 2 == 0)] += cycles;
  }
  if (tail) {
    out.tail_sent = true;
    if (!params_.wait_for_tail_credit) {
      out.owner = nobody;
      if (lists_[router].allocating > 0) wake_at_ = now_ + 1;
    }
    in.state = State::idle;
    if (in.count > 0) begin_packet(number, when + 1 + params_.routing_delay);
  } else {
    in.ready = when + cycles;
  }
  if (in.count > 0) wake_at_ = std::min(wake_at_, std::max(in.ready, now_ + 1));
}

std::string FlitCore::buffer_name(std::uint32_t number) const {
  const std::uint32_t vc = number % vcs_, upstream = inputs_[number].upstream;
  std::uint32_t channel;
  if (upstream >= inputs_.size()) {
    channel = cube_.injection(router_of(number));
  } else {
    const std::uint32_t port = upstream % slots_ / vcs_;
    channel = cube_.link(router_of(upstream), port / 2, port % 2 == 0);
  }
  return cube_.channel_name(channel) + ", virtual channel " + std::to_string(vc);
}

// The buffer that keeps the first flit of this one where it is, or the one where the rest of its packet is.
std::uint32_t FlitCore::waits_for(std::uint32_t number) const {
  const InputVc& in = inputs_[number];
  const std::uint32_t base = router_of(number) * slots_;
  if (in.state == State::idle) return nobody;
  if (in.state == State::active) {
    if (in.count > 0) return outputs_[base + in.slot].downstream;
    return in.upstream < inputs_.size() ? outputs_[in.upstream].owner : nobody;
  }
  for (std::uint32_t v = in.least; v <= in.most; ++v)
    if (const std::uint32_t there = outputs_[base + in.port * vcs_ + v].downstream; there != nobody && inputs_[there].count > 0) return there;
  return outputs_[base + in.port * vcs_ + in.least].owner;
}

std::vector<std::string> FlitCore::waiting_circle() const {
  std::vector<std::uint32_t> order, place(inputs_.size(), nobody);
  std::vector<std::string> lines;
  for (std::uint32_t start = 0; start < inputs_.size(); ++start) {
    if (inputs_[start].count == 0 || place[start] != nobody) continue;
    order.clear();
    std::uint32_t at = start;
    for (; at != nobody && place[at] == nobody; at = waits_for(at)) {
      place[at] = static_cast<std::uint32_t>(order.size());
      order.push_back(at);
    }
    if (at == nobody || place[at] >= order.size() || order[place[at]] != at) continue;  // led to what was looked at before
    for (std::size_t i = place[at]; i < order.size(); ++i) {
      const InputVc& in = inputs_[order[i]];
      std::string line = "the buffer of " + buffer_name(order[i]) + ", ";
      if (in.count == 0) {
        line += "empty, waits for the rest of its packet";
      } else {
        const Travelling& p = packets_[flits_[std::size_t{order[i]} * depth_ + in.first] >> packet_shift];
        line += std::to_string(in.count) + " flits, first of a packet from router " + std::to_string(p.from) + " to router " +
                std::to_string(p.to) + ", waits";
      }
      lines.push_back(line + " for that of " + buffer_name(i + 1 < order.size() ? order[i + 1] : at));
    }
    return lines;
  }
  return lines;
}

bool FlitCore::consistent() const {
  // Every place of every buffer is a credit at its sender, a flit in it, or one of either under way.
  std::vector<std::uint32_t> places(outputs_.size());
  std::uint64_t inside = 0;
  for (std::uint32_t o = 0; o < outputs_.size(); ++o) {
    places[o] = outputs_[o].credits;
    if (const std::uint32_t there = outputs_[o].downstream; there != nobody) {
      places[o] += inputs_[there].count;
      inside += inputs_[there].count;
    }
  }
  for (const Moment& m : wheel_) {
    for (const FlitEvent& e : m.flits) ++places[inputs_[e.where].upstream];
    for (const std::uint32_t o : m.credits) ++places[o];
    inside += m.flits.size() + m.out.size();
  }
  for (std::uint32_t o = 0; o < outputs_.size(); ++o)
    if (places[o] != depth_) return false;
  return inside == flits_sent_ - flits_delivered_;
}

}  // namespace sunstar::network
