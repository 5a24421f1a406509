// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
// thread wakes because a disk command ended. Whatever happens carries a trail: where the time went on the way that led
// to it, back to the start of the clock. What waits for a resource goes on because another one gave the resource up,
// and continues that one's trail. The trail of the last event is the critical path, and nobody has kept the way itself,
// so memory does not grow with the run.
namespace sunstar {

/// Time by stage.
using Stages = std::array<Duration, stage_count>;
inline Duration total(const Stages& s) { return std::accumulate(s.begin(), s.end(), Duration{}); }

/// The way that led to an event.
struct Trail {
  Time at{};       ///< of the event
  Time since{};    ///< the start of the clock, or the beginning of the run if the clock has not started
  Stages spent{};  ///< sums to `at` less `since`, or to nothing if `at` is earlier
};

/// The trails of one machine, or of what has no machine. Parts that carry trails share it.
class Trails {
 public:
  /// What is happening now, or what happened before it at the same place; its `at` is now.
  Trail current;
  /// The trail of the disk command that ended last.
  Trail last_command;

  /// The clock starts: time before it counts for no trail.
  void start(Time now) { start_ = now; }
  /// Leads the trail on to the time `to`; earlier times change nothing.
  void advance(Trail& t, Time to, Stage stage) const {
    if (to <= t.at) return;
    if (t.since != start_) [[unlikely]]
      t = from_start(t);
    if (const Time from = std::max(t.at, start_); to > from) t.spent[static_cast<std::size_t>(stage)] += to - from;
    t.at = to;
  }
  /// The trail without the time before the clock's start. When the clock started, the trail may have been led on
  /// further already, mostly by a drive, which works ahead: its stages are the last ones from which time is taken.
  Trail from_start(Trail t) const {
    Duration before = total(t.spent) - std::max(t.at - start_, Duration{});
    for (std::size_t i = 0; i < stage_count; ++i) {
      Duration& spent = t.spent[(static_cast<std::size_t>(Stage::bus_data) + i) % stage_count];
      const Duration some = std::min(spent, before);
      spent -= some;
      before -= some;
    }
    t.since = start_;
    return t;
  }
  void lead_on(Time to, Stage stage) { advance(current, to, stage); }

  /// What else the run shows about its resources and requests. The references stay valid.
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
  std::deque<QueueTimes> queues_;
  std::deque<RequestTimes> requests_;
};

}  // namespace sunstar
