// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/core/quantity.h"
#include "models/core/stage.h"
#include "models/core/stage_times.h"

// The critical path of a run, carried forward. Every event has a cause: a message arrives because a thread sent it, a
// thread wakes because a disk command ended. Each event has a path: where the time went on the way that led to it, back
// to the start of the clock. An activity that waited for a resource continues the path of the activity that released
// the resource. The path of the last event is the critical path. The events themselves are not kept, so memory does not
// grow with the run.
namespace sunstar {

/// Time by stage.
using Stages = std::array<Duration, stage_count>;
inline Duration total(const Stages& s) { return std::accumulate(s.begin(), s.end(), Duration{}); }

/// The way that led to an event.
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
