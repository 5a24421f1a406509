// SPDX-License-Identifier: MIT
#include "models/network/worm_core.h"

#include <algorithm>

namespace sunstar::network {

WormCore::WormCore(Cube cube, Timing timing, const VcClassRule& rule)
    : cube_(std::move(cube)),
      timing_(timing),
      rule_(rule),
      classes_(rule.classes && cube_.topology() == Topology::torus),
      buffer_time_(timing.link_bandwidth.time_for(timing.buffer_bytes)),
      channels_(cube_.channels()) {
  path_.resize(cube_.diameter() + 2);
}

// When a head that comes at `head` enters the channel; notes the step.
Time WormCore::reserve(Channel& channel, std::uint32_t vc, std::uint32_t came_from, Time head, Duration length) {
  // std::max, being given references, would keep the times in memory.
  Time start = channel.gap_begin > head ? channel.gap_begin : head;
  const bool in_gap = start + length <= channel.gap_end;
  if (!in_gap) {
    start = channel.free[vc] > head ? channel.free[vc] : head;
    if (channel.wire > start) start = channel.wire;
  }
  if (channel.wire > head && channel.came_from != came_from) {
    // In the other virtual channel the one before is passing still: they take turns from now on.
    Worm& before = worms_[channel.ticket];
    if (before.number == channel.number) {
      const Duration rest = channel.wire - head;
      before.late += rest < length ? rest : length;
    }
  }
  *end_++ = {&channel, start, vc, came_from, in_gap};
  return start;
}

WormCore::Passage WormCore::inject(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when, std::uint64_t random) {
  if (bytes != last_bytes_) {
    last_bytes_ = bytes;
    last_length_ = timing_.link_bandwidth.time_for(bytes);
  }
  const Duration length = last_length_, router_delay = timing_.router_delay;
  end_ = path_.data();
  Time head = when;
  std::uint32_t vc = 0, came_from = nobody;
  struct Visitor {
    WormCore& core;
    Time& head;
    std::uint32_t &vc, &came_from;
    Duration length;
    std::uint64_t random;
    // The injection channel, which a worm finds free, and the ejection channel, where any two of different origin share the wire.
    void operator()(std::uint32_t number) {
      Channel& channel = core.channels_[number];
      const std::uint32_t origin = core.end_ == core.path_.data() ? channel.came_from : came_from;
      head = core.reserve(channel, 0, origin, head, length) + core.timing_.router_delay;
    }
    void operator()(std::uint32_t number, const Cube::RouteLink& link) {
      Channel& channel = core.channels_[number];
      if (core.classes_)
        vc = core.rule_.choose({link.here, link.there, core.cube_.shape()[link.dimension], link.up, link.entering, vc,
                                (random >> (32 + link.dimension) & 1) != 0});
      else
        vc = channel.free[1] < channel.free[0];
      came_from = 2 * number + vc;
      head = core.reserve(channel, vc, came_from, head, length) + core.timing_.router_delay;
    }
  };
  cube_.route(from, to, static_cast<std::uint32_t>(random), Visitor{*this, head, vc, came_from, length, random});
  // The head enters the ejection channel one router delay after the last link: take back the one added for it.
  head -= router_delay;

  Ticket ticket;
  if (free_tickets_.empty()) {
    ticket = static_cast<Ticket>(worms_.size());
    worms_.emplace_back();
  } else {
    ticket = free_tickets_.back();
    free_tickets_.pop_back();
  }
  worms_[ticket] = {Duration{}, ++number_};

  // Tails, from the destination back: a tail leaves a channel when its bytes have passed and the rest of the
  // worm ahead of it has moved on far enough for the next buffer to take it.
  const Time arrival = head + length;
  Time tail = arrival;
  const Step* const last = end_ - 1;
  for (Step* step = end_; step-- != path_.data();) {
    const Time moved_on = tail - router_delay - buffer_time_;
    tail = step->start + length;
    if (moved_on > tail) tail = moved_on;
    Channel& channel = *step->channel;
    channel.busy += length;
    if (observer_) [[unlikely]]
      observer_(static_cast<std::uint32_t>(&channel - channels_.data()), step->start, tail);
    if (step->in_gap) {
      // The larger of what is left on both sides.
      if (step->start - channel.gap_begin > channel.gap_end - (step->start + length))
        channel.gap_end = step->start;
      else
        channel.gap_begin = step->start + length;
      continue;
    }
    const Time gap_begin = channel.gap_begin > when ? channel.gap_begin : when;
    if (step->start - channel.wire >= channel.gap_end - gap_begin) {
      channel.gap_begin = channel.wire;
      channel.gap_end = step->start;
    }
    channel.wire = step->start + length;
    channel.free[step->vc] = step == last || step == path_.data() ? tail : tail + timing_.turnaround;
    channel.came_from = step->came_from;
    channel.ticket = ticket;
    channel.number = number_;
  }
  return {head, arrival, static_cast<std::uint32_t>(end_ - path_.data() - 2), ticket};
}

Duration WormCore::late(Ticket ticket) {
  Worm& worm = worms_[ticket];
  const Duration late = worm.late;
  worm.late = {};
  if (late == Duration{}) {
    worm.number = 0;
    free_tickets_.push_back(ticket);
  }
  return late;
}

}  // namespace sunstar::network
