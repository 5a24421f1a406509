// SPDX-License-Identifier: MIT
#include "models/network/cube/flit_core.h"

#include <algorithm>
#include <bit>

namespace sunstar::network {

FlitCore::FlitCore(Cube cube, const RouterParams& params, std::uint32_t flit_cycles)
    : cube_(std::move(cube)),
      params_(params),
      flit_cycles_(flit_cycles),
      rule_(&network::vc_class_rule(params.vc_class_rule)),
      classes_(rule_->classes && cube_.topology() == Topology::torus),
      ports_(2 * cube_.dimensions() + 1),
      vcs_(params.virtual_channels),
      slots_(ports_ * vcs_),
      depth_(params.buffer_flits),
      by_vcs_(vcs_),
      by_slots_(slots_) {
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
      // An input port has the number of the output port that feeds it: the port of the direction of travel.
      if (!cube_.has_link(r, port / 2, port % 2 == 0)) continue;
      const std::uint32_t there = cube_.neighbour(r, port / 2, port % 2 == 0);
      for (std::uint32_t v = 0; v < vcs_; ++v)
        connect(std::size_t{r} * slots_ + port * vcs_ + v, std::size_t{there} * slots_ + port * vcs_ + v);
    }
    for (std::uint32_t v = 0; v < vcs_; ++v)
      connect(inputs_.size() + std::size_t{r} * vcs_ + v, std::size_t{r} * slots_ + (ports_ - 1) * vcs_ + v);
  }

  const std::uint32_t furthest = std::max(
      {params_.traversal_delay + params_.link_delay + 1, params_.traversal_delay + 4 + flit_cycles_, flit_cycles_ + 1,
       params_.vc_allocation_delay, params_.switch_allocation_delay, params_.routing_delay + 1});
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
  const std::uint32_t number = take_entry(packets_, free_packets_);
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
  // Cycles from the grant of the switch to a flit until the grant to the flit that takes its place in the next buffer
  // (a router's or, without links, the node's).
  const Cycle link = hops > 0 ? params_.link_delay : 1;
  const Cycle round_trip = params_.traversal_delay + 2 * link + 1 + params_.switch_allocation_delay,
              buffer = Cycle{depth_} * flit_cycles_;
  const Cycle stops = round_trip > buffer ? (packet.flits - 1) / depth_ * (round_trip - buffer) : 0;
  return (hops + 1) * Cycle{params_.cycles_per_hop()} + 1 - params_.link_delay +
         (packet.flits - 1) * Cycle{flit_cycles_} + packet.last_flit_cycles + stops;
}

FlitCore::Cycle FlitCore::next() const {
  if (!awake_.empty() || !awake_next_.empty()) return now_;
  if (events_ == 0) return never;
  for (Cycle c = now_;; ++c) {
    const Moment& m = wheel_[c & wheel_mask_];
    if (!m.flits.empty() || !m.out.empty() || !m.credits.empty() || !m.wakes.empty() || !m.vcs.empty() ||
        !m.switches.empty())
      return c;
  }
}

// Wakes a router or node for this cycle; awake_next_ has the routers and nodes for the next cycle.
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
  // Routers and nodes still awake after the last cycle, or woken by send().
  awake_.insert(awake_.end(), awake_next_.begin(), awake_next_.end());
  awake_next_.clear();

  Moment& moment = wheel_[now_ & wheel_mask_];
  events_ -= moment.flits.size() + moment.out.size() + moment.credits.size() + moment.wakes.size() + moment.vcs.size() +
             moment.switches.size();
  // Allocations that ended with the last cycle. Meanwhile the virtual channel may have been taken or the buffer filled.
  for (const Grant& g : moment.vcs) {
    if (outputs_[std::size_t{router_of(g.input)} * slots_ + g.slot].owner == nobody) acquire(g.input, g.slot, now_);
    wake(router_of(g.input));
  }
  for (const Grant& g : moment.switches) {
    if (inputs_[g.input].state == State::active &&
        outputs_[std::size_t{router_of(g.input)} * slots_ + inputs_[g.input].slot].credits > 0)
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

// The first flit of the buffer is a head: finds its way and adds it to the heads that ask for a virtual channel.
void FlitCore::begin_packet(std::uint32_t number, Cycle ready) {
  InputVc& in = inputs_[number];
  const std::uint32_t router = router_of(number);
  Travelling& p = packets_[flits_[std::size_t{number} * depth_ + in.first] >> packet_shift];
  const Cube::Step step = cube_.next_step(router, p.to, {static_cast<std::uint32_t>(p.random), p.forced});
  in.least = 0;
  in.most = static_cast<std::uint8_t>(vcs_ - 1);
  if (step.dimension == cube_.dimensions()) {
    in.port = static_cast<std::uint8_t>(ports_ - 1);
  } else {
    in.port = static_cast<std::uint8_t>(2 * step.dimension + (step.up ? 0 : 1));
    ++p.hops;
    if (classes_) {
      const std::uint32_t d = step.dimension;
      p.vc_class = rule_->choose({cube_.coordinate(router, d), cube_.coordinate(p.to, d), cube_.shape()[d], step.up,
                                  p.dimension != d, p.vc_class, (p.random >> (32 + d) & 1) != 0});
      p.dimension = d;
      (p.vc_class == 0 ? in.most : in.least) =
          static_cast<std::uint8_t>(p.vc_class == 0 ? vcs_ - 1 - vcs_ / 2 : vcs_ / 2);
    }
  }
  in.state = State::allocating;
  in.ready = ready;
  allocating_[std::size_t{router} * slots_ + lists_[router].allocating++] =
      static_cast<std::uint16_t>(number - router * slots_);
}

void FlitCore::list(std::uint32_t number) {
  InputVc& in = inputs_[number];
  if (in.listed) return;
  in.listed = true;
  const std::uint32_t router = router_of(number);
  asking_[std::size_t{router} * slots_ + lists_[router].asking++] =
      static_cast<std::uint16_t>(number - router * slots_);
}

void FlitCore::give_credit(std::uint32_t output) {
  OutputVc& out = outputs_[output];
  ++out.credits;
  assert(out.credits <= depth_);
  if (params_.wait_for_tail_credit && out.tail_sent && out.credits == depth_) {
    out.owner = nobody;
    show_owner(output, nullptr, now_);
  }
  if (output >= inputs_.size())
    return wake(cube_.routers() + by_vcs_(static_cast<std::uint32_t>(output - inputs_.size())));
  const std::uint32_t router = router_of(output);
  const Lists& lists = lists_[router];
  if (lists.asking > 0 || lists.allocating > 0) wake(router);
}

void FlitCore::take_out(const FlitEvent& event) {
  ++flits_delivered_;
  if (!(event.flit & tail_bit)) return;
  const std::uint32_t number = event.flit >> packet_shift;
  arrivals_.push_back({packets_[number].tag, packets_[number].entered, packets_[number].hops});
  free_packets_.push_back(number);
  --packets_under_way_;
}

std::uint32_t FlitCore::channel_of(std::uint32_t output) const {
  if (output >= inputs_.size()) return cube_.injection((output - static_cast<std::uint32_t>(inputs_.size())) / vcs_);
  const std::uint32_t router = router_of(output), port = output % slots_ / vcs_;
  return port + 1 == ports_ ? cube_.ejection(router) : cube_.link(router, port / 2, port % 2 == 0);
}

// Sends one flit of a node; returns when to look again.
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
      show_owner(static_cast<std::uint32_t>(inputs_.size()) + node * vcs_ + vc, &packets_[source.first], now_);
    }
    if (!source.has_vc) return never;  // a credit wakes it
  }
  OutputVc& out = outs[source.vc];
  if (out.credits == 0) return never;
  Travelling& p = packets_[source.first];
  const bool head = source.sent == 0, tail = source.sent + 1 == p.flits;
  if (head) p.entered = now_;
  at(now_ + 1).flits.push_back(
      {out.downstream, source.first << packet_shift | (head ? head_bit : 0) | (tail ? tail_bit : 0)});
  --out.credits;
  ++source.sent;
  ++flits_sent_;
  --flits_queued_;
  const std::uint32_t cycles = tail ? p.last_flit_cycles : flit_cycles_;
  busy_[cube_.injection(node)] += cycles;
  source.ready = now_ + cycles;
  if (tail) {
    out.tail_sent = true;
    if (!params_.wait_for_tail_credit) {
      out.owner = nobody;
      show_owner(static_cast<std::uint32_t>(inputs_.size()) + node * vcs_ + source.vc, nullptr, now_ + 1);
    }
    source.has_vc = false;
    source.sent = 0;
    source.first = p.next;
    if (source.first == nobody) source.last = nobody;
    --source.packets;
  }
  if (observer_) observer_->passes(cube_.injection(node), p, now_, cycles);
  return source.first == nobody ? never : source.ready;
}

// Below: the circle of buffers that wait for one another.

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

// The buffer that keeps the first flit of this one from moving; for an empty one, the buffer with the rest of its
// packet.
std::uint32_t FlitCore::waits_for(std::uint32_t number) const {
  const InputVc& in = inputs_[number];
  const std::uint32_t base = router_of(number) * slots_;
  if (in.state == State::idle) return nobody;
  if (in.state == State::active) {
    if (in.count > 0) return outputs_[base + in.slot].downstream;
    return in.upstream < inputs_.size() ? outputs_[in.upstream].owner : nobody;
  }
  for (std::uint32_t v = in.least; v <= in.most; ++v)
    if (const std::uint32_t there = outputs_[base + in.port * vcs_ + v].downstream;
        there != nobody && inputs_[there].count > 0)
      return there;
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
    if (at == nobody || place[at] >= order.size() || order[place[at]] != at)
      continue;  // led to buffers visited from an earlier start
    for (std::size_t i = place[at]; i < order.size(); ++i) {
      const InputVc& in = inputs_[order[i]];
      std::string line = "the buffer of " + buffer_name(order[i]) + ", ";
      if (in.count == 0) {
        line += "empty, waits for the rest of its packet";
      } else {
        const Travelling& p = packets_[flits_[std::size_t{order[i]} * depth_ + in.first] >> packet_shift];
        line += std::to_string(in.count) + " flits, first of a packet from router " + std::to_string(p.from) +
                " to router " + std::to_string(p.to) + ", waits";
      }
      lines.push_back(line + " for that of " + buffer_name(i + 1 < order.size() ? order[i + 1] : at));
    }
    return lines;
  }
  return lines;
}

}  // namespace sunstar::network
