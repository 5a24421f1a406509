// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>

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

constexpr double seconds(Duration d) { return static_cast<double>(d.count()) * 1e-12; }
constexpr double seconds(Time t) { return seconds(t.time_since_epoch()); }
inline Duration from_seconds(double s) { return Duration{std::llround(s * 1e12)}; }

/// A number of bytes, written in JSON as "8KiB", "10MB" or "512B".
struct Bytes {
  std::uint64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
};

/// Bytes per second, written in JSON as "200MB/s"; powers of ten unless the prefix says otherwise ("MiB/s").
struct Bandwidth {
  double bytes_per_second = 0;
  auto operator<=>(const Bandwidth&) const = default;
  /// Time that `bytes` take at this rate.
  Duration time_for(std::uint64_t bytes) const {
    return Duration{static_cast<std::int64_t>(static_cast<double>(bytes) * 1e12 / bytes_per_second + 0.5)};
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

}  // namespace sunstar
