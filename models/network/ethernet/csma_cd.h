// SPDX-License-Identifier: MIT
#pragma once
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
  CsmaCd(const EthernetParams& params, Wiring wiring, std::uint64_t seed, std::string_view name,
         CsmaCounters& counters);

  /// Gives the station a frame of `wire_bytes`. It must not have a frame already. Call advance() afterwards.
  void offer(Time now, std::uint32_t station, std::uint64_t wire_bytes);
  bool idle(std::uint32_t station) const { return stations_[station].state == State::idle; }
  /// When advance() must be called; Time::max() if no station has a frame.
  Time next() const { return next_; }
  /// Simulates up to `now` and returns the stations whose frames have got through: the last bit has left the station. A
  /// frame never gets through before next().
  const std::vector<std::uint32_t>& advance(Time now);

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
  /// Stations that are sending.
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

  Time attempt(std::uint32_t station) const;
  void start(std::uint32_t station, Time t);
  void hears(std::uint32_t station, Time t);
  void stop(std::uint32_t station, Time t);
  void step(Time t);

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
