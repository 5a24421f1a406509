// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/core/quantity.h"

// How long things wait and take, in memory that does not grow with the run.
namespace sunstar {

/// The queue in front of one resource.
struct QueueTimes {
  std::string name;  ///< full instance name
  std::uint64_t waits = 0;
  Duration waited{};
  void add(Duration wait) {
    if (wait <= Duration{}) return;
    ++waits;
    waited += wait;
  }
};

/// Bins of durations whose width is a 32nd of the power of two below them, from a nanosecond on; the first and the last
/// bin take the durations beyond.
class DurationAxis {
 public:
  static constexpr int first_octave = 10, octaves = 44, parts = 32;  // 2^10 to 2^54 ps: 1 ns to five hours
  static constexpr int size() { return octaves * parts; }
  static int index(std::int64_t ps) {
    const int octave = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(ps))) - 1;
    if (octave < first_octave) return 0;
    if (octave >= first_octave + octaves) return size() - 1;
    return (octave - first_octave) * parts + static_cast<int>((ps >> (octave - part_bits)) & (parts - 1));
  }
  /// The end of a bin, in ps.
  static std::int64_t end(int bin) {
    return std::int64_t{parts + bin % parts + 1} << (first_octave + bin / parts - part_bits);
  }

 private:
  static constexpr int part_bits = 5;
};

/// The durations of one stage of many requests: their mean and, at most 4 % too high, their quantiles.
class StageTime {
 public:
  void add(Duration d) {
    ++count_;
    sum_ += d;
    longest_ = std::max(longest_, d);
    if (d > Duration{}) ++bins_[static_cast<std::size_t>(DurationAxis::index(d.count()))];
    else ++nothing_;
  }
  std::uint64_t count() const { return count_; }
  Duration mean() const { return count_ ? sum_ / static_cast<std::int64_t>(count_) : Duration{}; }
  /// The duration that a share `q` of the requests do not exceed: the end of its bin, or the longest duration.
  Duration quantile(double q) const {
    auto rest = static_cast<double>(count_) * q - static_cast<double>(nothing_);
    for (int i = 0; i < DurationAxis::size() && rest > 0; ++i) {
      rest -= static_cast<double>(bins_[static_cast<std::size_t>(i)]);
      if (rest <= 0) return std::min(longest_, Duration{DurationAxis::end(i)});
    }
    return {};
  }

 private:
  std::vector<std::uint64_t> bins_ = std::vector<std::uint64_t>(DurationAxis::size());
  std::uint64_t count_ = 0, nothing_ = 0;
  Duration sum_{}, longest_{};
};

/// The requests of one kind: how long each of their stages took, and all together.
class RequestTimes {
 public:
  RequestTimes(std::string name, std::vector<std::string_view> stages)
      : name_(std::move(name)), names_(std::move(stages)), times_(names_.size()) {}
  void add(std::initializer_list<Duration> stages) { add(std::span(stages.begin(), stages.size())); }
  void add(std::span<const Duration> stages) {
    Duration sum{};
    for (std::size_t i = 0; const Duration d : stages) times_[i++].add(d), sum += d;
    total_.add(sum);
  }
  const std::string& name() const { return name_; }
  const std::vector<std::string_view>& stages() const { return names_; }
  const StageTime& stage(std::size_t i) const { return times_[i]; }
  const StageTime& total() const { return total_; }

 private:
  std::string name_;
  std::vector<std::string_view> names_;
  std::vector<StageTime> times_;
  StageTime total_;
};

}  // namespace sunstar
