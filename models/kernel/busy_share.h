// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/statistics.h"
#include "models/kernel/sc_time_bridge.h"

namespace sunstar {

/// The share of a span of time for which a part was busy. The span begins at the start of the simulation, or where a
/// run begins to measure.
class BusyShare {
 public:
  /// `busy`: since the start of the simulation, as known now.
  double now(Duration busy) const {
    const Duration span = sunstar::now() - from_;
    // A model may note its work as a whole, when it begins or ends: a short span may then hold more work than time.
    return span == Duration{} ? 0.0 : std::min(seconds(busy - before_) / seconds(span), 1.0);
  }
  void restart(Duration busy) {
    from_ = sunstar::now();
    before_ = busy;
  }

 private:
  Time from_{};
  Duration before_{};
};

/// Adds the share as a statistic; `busy()` returns how long the part has been busy since the start of the simulation.
template <class Busy>
void add_share(StatisticSet& set, std::string_view name, std::string_view description, BusyShare& share, Busy busy) {
  set.add({name, description, "fraction", [&share, busy] { return share.now(busy()); },
           [&share, busy] { share.restart(busy()); }});
}

}  // namespace sunstar
