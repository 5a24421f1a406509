// SPDX-License-Identifier: MIT
#include "models/network/ethernet/csma_cd.h"

#include <cassert>

namespace sunstar::network {

CsmaCd::CsmaCd(const EthernetParams& params, Wiring wiring, std::uint64_t seed, std::string_view name,
               CsmaCounters& counters)
    : preamble_(params.bandwidth.time_for(params.preamble.count)),
      gap_(params.gap()),
      slot_(params.bit_times(params.slot_bits)),
      jam_(params.bit_times(params.jam_bits)),
      bandwidth_(params.bandwidth),
      attempt_limit_(params.attempt_limit),
      backoff_limit_(params.backoff_limit),
      wiring_(std::move(wiring)),
      counters_(counters),
      farthest_(wiring_.farthest()) {
  counters_.at_attempt.resize(attempt_limit_);
  stations_.reserve(wiring_.stations());
  for (std::uint32_t s = 0; s < wiring_.stations(); ++s)
    stations_.emplace_back(RandomStream(seed, std::string(name) + ".station" + std::to_string(s)));
}

void CsmaCd::offer(Time now, std::uint32_t station, std::uint64_t wire_bytes) {
  Station& s = stations_[station];
  assert(s.state == State::idle);
  s.state = State::waiting;
  s.defers = false;
  s.ready = s.wake = now;
  s.length = bandwidth_.time_for(wire_bytes);
  active_.push_back(station);
  next_ = std::min(next_, now);
}

const std::vector<std::uint32_t>& CsmaCd::advance(Time now) {
  through_.clear();
  while (next_ <= now) step(next_);
  return through_;
}

// Stations that stop at `t` come first. Stations that start together do not hear one another; their order does not
// matter.
void CsmaCd::step(Time t) {
  std::erase_if(signals_, [&](const Signal& s) { return s.end + farthest_ + gap_ <= t; });
  for (const std::uint32_t i : active_)
    if (Station& s = stations_[i]; s.state == State::sending && s.wake == t) stop(i, t);
  for (const std::uint32_t i : active_) {
    Station& s = stations_[i];
    if (s.state != State::waiting || s.wake > t) continue;
    s.wake = attempt(i);
    if (s.wake <= t) start(i, t);
    else s.defers = true;
  }
  if (shortened_)
    for (const std::uint32_t i : active_)
      if (Station& s = stations_[i]; s.state == State::waiting && s.defers) s.wake = attempt(i);
  shortened_ = false;
  std::erase_if(active_, [&](std::uint32_t i) { return idle(i); });
  next_ = Time::max();
  for (const std::uint32_t i : active_) next_ = std::min(next_, stations_[i].wake);
}

// When the station starts if no other station does (IEEE 802.3, 4.2.8: the process Deference).
Time CsmaCd::attempt(std::uint32_t station) const {
  const Time ready = stations_[station].ready;
  heard_.clear();
  for (const Signal& s : signals_) {
    const Duration delay = s.from == station ? Duration{} : wiring_.delay(s.from, station);
    heard_.push_back({s.start + delay, s.end + delay});
  }
  std::ranges::sort(heard_, {}, &Heard::start);
  Time free = Time::min();  // the station may start from then on, until it hears a carrier
  auto next = heard_.begin();
  while (true) {
    while (next != heard_.end() && next->end <= free) ++next;
    // A signal that becomes audible at this very moment is not heard yet.
    if (next == heard_.end() || ready <= free || ready <= next->start) return std::max(ready, free);
    Time off = next->end;
    for (; next != heard_.end() && next->start <= off; ++next) off = std::max(off, next->end);
    free = off + gap_;
  }
}

void CsmaCd::start(std::uint32_t station, Time t) {
  Station& s = stations_[station];
  if (s.attempts == 0 && t > s.ready) ++counters_.deferrals;
  s.state = State::sending;
  s.collided = false;
  s.started = t;
  s.wake = t + s.length;
  ++sending_;
  const Time complete = s.wake;
  for (const Signal& other : signals_) {
    if (other.from == station) continue;
    const Duration delay = wiring_.delay(station, other.from);
    const Station& sender = stations_[other.from];
    if (sender.state == State::sending && sender.started == other.start) hears(other.from, t + delay);
    if (other.end + delay > t && other.start + delay < complete) hears(station, std::max(t, other.start + delay));
  }
  signals_.push_back({station, t, s.wake});
  // hears() has changed when stations stop; their signals follow.
  for (Signal& signal : signals_) {
    const Station& sender = stations_[signal.from];
    if (sender.state == State::sending && sender.started == signal.start) signal.end = sender.wake;
  }
}

// A signal of another station reaches the station at `t`.
void CsmaCd::hears(std::uint32_t station, Time t) {
  Station& s = stations_[station];
  if (t >= s.wake) return;  // it has stopped by then
  const Time jammed = std::max(t, s.started + preamble_) + jam_;
  s.wake = s.collided ? std::min(s.wake, jammed) : jammed;
  s.collided = true;
  shortened_ = true;
}

void CsmaCd::stop(std::uint32_t station, Time t) {
  Station& s = stations_[station];
  --sending_;
  if (!s.collided) {
    ++counters_.at_attempt[s.attempts];
    carried_ += s.length;
    s.attempts = 0;
    s.state = State::idle;
    through_.push_back(station);
    return;
  }
  ++counters_.collisions;
  counters_.collided += t - s.started;
  std::uint64_t slots = 0;
  if (++s.attempts == attempt_limit_) {
    ++counters_.excessive;
    s.attempts = 0;
  } else {
    slots = s.random.below(std::uint64_t{1} << std::min(s.attempts, backoff_limit_));
  }
  s.state = State::waiting;
  s.defers = false;
  s.ready = s.wake = t + slot_ * static_cast<std::int64_t>(slots);
}

}  // namespace sunstar::network
