// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>

#include "models/core/random.h"
#include "models/network/ethernet/ethernet_params.h"

namespace sunstar::network {

/// Signal delays between the stations of one shared medium.
class Wiring {
 public:
  /// All stations of a hub, or of a coaxial cable if they have positions.
  static Wiring hub(const EthernetParams& params) {
    Wiring wiring;
    wiring.along_ = !params.positions.empty();
    for (const std::uint32_t metres : params.positions) wiring.at_.push_back(params.propagation(metres));
    wiring.middle_ = params.station_latency;
    if (!wiring.along_) {
      wiring.at_.assign(params.ports, params.propagation(params.cable));
      wiring.middle_ += params.hub_latency;
    }
    return wiring;
  }
  /// The two ends of a link.
  static Wiring link(const EthernetParams& params) {
    Wiring wiring;
    wiring.along_ = true;
    wiring.at_ = {Duration{}, params.propagation(params.cable)};
    wiring.middle_ = params.station_latency;
    return wiring;
  }

  std::uint32_t stations() const { return static_cast<std::uint32_t>(at_.size()); }
  /// The delay from one station to another.
  Duration delay(std::uint32_t a, std::uint32_t b) const {
    if (!along_) return at_[a] + middle_ + at_[b];
    return middle_ + (at_[a] > at_[b] ? at_[a] - at_[b] : at_[b] - at_[a]);
  }
  /// The delay between the two stations farthest apart.
  Duration farthest() const {
    const auto [least, greatest] = std::minmax_element(at_.begin(), at_.end());
    return middle_ + *greatest + (along_ ? -*least : *greatest);
  }

 private:
  Wiring() = default;

  bool along_ = false;        // a cable without a hub
  std::vector<Duration> at_;  // by station: delay from the hub, or from the beginning of the cable
  Duration middle_{};         // delay of the interfaces and the hub
};

/// Counts over all stations on shared media.
struct CsmaCounters {
  std::uint64_t deferrals = 0;            ///< frames whose first attempt had to wait for the medium
  std::uint64_t collisions = 0;           ///< attempts that ended in a collision
  std::uint64_t excessive = 0;            ///< times that an interface gave up and its driver started over
  Duration collided{};                    ///< time that stations spent on frames that collided
  std::vector<std::uint64_t> at_attempt;  ///< frames by the number of the successful attempt, from the first
};

/// A half-duplex medium that stations share by carrier sense, multiple access with collision detection (IEEE 802.3,
/// 4.2.3 and 4.2.4), without a kernel; docs/models/ethernet.md describes the stations. A station hears everything after
/// the propagation delay. A carrier that comes back before the end of the interframe gap does not stop the station from
/// starting (in the standard it does during the gap's first part, whose length, from nothing to two thirds, is the
/// interface's choice).
///
/// Only stations that have a frame cost host time, and only when they start, stop or look.
class CsmaCd {
 public:
  /// Counts into `counters`. `name` tells its random streams apart from others of the same seed.
  CsmaCd(const EthernetParams& params, Wiring wiring, std::uint64_t seed, std::string_view name, CsmaCounters& counters)
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

  /// Gives the station a frame of `wire_bytes`. It must not have a frame already. Call advance() afterwards.
  void offer(Time now, std::uint32_t station, std::uint64_t wire_bytes) {
    Station& s = stations_[station];
    assert(s.state == State::idle);
    s.state = State::waiting;
    s.defers = false;
    s.ready = s.wake = now;
    s.length = bandwidth_.time_for(wire_bytes);
    active_.push_back(station);
    next_ = std::min(next_, now);
  }

  bool idle(std::uint32_t station) const { return stations_[station].state == State::idle; }
  /// When advance() must be called; Time::max() if no station has a frame.
  Time next() const { return next_; }

  /// Simulates up to `now` and returns the stations whose frames have got through: the last bit has left the station. A
  /// frame never gets through before next().
  const std::vector<std::uint32_t>& advance(Time now) {
    through_.clear();
    while (next_ <= now) step(next_);
    return through_;
  }

  /// A station's activity, for wave files.
  enum class Activity : std::uint8_t { idle, waiting, backing_off, sending, collision };
  static constexpr std::array<std::string_view, 5> activity_names{"idle", "waiting", "backing_off", "sending",
                                                                  "collision"};
  Activity activity(std::uint32_t station) const {
    const Station& s = stations_[station];
    if (s.state == State::idle) return Activity::idle;
    if (s.state == State::sending) return s.collided ? Activity::collision : Activity::sending;
    return s.attempts > 0 ? Activity::backing_off : Activity::waiting;
  }
  std::uint32_t sending() const { return sending_; }
  /// Time of all frames that got through.
  Duration carried() const { return carried_; }
  Duration delay(std::uint32_t a, std::uint32_t b) const { return wiring_.delay(a, b); }

 private:
  enum class State : std::uint8_t { idle, waiting, sending };
  struct Station {
    explicit Station(RandomStream r) : random(r) {}
    State state = State::idle;
    bool collided = false;
    bool defers = false;         // its `wake` depends on the carrier it hears
    std::uint32_t attempts = 0;  // attempts that ended in a collision
    Time ready{};                // waiting: has the frame, and its back-off is over
    Time wake{};                 // waiting: does not start before; sending: stops
    Time started{};
    Duration length{};  // of its frame
    RandomStream random;
  };
  struct Signal {
    std::uint32_t from;
    Time start, end;
  };
  struct Heard {
    Time start, end;
  };

  // When the station starts if no other station does (IEEE 802.3, 4.2.8: the process Deference).
  Time attempt(std::uint32_t station) const {
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

  void start(std::uint32_t station, Time t) {
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
  void hears(std::uint32_t station, Time t) {
    Station& s = stations_[station];
    if (t >= s.wake) return;  // it has stopped by then
    const Time jammed = std::max(t, s.started + preamble_) + jam_;
    s.wake = s.collided ? std::min(s.wake, jammed) : jammed;
    s.collided = true;
    shortened_ = true;
  }

  void stop(std::uint32_t station, Time t) {
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

  // Stations that stop at `t` come first. Stations that start together do not hear one another; their order does not
  // matter.
  void step(Time t) {
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

  Duration preamble_, gap_, slot_, jam_;
  Bandwidth bandwidth_;
  std::uint32_t attempt_limit_, backoff_limit_;
  Wiring wiring_;
  CsmaCounters& counters_;
  Duration farthest_;
  std::vector<Station> stations_;
  std::vector<std::uint32_t> active_;  // stations that have a frame
  std::vector<Signal> signals_;        // signals that a station may still hear or wait for, in order of start
  mutable std::vector<Heard> heard_;   // room for attempt()
  std::vector<std::uint32_t> through_;
  bool shortened_ = false;  // a signal ends earlier than waiting stations have assumed
  std::uint32_t sending_ = 0;
  Duration carried_{};
  Time next_ = Time::max();
};

}  // namespace sunstar::network
