// SPDX-License-Identifier: MIT
#include "models/network/worm/worm_core.h"

#include <algorithm>
#include <cassert>

namespace sunstar::network {

WormCore::WormCore(std::uint32_t channels, Timing timing)
    : timing_(timing),
      buffer_time_(timing.link_bandwidth.time_for(timing.buffer_bytes)),
      channels_(channels),
      buffers_(timing.in_order ? virtual_channels * std::size_t{channels} : 0),
      switched_(timing.credits ? channels : 0),
      into_switch_(timing.in_order ? channels : 0) {
  for (Channel& channel : channels_) channel.delay = timing.router_delay;
}

Duration WormCore::without_credit(std::uint32_t channel, Time now) {
  Switched& c = switched_[channel];
  for (; !c.back.empty() && c.back.front().first <= now; c.back.pop_front()) c.out -= c.back.front().second;
  return c.out;
}

// The last worm's tail leaves the buffer behind the step at `when`: the next one is first.
void WormCore::empties(const Step& before, Time when) {
  Buffer& b = buffer(before);
  b.empty = when;
  if (b.first == nobody || when == unknown) return;
  const Ticket next = b.first;
  b.first = worms_[next].behind;
  wait(next, std::max(worms_[next].head, when));
}

// The head enters the channel of the step and moves on to the next step. Returns false if it has to wait.
template <bool steps>
inline bool WormCore::reserve(Step& step, Head& head, Entry entry) {
  Channel& channel = channels_[step.channel];
  const Time free = channel.free[step.vc];
  // Not std::max: it takes references, which would keep the times in memory.
  Time start = channel.gap_begin > head.at ? channel.gap_begin : head.at;
  step.place = Place::in_gap;
  if (start + head.length > channel.gap_end || entry == Entry::granted || free == unknown) {
    if (entry == Entry::when_free && (free > head.at || (channel.called >> step.vc & 1) != 0)) return false;
    step.place = Place::behind;
    start = free > head.at ? free : head.at;
    if (channel.wire > start) {
      if (channel.lane != step.lane) {
        step.place = Place::beside;
        const Duration more = share(channel, start, head.length);
        if (more > head.stretch) head.stretch = more;
      } else {
        start = channel.wire;
      }
    }
  }
  if constexpr (steps) slow_down(step, head, start, entry);
  step.start = start;
  step.stretch = head.stretch;
  head.at = start + (steps ? channel.delay : timing_.router_delay);
  return true;
}

// What makes the bytes of a worm that goes step by step take longer: another worm on its way into the switch, and a
// slow channel.
[[gnu::noinline]] void WormCore::slow_down(const Step& step, Head& head, Time start, Entry entry) {
  Duration more = channels_[step.channel].slow ? more_time(step.channel, head.length) : Duration{};
  if (timing_.in_order && entry != Entry::reserved) {
    // Both virtual channels of an input have one way into the switch. Worms that take turns on the link take the same
    // turns there, if their bytes pass as they come.
    const Step& before = (&step)[-1];
    const Wire& way = into_switch_[before.channel];
    if (way.wire > start && way.lane != before.vc && !(way.streams && head.streams))
      more = std::max(more, share(way, start, head.length));
  }
  head.stretch = std::max(head.stretch, more);
}

// How much longer bytes take on a slow channel than the time of their length.
Duration WormCore::more_time(std::uint32_t channel, Duration length) const {
  return Duration{static_cast<std::int64_t>(static_cast<double>(length.count()) * switched_[channel].slower)};
}

// Bytes of another virtual channel are still passing: the two worms take turns, and the shorter one ends first. Returns
// the second worm's extra time.
Duration WormCore::share(const Wire& wire, Time start, Duration length) {
  const Duration rest = wire.wire - start;
  const Worm& before = worms_[wire.ticket];
  const bool there = before.number == wire.number;
  // A worm that has shared a wire itself goes at half the rate first, then at the full rate to its end.
  const Duration at_full_rate = before.length > before.stretch ? before.length - before.stretch : Duration{};
  const Duration left = there && rest > at_full_rate ? at_full_rate + (rest - at_full_rate) / 2 : rest;
  const Duration both = left < length ? left : length;
  if (there && left + both > rest) delay(wire.ticket, left + both - rest, start, wire);
  return both;
}

// The worm has to share a wire from `now` on: its tail leaves every remaining channel later, as far as buffers before
// the wire do not take the bytes.
void WormCore::delay(Ticket ticket, Duration by, Time now, const Wire& where) {
  Worm& worm = worms_[ticket];
  const bool waits = worm.at != worm.steps;
  if (waits && !timing_.credits) return;  // its bytes stand still, as most bytes do if buffers are small
  if (!waits) worm.late += by;
  worm.stretch += by;
  Step* const begin = path(ticket);
  bool before = false;
  for (Step* step = begin + worm.at; step-- != begin;) {
    if (before && step->end > now) by = step[1].end - channels_[step->channel].delay - buffer_time_ - step->end;
    if (by <= Duration{}) break;
    if (timing_.step_by_step && step->end > now) step->end += by;
    before |=
        timing_.step_by_step && (&where == &channels_[step->channel] ||
                                 (step != begin && timing_.in_order && &where == &into_switch_[step[-1].channel]));
    if (step->free == unknown) continue;
    if (step->free <= now) break;
    Channel& channel = channels_[step->channel];
    if (channel.ticket == ticket && channel.number == worm.number) channel.wire += by;
    if (timing_.in_order && step != begin)
      if (Wire& way = into_switch_[step[-1].channel]; way.ticket == ticket && way.number == worm.number) {
        way.wire += by;
        way.streams = false;
      }
    if (step->place == Place::in_gap) continue;
    Time& free = channel.free[step->vc];
    if (free == step->free) free += by;  // otherwise the next worm has the virtual channel already
    step->free += by;
  }
}

// The worm has reserved the steps from `first` to where it is. Works out when its tail leaves these steps, and the
// earlier ones that it has kept.
template <bool steps, bool through>
[[gnu::always_inline]] inline WormCore::Passage WormCore::settle(Ticket ticket, std::uint32_t first, const Head& head,
                                                                 Time when) {
  const bool in_order = steps && timing_.in_order;
  Worm& worm = worms_[ticket];
  worm.stretch = head.stretch;
  const Duration length = head.length;
  const bool waits = !through && worm.at != worm.steps;
  Step* const begin = path(ticket);
  // The head enters the ejection channel one router delay after the last link: take back the delay added for it.
  const auto delay = [&](const Step& at) { return steps ? channels_[at.channel].delay : timing_.router_delay; };
  const Time head_out = head.at - delay(begin[worm.at - 1]), arrival = head_out + length + head.stretch;

  // From the head backwards: the tail leaves a channel when the worm's bytes have passed and the bytes ahead have moved
  // on far enough for the next buffer to take the rest. If the head waits, that time is known only where the buffers
  // ahead hold the whole worm.
  Time tail = arrival;
  Duration stretch = head.stretch, room{};
  Step* step = begin + worm.at;
  // A head that asks for its channel only when it is there waits until then, but the bytes behind it flow if the
  // channel will be free.
  const bool flows = steps && waits && channels_[step->channel].free[step->vc] <= head.at;
  const auto when_left = [&](Time end) {
    if (waits) {
      room += buffer_time_;
      return room < length ? unknown : end;
    }
    const Time moved_on = tail - delay(*step) - buffer_time_;
    return tail = moved_on > end ? moved_on : end;
  };
  Step* const last = begin + worm.steps - 1;
  const auto leave = [&](Step& left, Time tail_left) {
    if (!through && observer_ && tail_left != unknown) [[unlikely]]
      observer_(left.channel, tail_left, -1);
    if (in_order && &left != begin)
      empties(*(&left - 1), tail_left == unknown ? unknown : tail_left + timing_.turnaround);
    const bool at_once = &left == begin || (&left == last && !in_order);
    left.free = at_once || tail_left == unknown ? tail_left : tail_left + timing_.turnaround;
    if (left.place == Place::in_gap) return;
    Channel& channel = channels_[left.channel];
    channel.free[left.vc] = left.free;
    if (channel.waiting != nobody && tail_left != unknown) [[unlikely]]
      call(left.channel, left.vc);
  };
  while (step != begin + first) {
    --step;
    if constexpr (!through) {
      stretch -= buffer_time_;
      if (step->stretch > stretch) stretch = step->stretch;
    }
    Time end = step->start + length + stretch;
    if constexpr (steps) step->end = end;
    const Time tail_left = when_left(end);
    if (tail_left == unknown && !flows) end = step->start + room;
    Channel& channel = channels_[step->channel];
    channel.busy += length;
    if constexpr (steps) {
      if (channel.slow) channel.busy += more_time(step->channel, length);
      if (step != last) switched_[step->channel].out += length;
    }
    if (!through && observer_) [[unlikely]]
      observer_(step->channel, step->start, +1);
    if (step->place == Place::in_gap) {
      // Keep the larger of the two remaining gaps.
      if (step->start - channel.gap_begin > channel.gap_end - end) channel.gap_end = step->start;
      else channel.gap_begin = end;
    } else {
      if (step->place == Place::behind) {
        const Time gap_begin = channel.gap_begin > when ? channel.gap_begin : when;
        if (step->start - channel.wire >= channel.gap_end - gap_begin) {
          channel.gap_begin = channel.wire;
          channel.gap_end = step->start;
        }
      }
      channel.turn[step->vc] = static_cast<std::uint16_t>(step->input + 1);
      pass(channel, step->lane, ticket, end);
    }
    if (in_order && step != begin) {
      Wire& way = into_switch_[step[-1].channel];
      pass(way, step[-1].vc, ticket, end);
      way.streams = head.streams && end <= step[-1].end + channels_[step[-1].channel].delay;
    }
    leave(*step, tail_left);
  }
  while (step != begin && (--step)->free == unknown) {
    const Duration rest = length - (begin + first - step) * buffer_time_;
    const Time end = when + rest + head.stretch;
    const Time tail_left = when_left(end);
    if (tail_left == unknown) continue;
    if (step->place != Place::in_gap) pass(channels_[step->channel], step->lane, ticket, end);
    leave(*step, tail_left);
  }
  const std::uint32_t hops = worm.steps - 2u;
  if (waits) {
    const Step& before = begin[worm.at - 1];
    Time there = head.at;
    if (timing_.credits) take_credit(before, length);
    if (!in_order || !waits_behind_another(ticket, before, there)) wait(ticket, there);
    return {unknown, unknown, hops, ticket};
  }
  return {head_out, arrival, hops, ticket};
}

// The worm has the wire until `end`, unless the worm beside it needs it for longer.
inline void WormCore::pass(Wire& wire, std::uint16_t lane, Ticket ticket, Time end) {
  if (end < wire.wire) return;
  wire.wire = end;
  wire.lane = lane;
  wire.ticket = ticket;
  wire.number = worms_[ticket].number;
}

WormCore::Passage WormCore::inject(Path path, std::uint64_t bytes, Time when) {
  return timing_.step_by_step ? inject_as<true>(path, bytes, when) : inject_as<false>(path, bytes, when);
}

template <bool steps>
WormCore::Passage WormCore::inject_as(Path path, std::uint64_t bytes, Time when) {
  assert(when <= next() && free_at(path.front().channel) != unknown);
  if (bytes != last_bytes_) {
    last_bytes_ = bytes;
    last_length_ = timing_.link_bandwidth.time_for(bytes);
  }
  const Ticket ticket = take_entry(worms_, free_tickets_);
  if (paths_.size() < worms_.size()) paths_.emplace_back();
  if (paths_[ticket].size() < path.size()) paths_[ticket].resize(path.size());

  Step* const begin = this->path(ticket);
  Step* const last = begin + path.size() - 1;
  Step *step = begin, *stop = nullptr;
  Head head{when, last_length_};
  std::uint32_t vc = 0;  // of the channel before
  for (const Hop& hop : path) {
    const auto& free = channels_[hop.channel].free;
    step->channel = hop.channel;
    step->input = static_cast<std::uint16_t>(virtual_channels * hop.input + vc);
    step->any_vc = hop.vc == Hop::any;
    vc = step->any_vc ? free[1] < free[0] : hop.vc;
    step->vc = static_cast<std::uint8_t>(vc);
    step->lane = step == last ? step->input : step->vc;
    if (stop == nullptr &&
        ((steps && step != begin) || !reserve<steps>(*step, head, step == begin ? Entry::reserved : Entry::when_free)))
        [[unlikely]]
      stop = step;
    ++step;
  }
  const auto all = static_cast<std::uint16_t>(path.size());
  worms_[ticket] = {{}, last_length_, {}, ++number_, all, stop ? static_cast<std::uint16_t>(stop - begin) : all};
  const bool through = !steps && stop == nullptr && head.stretch == Duration{} && !observer_;
  return through ? settle<false, true>(ticket, 0, head, when) : settle<steps, false>(ticket, 0, head, when);
}

std::optional<WormCore::Passage> WormCore::proceed() {
  const GoingOn going = going_on_.front();
  std::pop_heap(going_on_.begin(), going_on_.end(), std::greater<>{});
  going_on_.pop_back();
  Channel& channel = channels_[going.channel];
  if (timing_.step_by_step) {
    const bool stale =
        (channel.called >> going.vc & 1) == 0 || switched_[going.channel].called_at[going.vc] != going.when;
    if (stale) return {};  // an earlier head came meanwhile
  }
  channel.called &= static_cast<std::uint8_t>(~(1u << going.vc));
  const Ticket ticket = channel.free[going.vc] > going.when ? nobody : next_in_turn(channel, going.vc, going.when);
  if (ticket == nobody) {  // the worm before is late
    call(going.channel, going.vc);
    return {};
  }
  Worm& worm = worms_[ticket];
  Step* const begin = path(ticket);
  const std::uint32_t first = worm.at;
  begin[first].vc = static_cast<std::uint8_t>(going.vc);
  dequeue(channel, ticket);
  if (timing_.credits) give_credit(begin[first - 1], worm.length, going.when);
  if (timing_.step_by_step) {
    const std::uint32_t left = begin[first - 1].channel;
    without_credit(left, going.when);
    switched_[left].back.push_back({going.when + channels_[left].delay, worm.length});
  }
  Head head{going.when, worm.length};
  head.streams = going.when == worm.head;
  if (timing_.step_by_step) {  // the bytes come as slowly as they pass the channel before
    const Time there = begin[first - 1].end + channels_[begin[first - 1].channel].delay;
    if (there > head.at + head.length) head.stretch = there - head.at - head.length;
  }
  // The remaining bytes pass the channels behind the head now.
  Duration passed{};
  for (Step* step = begin + first; step-- != begin && step->free == unknown;) {
    passed += buffer_time_;
    const Channel& kept = channels_[step->channel];
    if (kept.wire > going.when && kept.lane != step->lane) {
      const Duration more = share(kept, going.when, worm.length - passed);
      if (more > head.stretch) head.stretch = more;
    }
  }
  Entry entry = Entry::granted;
  for (; worm.at != worm.steps; ++worm.at) {
    Step& step = begin[worm.at];
    if (const auto& free = channels_[step.channel].free; step.any_vc && entry != Entry::granted)
      step.vc = free[1] < free[0];
    if (worm.at > 1)
      step.input = static_cast<std::uint16_t>((step.input & ~(virtual_channels - 1)) | begin[worm.at - 1].vc);
    step.lane = worm.at + 1 == worm.steps ? step.input : step.vc;
    if (timing_.step_by_step) {
      worm.at += reserve<true>(step, head, entry);
      break;
    }
    if (!reserve<false>(step, head, entry)) break;
    entry = Entry::when_free;
  }
  return timing_.step_by_step ? settle<true, false>(ticket, first, head, going.when)
                              : settle<false, false>(ticket, first, head, going.when);
}

// Worms that wait further on keep their virtual channels for about their own length.
Duration WormCore::backlog(std::uint32_t channel, Time now) const {
  const Channel& c = channels_[channel];
  Duration all = c.wire > now ? c.wire - now : Duration{};
  for (const Time free : c.free)
    if (free == unknown) all += worms_[c.ticket].length;
  return all + c.queued;
}

// The next of the worms whose heads wait for the virtual channel: round-robin by input, first come first served within
// an input.
WormCore::Ticket WormCore::next_in_turn(const Channel& channel, std::uint32_t vc, Time now) {
  Ticket next = nobody;
  std::uint32_t least = ~std::uint32_t{0};
  for (Ticket first = channel.waiting; first != nobody; first = worms_[first].next_input) {
    const auto distance = static_cast<std::uint16_t>(worms_[first].input - channel.turn[vc]);
    if (distance >= least) continue;
    Ticket t = first;
    while (t != nobody && !(worms_[t].head <= now && wants(t, vc))) t = worms_[t].behind;
    if (t == nobody) continue;
    next = t;
    least = distance;
  }
  return next;
}

// The worm begins to wait for the channel, last in the queue of its input.
void WormCore::enqueue(Channel& channel, Ticket ticket) {
  Worm& worm = worms_[ticket];
  channel.queued += worm.length;
  worm.behind = nobody;
  Ticket first = channel.waiting;
  while (first != nobody && worms_[first].input != worm.input) first = worms_[first].next_input;
  if (first == nobody) {
    worm.last = ticket;
    worm.next_input = channel.waiting;
    channel.waiting = ticket;
  } else {
    worms_[worms_[first].last].behind = ticket;
    worms_[first].last = ticket;
  }
}

void WormCore::dequeue(Channel& channel, Ticket ticket) {
  const Worm& worm = worms_[ticket];
  channel.queued -= worm.length;
  Ticket* place = &channel.waiting;
  while (worms_[*place].input != worm.input) place = &worms_[*place].next_input;
  const Ticket first = *place;
  if (first == ticket) {
    *place = worm.behind == nobody ? worm.next_input : worm.behind;
    if (worm.behind != nobody) {
      worms_[worm.behind].last = worm.last;
      worms_[worm.behind].next_input = worm.next_input;
    }
    return;
  }
  Ticket before = first;
  while (worms_[before].behind != ticket) before = worms_[before].behind;
  worms_[before].behind = worm.behind;
  if (worms_[first].last == ticket) worms_[first].last = before;
}

// The worm waits for its next channel; its head is there from `head` on.
void WormCore::wait(Ticket ticket, Time head) {
  Worm& worm = worms_[ticket];
  const Step& step = path(ticket)[worm.at];
  Channel& channel = channels_[step.channel];
  worm.head = head;
  worm.input = step.input;
  worm.vcs = static_cast<std::uint8_t>(step.any_vc ? 3 : 1u << step.vc);
  if (timing_.in_order) buffer((&step)[-1]).empty = unknown;
  enqueue(channel, ticket);
  for (std::uint32_t vc = 0; vc < virtual_channels; ++vc)
    if (wants(ticket, vc)) call(step.channel, vc);
}

// Whether the worm has to wait behind another in the buffer behind the step, until it is known when that one leaves. If
// that is known, the head is first from then on.
bool WormCore::waits_behind_another(Ticket ticket, const Step& before, Time& head) {
  Buffer& b = buffer(before);
  if (b.empty != unknown) {
    if (b.empty > head) head = b.empty;
    return false;
  }
  worms_[ticket].head = head;
  worms_[ticket].behind = nobody;
  (b.first == nobody ? b.first : worms_[b.last].behind) = ticket;
  b.last = ticket;
  return true;
}

// The worm waits in the buffer behind the step's channel. If it does not fit, its tail keeps the virtual channel; if it
// fills the buffer, the virtual channel is closed behind it.
void WormCore::take_credit(const Step& step, Duration length) {
  Channel& channel = channels_[step.channel];
  if (step.free == unknown) return;
  Duration& held = switched_[step.channel].held[step.vc];
  held += length;
  if (held >= buffer_time_) channel.free[step.vc] = unknown;
}

void WormCore::give_credit(const Step& step, Duration length, Time when) {
  Channel& channel = channels_[step.channel];
  if (step.free == unknown) return;
  Duration& held = switched_[step.channel].held[step.vc];
  const bool full = held >= buffer_time_;
  held -= length;
  if (!full || held >= buffer_time_) return;
  channel.free[step.vc] = std::max(when, step.free);
  if (channel.waiting != nobody) call(step.channel, step.vc);
}

// If the time at which the virtual channel becomes free is known, schedules one of the waiting worms for it.
void WormCore::call(std::uint32_t channel, std::uint32_t vc) {
  Channel& wanted = channels_[channel];
  const Time free = wanted.free[vc];
  const bool called = (wanted.called >> vc & 1) != 0;
  if (free == unknown || (called && !timing_.step_by_step)) return;
  Time head = unknown;
  for (Ticket first = wanted.waiting; first != nobody && head > free; first = worms_[first].next_input)
    for (Ticket t = first; t != nobody && head > free; t = worms_[t].behind)
      if (worms_[t].head < head && wants(t, vc)) head = worms_[t].head;
  if (head == unknown) return;
  const Time when = head > free ? head : free;
  if (called && switched_[channel].called_at[vc] <= when) return;
  wanted.called |= static_cast<std::uint8_t>(1u << vc);
  if (timing_.step_by_step) switched_[channel].called_at[vc] = when;
  going_on_.push_back({when, order_++, channel, vc});
  std::push_heap(going_on_.begin(), going_on_.end(), std::greater<>{});
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
