// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <deque>
#include <initializer_list>
#include <numeric>
#include <span>
#include <utility>

#include "models/core/quantity.h"
#include "models/core/stage.h"

// The critical path of a run, carried forward. Every event has a cause: a message arrives because a thread sent it, a
// thread wakes because a disk command ended. Each event has a path: where the time went on the way that led to it, back
// to the start of the clock. An activity that waited for a resource continues the path of the activity that released
// the resource. The path of the last event is the critical path. The events themselves are not kept, so memory does not
// grow with the run.
namespace sunstar {

// How long things wait and take, in memory that does not grow with the run.

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

using Stages = std::array<Duration, stage_count>;
inline Duration total(const Stages& s) { return std::accumulate(s.begin(), s.end(), Duration{}); }

struct Path {
  Time at{};       ///< of the event
  Time since{};    ///< the start of the clock, or the beginning of the run if the clock has not started
  Stages spent{};  ///< sums to `at` less `since`, or to nothing if `at` is earlier
};

/// The paths of one machine, or of parts without a machine. Parts that extend paths share this object; it must outlive
/// them.
class CriticalPath {
 public:
  /// The path of the current event, or of the event before it at the same place; its `at` is now.
  Path current;
  /// The path of the disk command that ended last.
  Path last_command;
  /// How many stages a path here may have: the first of all stages.
  std::size_t stages = stages_without_nvme;

  /// The clock starts: earlier time counts for no path.
  void start(Time now) { start_ = now; }
  Time started() const { return start_; }
  /// Extends the path to the time `to`; earlier times change nothing.
  void advance(Path& p, Time to, Stage stage) const {
    if (to <= p.at) return;
    if (p.since != start_) [[unlikely]]
      p = from_start(p);
    if (const Time from = std::max(p.at, start_); to > from) p.spent[static_cast<std::size_t>(stage)] += to - from;
    p.at = to;
  }
  /// The path without the time before the clock's start. When the clock started, a part that works ahead, mostly a
  /// drive, may already have extended the path further: its stages are the last from which time is taken.
  Path from_start(Path p) const {
    Duration before = total(p.spent) - std::max(p.at - start_, Duration{});
    for (std::size_t i = 0; i < stage_count; ++i) {
      Duration& spent = p.spent[(static_cast<std::size_t>(Stage::drive_interface) + i) % stage_count];
      const Duration some = std::min(spent, before);
      spent -= some;
      before -= some;
    }
    p.since = start_;
    return p;
  }
  void lead_on(Time to, Stage stage) { advance(current, to, stage); }

  /// The path of a thread, message or timer, which keeps a pointer to it, null until the first call. Such objects are
  /// used again and again, and so are their paths.
  Path& kept(Path*& by) {
    if (!by) [[unlikely]]
      by = &kept_.emplace_back();
    return *by;
  }

  /// Further figures about resources and requests. The references stay valid.
  QueueTimes& queue(std::string name) {
    queues_.push_back({std::move(name)});
    return queues_.back();
  }
  RequestTimes& requests(std::string name, std::vector<std::string_view> stages) {
    for (RequestTimes& r : requests_)
      if (r.name() == name) return r;
    return requests_.emplace_back(std::move(name), std::move(stages));
  }
  void requests(RequestTimes times) { requests_.push_back(std::move(times)); }
  const std::deque<QueueTimes>& queues() const { return queues_; }
  const std::deque<RequestTimes>& requests() const { return requests_; }

 private:
  Time start_{};
  std::deque<Path> kept_;
  std::deque<QueueTimes> queues_;
  std::deque<RequestTimes> requests_;
};

}  // namespace sunstar
