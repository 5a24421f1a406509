// SPDX-License-Identifier: MIT
#include "models/network/worm_core.h"

#include <algorithm>

namespace sunstar::network {

WormCore::WormCore(Cube cube, Timing timing, const VcClassRule& rule)
    : cube_(std::move(cube)),
      timing_(timing),
      rule_(rule),
      classes_(rule.classes && cube_.topology() == Topology::torus),
      static_classes_(classes_ && rule.choose == vc_class_rule("static").choose),
      buffer_time_(timing.link_bandwidth.time_for(timing.buffer_bytes)),
      channels_(cube_.channels()) {
  path_.resize(cube_.diameter() + 2);
}

// When a head that comes at `head` enters the channel; notes the step.
inline Time WormCore::reserve(Channel& channel, std::uint32_t vc, std::uint32_t came_from, Time head, Duration length) {
  // std::max, being given references, would keep the times in memory.
  Time start = channel.gap_begin > head ? channel.gap_begin : head;
  How how = in_gap;
  if (start + length > channel.gap_end) {
    how = behind;
    start = channel.free[vc] > head ? channel.free[vc] : head;
    if (channel.wire > start) {
      const Duration rest = channel.wire - start;
      if (channel.came_from != came_from) {
        // In the other virtual channel the one before is passing still: they take turns, and the shorter part is over first.
        how = beside;
        Worm& before = worms_[channel.ticket];
        if (before.number == channel.number) before.late += rest < length ? rest : length;
        start += rest < length ? rest : length;
      } else {
        start = channel.wire;
      }
    }
  }
  *end_++ = {&channel, start, vc, came_from, how};
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
      const bool ejection = core.end_ != core.path_.data();
      head = core.reserve(channel, ejection && channel.free[1] < channel.free[0], ejection ? came_from : channel.came_from, head, length) + core.timing_.router_delay;
    }
    void operator()(std::uint32_t number, const Cube::RouteLink& link) {
      Channel& channel = core.channels_[number];
      if (core.static_classes_)  // the default, without a call
        vc = link.entering ? link.there < link.here : vc;
      else if (core.classes_)
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
    const Time end = step->start + length;
    if (step->how == in_gap) {
      // The larger of what is left on both sides.
      if (step->start - channel.gap_begin > channel.gap_end - end)
        channel.gap_end = step->start;
      else
        channel.gap_begin = end;
      continue;
    }
    channel.free[step->vc] = step == last || step == path_.data() ? tail : tail + timing_.turnaround;
    if (step->how == beside) {
      const bool before_first = end < channel.wire;
      channel.wire += length;
      if (before_first) continue;  // the one it passed beside is still the one to share with
      if (channel.wire > end) channel.wire = end;
    } else {
      const Time gap_begin = channel.gap_begin > when ? channel.gap_begin : when;
      if (step->start - channel.wire >= channel.gap_end - gap_begin) {
        channel.gap_begin = channel.wire;
        channel.gap_end = step->start;
      }
      channel.wire = end;
    }
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
