// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>

#include "models/core/error.h"
#include "models/core/ranges.h"

// Value types for the quantities of configurations and models. Simulated time is std::chrono with a picosecond tick,
// the resolution of the SystemC kernel; the other types exist so that a rate, a size and a time cannot be mistaken for
// one another.
namespace sunstar {

/// A span of simulated time. 64 bits of picoseconds reach 106 days.
using Duration = std::chrono::duration<std::int64_t, std::pico>;

/// The clock of the simulation; it is read from the kernel, never from the host.
struct SimulatedClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<SimulatedClock>;
  static constexpr bool is_steady = true;
};

/// A point of simulated time, counted from the start of the simulation.
using Time = SimulatedClock::time_point;

/// The longest single duration: 13 days. The sum of a time and several durations then still fits into 64 bits.
inline constexpr Duration longest_duration{std::int64_t{1} << 60};
/// Simulated time ends here, after 53 days.
inline constexpr Time horizon{Duration{std::int64_t{1} << 62}};

/// A duration of this many picoseconds, rounded. Throws SimulationError if it is longer than longest_duration.
inline Duration picoseconds(double ps) {
  if (!(ps <= static_cast<double>(longest_duration.count()))) [[unlikely]]
    throw SimulationError("one step of the simulated machine takes ", ps * 1e-12,
                          " s; at most 1152921 s (13 days) can be simulated at once. Is a parameter far too slow?");
  return Duration{static_cast<std::int64_t>(ps + 0.5)};
}
/// Returns `t`. Throws SimulationError if it is beyond the horizon.
inline Time within_horizon(Time t) {
  if (t > horizon) [[unlikely]]
    throw SimulationError(
        "simulated time would pass 4611686 s (53 days), where Sunstar's clock ends. Is a parameter far too slow?");
  return t;
}

constexpr double seconds(Duration d) { return static_cast<double>(d.count()) * 1e-12; }
constexpr double seconds(Time t) { return seconds(t.time_since_epoch()); }
inline Duration from_seconds(double s) { return picoseconds(s * 1e12); }

/// A number of bytes, written in JSON as "8KiB", "10MB" or "512B".
struct Bytes {
  std::uint64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
};

/// Bytes per second, written in JSON as "200MB/s"; powers of ten unless the prefix says otherwise ("MiB/s").
struct Bandwidth {
  double bytes_per_second = 0;
  auto operator<=>(const Bandwidth&) const = default;
  Duration time_for(std::uint64_t bytes) const {
    return picoseconds(static_cast<double>(bytes) * 1e12 / bytes_per_second);
  }
};

/// Cycles per second, written in JSON as "50MHz".
struct Frequency {
  double hertz = 0;
  auto operator<=>(const Frequency&) const = default;
};

/// Processor cycles, written in JSON as a plain number; fractions are allowed (half a cycle per byte).
struct Cycles {
  double count = 0;
  auto operator<=>(const Cycles&) const = default;
  Cycles& operator+=(Cycles other) {
    count += other.count;
    return *this;
  }
  friend constexpr Cycles operator+(Cycles a, Cycles b) { return {a.count + b.count}; }
  friend constexpr Cycles operator*(Cycles a, double n) { return {a.count * n}; }
};

inline namespace literals {
constexpr Duration operator""_ps(unsigned long long n) { return Duration{static_cast<std::int64_t>(n)}; }
constexpr Duration operator""_ns(unsigned long long n) { return std::chrono::nanoseconds{n}; }
constexpr Duration operator""_us(unsigned long long n) { return std::chrono::microseconds{n}; }
constexpr Duration operator""_ms(unsigned long long n) { return std::chrono::milliseconds{n}; }
constexpr Bytes operator""_B(unsigned long long n) { return {n}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return {n << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return {n << 20}; }
constexpr Bandwidth operator""_MBps(unsigned long long n) { return {static_cast<double>(n) * 1e6}; }
constexpr Frequency operator""_MHz(unsigned long long n) { return {static_cast<double>(n) * 1e6}; }
}  // namespace literals

/// The unit of the times in a file that does not give one.
BOOST_DEFINE_ENUM_CLASS(TimeUnit, s, ms, us, ns)

constexpr double seconds_in(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::ms: return 1e-3;
    case TimeUnit::us: return 1e-6;
    case TimeUnit::ns: return 1e-9;
    default: return 1;
  }
}

}  // namespace sunstar
