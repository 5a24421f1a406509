// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/make_histogram.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
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

/// The durations of one stage of many requests: their mean and, at most 6 % too high, their quantiles.
class StageTime {
 public:
  void add(Duration d) {
    ++count_;
    sum_ += d;
    longest_ = std::max(longest_, d);
    if (d > Duration{}) bins_(std::clamp(static_cast<double>(d.count()), least, most));
    else ++nothing_;
  }
  std::uint64_t count() const { return count_; }
  Duration mean() const { return count_ ? sum_ / static_cast<std::int64_t>(count_) : Duration{}; }
  /// The duration that a share `q` of the requests do not exceed: the end of the bin in which it lies, or the longest
  /// of all.
  Duration quantile(double q) const {
    auto rest = static_cast<double>(count_) * q - static_cast<double>(nothing_);
    for (int i = 0; i < bins_.axis().size() && rest > 0; ++i) {
      rest -= static_cast<double>(bins_.at(i));
      if (rest <= 0) return std::min(longest_, Duration{static_cast<std::int64_t>(bins_.axis().bin(i).upper())});
    }
    return {};
  }

 private:
  // 40 bins a decade, from a nanosecond to 10,000 seconds; the first and the last take what lies beyond.
  static constexpr double least = 1e3, most = 0.99e16;  // picoseconds
  using Axis = boost::histogram::axis::regular<double, boost::histogram::axis::transform::log, boost::use_default,
                                               boost::histogram::axis::option::none_t>;
  boost::histogram::histogram<std::tuple<Axis>> bins_{std::make_tuple(Axis{520, least, 1e16})};
  std::uint64_t count_ = 0, nothing_ = 0;
  Duration sum_{}, longest_{};
};

/// The requests of one kind: how long each of their stages took, and all together.
class RequestTimes {
 public:
  RequestTimes(std::string name, std::vector<std::string_view> stages)
      : name_(std::move(name)), names_(std::move(stages)), times_(names_.size()) {}
  void add(std::initializer_list<Duration> stages) {
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
