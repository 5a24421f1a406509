// SPDX-License-Identifier: MIT
// One cycle of a router: its two allocators and its switch.
#include <algorithm>

#include "models/network/cube/flit_core.h"

namespace sunstar::network {

namespace {
// Cycles of a credit on its way to a node: the channel, and a register at each end.
constexpr std::uint32_t node_credit_delay = 3;

/// How many places `place` comes after a round-robin pointer.
std::uint16_t behind(std::uint32_t place, std::uint32_t pointer, std::uint32_t places) {
  return static_cast<std::uint16_t>(place >= pointer ? place - pointer : place + places - pointer);
}
std::uint16_t after(std::uint32_t place, std::uint32_t places) {
  return static_cast<std::uint16_t>(place + 1 == places ? 0 : place + 1);
}
}  // namespace

// Simulates one cycle of a router; returns when to look again unless a flit or a credit wakes it earlier.
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
      // A speculative grant is wasted if the head has no virtual channel, or its virtual channel has no room.
      if (inputs_[g.input].state == State::active && outputs_[base + inputs_[g.input].slot].credits > 0)
        pass_switch(g.input, now_);
    } else {
      InputVc& in = inputs_[g.input];
      in.ready = now_ + params_.switch_allocation_delay;
      at(now_ + params_.switch_allocation_delay).switches.push_back(g);
    }
  }

  // Each flit that stays in the list has already set wake_at_ to the time at which it asks again.
  std::uint16_t* const asking = &asking_[base];
  std::uint16_t kept = 0;
  for (std::uint16_t i = 0; i < lists.asking; ++i) {
    InputVc& in = inputs_[base + asking[i]];
    if (in.state == State::active && in.count > 0) asking[kept++] = asking[i];
    else in.listed = false;
  }
  lists.asking = kept;
  return wake_at_;
}

// An output keeps the request that is next in its turn.
void FlitCore::request(std::uint32_t output, std::uint32_t input, std::uint16_t distance) {
  if (best_[output] == none) touched_.push_back(static_cast<std::uint16_t>(output));
  else if (distance >= nearest_[output]) return;
  best_[output] = static_cast<std::uint16_t>(input);
  nearest_[output] = distance;
}

// Of the outputs that chose its request, an input accepts the next in its turn.
void FlitCore::accept(const std::uint16_t* pointers, std::uint32_t places) {
  for (const std::uint16_t output : touched_) {
    const std::uint16_t input = best_[output], distance = behind(output, pointers[input], places);
    best_[output] = none;
    if (accepted_[input] == none) takers_.push_back(input);
    else if (distance >= accepted_distance_[input]) continue;
    accepted_[input] = output;
    accepted_distance_[input] = distance;
  }
  touched_.clear();
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
      wake_at_ = now_ + 1;  // for heads that were refused, and heads that now ask for the switch
      request(slot, local, behind(local, output_pointer[slot], slots_));
    }
  }
  accept(&vc_input_pointer_[base], slots_);
  for (const std::uint16_t local : takers_) {
    const std::uint16_t slot = accepted_[local];
    accepted_[local] = none;
    vc_output_pointer_[base + slot] = after(local, slots_);
    vc_input_pointer_[base + local] = after(slot, slots_);
    vc_grants_.push_back({base + local, slot});
  }
  if (params_.vc_allocation_delay > 1)
    // An attempt in vain takes as long.
    for (std::uint16_t i = 0; i < lists_[router].allocating; ++i)
      if (InputVc& in = inputs_[base + heads[i]]; in.ready <= now_) in.ready = now_ + params_.vc_allocation_delay;
  takers_.clear();
}

void FlitCore::allocate_switch(std::uint32_t router) {
  const std::uint32_t base = router * slots_, first_port = router * ports_;
  const auto both_free = [&](std::uint32_t input, std::uint32_t port) {
    if (flit_cycles_ > 1) {
      const Cycle free = std::max(input_free_[first_port + input], output_free_[first_port + port]);
      if (free > now_) {
        wake_at_ = std::min(wake_at_, free);
        return false;
      }
    }
    wake_at_ = now_ + 1;
    return true;
  };
  const auto may_ask = [&](InputVc& in) {
    if (in.state != State::active || in.count == 0) return false;
    if (in.ready > now_) {
      wake_at_ = std::min(wake_at_, in.ready);
      return false;
    }
    return outputs_[base + in.slot].credits > 0;  // otherwise a credit wakes the router
  };
  const Lists& lists = lists_[router];
  if (lists.asking == 1 && (lists.allocating == 0 || !params_.speculative)) {  // no competitors
    const std::uint32_t local = asking_[base], input = by_vcs_(local);
    InputVc& in = inputs_[base + local];
    if (!may_ask(in) || !both_free(input, in.port)) return;
    grant_switch(router, input, in.port, local);
    if (params_.switch_allocation_delay > 1) in.ready = now_ + params_.switch_allocation_delay;
    return;
  }
  const auto ask = [&](std::uint32_t local, std::uint32_t port, bool speculative) {
    const std::uint32_t input = by_vcs_(local), cell = input * ports_ + port;
    if (!both_free(input, port)) return;
    std::uint16_t& label = label_[cell];
    if (label != none) {
      // If several virtual channels of an input want the same output, one asks: non-speculative before speculative,
      // otherwise in turn.
      const bool other = label_speculative_[cell];
      const std::uint32_t pointer = switch_vc_pointer_[first_port + input];
      const std::uint32_t first = input * vcs_;
      if (other == speculative ? behind(local - first, pointer, vcs_) >= behind(label - first, pointer, vcs_)
                               : speculative)
        return;
    } else {
      labels_.push_back(static_cast<std::uint16_t>(cell));
      request(port, input, behind(input, switch_output_pointer_[first_port + port], ports_));
    }
    label = static_cast<std::uint16_t>(local);
    label_speculative_[cell] = speculative;
  };

  for (std::uint16_t i = 0; i < lists.asking; ++i) {
    const std::uint16_t local = asking_[base + i];
    if (InputVc& in = inputs_[base + local]; may_ask(in)) ask(local, in.port, false);
  }
  if (params_.speculative)
    for (std::uint16_t i = 0; i < lists.allocating; ++i) {
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

  accept(&switch_input_pointer_[first_port], ports_);
  for (const std::uint16_t input : takers_) {
    const std::uint16_t port = accepted_[input], local = label_[input * ports_ + port];
    accepted_[input] = none;
    grant_switch(router, input, port, local);
  }
  if (params_.switch_allocation_delay > 1)
    // An attempt in vain takes as long.
    for (const std::uint16_t cell : labels_)
      if (InputVc& in = inputs_[base + label_[cell]]; in.state == State::active)
        in.ready = now_ + params_.switch_allocation_delay;
  for (const std::uint16_t cell : labels_) label_[cell] = none;
  labels_.clear();
  takers_.clear();
}

void FlitCore::grant_switch(std::uint32_t router, std::uint32_t input, std::uint32_t port, std::uint32_t local) {
  const std::uint32_t first_port = router * ports_;
  switch_output_pointer_[first_port + port] = after(input, ports_);
  switch_input_pointer_[first_port + input] = after(port, ports_);
  switch_vc_pointer_[first_port + input] = after(local - input * vcs_, vcs_);
  switch_grants_.push_back({router * slots_ + local, static_cast<std::uint16_t>(port)});
}

// A head gets its output virtual channel.
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
  show_owner(base + slot, &packets_[flits_[std::size_t{number} * depth_ + in.first] >> packet_shift], now_);
}

// A flit goes through the switch, which was granted in cycle `when`; its buffer has room again.
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
    input_free_[router * ports_ + by_vcs_(number - base)] = when + cycles;
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
  if (observer_) observer_->passes(channel_of(base + in.slot), packets_[flit >> packet_shift], when, cycles);
  if (tail) {
    out.tail_sent = true;
    if (!params_.wait_for_tail_credit) {
      out.owner = nobody;
      show_owner(base + in.slot, nullptr, when + 1);
      if (lists_[router].allocating > 0) wake_at_ = now_ + 1;
    }
    in.state = State::idle;
    if (in.count > 0) begin_packet(number, when + 1 + params_.routing_delay);
  } else {
    in.ready = when + cycles;
  }
  if (in.count > 0) wake_at_ = std::min(wake_at_, std::max(in.ready, now_ + 1));
}

}  // namespace sunstar::network
