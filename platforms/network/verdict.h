// SPDX-License-Identifier: MIT
#pragma once
#include <boost/json.hpp>
#include <optional>

#include "models/core/figure.h"

namespace sunstar::traffic {

/// The verdict on a network under synthetic traffic: whether it carries the offered load.
struct Verdict {
  double offered = 0;
  std::optional<bool> saturated;
  std::string verdict;
};
BOOST_DESCRIBE_STRUCT(Verdict, (), (offered, saturated, verdict))
inline std::vector<Figure> figures(const Verdict*) {
  return {{"offered", "workload.load"},
          Figure{"saturated", "whether the network carries less than the load; null: too few messages"}.of_worst(),
          Figure{"verdict", "the same in words, with the reason"}.of_worst()};
}
/// The worst of several trials counts: a saturated trial, then a trial without a verdict.
inline double severity(const Verdict*, const boost::json::object& trial) {
  const auto& saturated = trial.at("saturated");
  return saturated.is_null() ? 1 : saturated.as_bool() ? 2 : 0;
}

/// The facts on which a verdict rests.
struct Evidence {
  double offered = 0, accepted = 0;
  std::uint64_t messages = 0;  ///< messages created or delivered during the measurement, whichever are more
  bool backlog = false;        ///< at the end of the measurement, a node has reached its limit of messages under way
  bool drained = true;         ///< no measured message is under way any more
  double slowdown = 1;         ///< mean latency divided by mean unloaded latency
  std::uint64_t lost = 0;      ///< vanished messages among those created during the measurement
};

/// Beyond this slowdown a network counts as saturated, as does a network with a backlog that accepts less than this
/// share of the offered load.
inline constexpr double saturated_slowdown = 4, least_accepted = 0.95;

/// Whether the backlog alone decides, so that there is nothing to drain.
inline bool accepts_too_little(const Evidence& e) { return e.backlog && e.accepted < least_accepted * e.offered; }
Verdict verdict(const Evidence& evidence);

}  // namespace sunstar::traffic
