// SPDX-License-Identifier: MIT
#pragma once
#include <boost/json.hpp>
#include <optional>

#include "models/core/figure.h"
#include "platforms/kit/host.h"
#include "platforms/kit/results/common.h"

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

/// The confidence interval of the mean latency comes from the means of this many batches, each of at least two
/// messages. With fewer messages their scatter is unknown, and there is no verdict.
inline constexpr std::size_t batches = 20, least_messages = 2 * batches;

/// What these facts say of the network.
inline Verdict verdict(const Evidence& e) {
  if (e.messages < least_messages + e.lost) return {e.offered, {}, "none: too few messages measured"};
  const bool slow = e.slowdown > saturated_slowdown;
  return {e.offered, !e.drained || slow,
          accepts_too_little(e) ? "saturated: less than 95 % of the load is accepted"
          : !e.drained          ? "saturated: measured messages still wait when the drain ends"
          : slow                ? "saturated: messages take more than 4 times as long as without contention"
          : e.lost > 0          ? "steady: all measured messages have arrived or vanished"
                                : "steady: all measured messages have arrived"};
}

/// Latencies of messages in seconds and in cycles of the routers; unknown if no message has arrived.
struct Latency : kit::Latency {
  std::optional<double> mean_s = {}, mean_cycles = {}, half_width_s = {}, half_width_cycles = {};
  std::optional<double> p50_cycles = {}, p90_cycles = {}, p99_cycles = {}, max_cycles = {};
};
BOOST_DESCRIBE_STRUCT(Latency, (kit::Latency),
                      (mean_s, mean_cycles, half_width_s, half_width_cycles, p50_cycles, p90_cycles, p99_cycles,
                       max_cycles))
inline std::vector<Figure> figures(const Latency*) {
  return {{"mean_s", "mean", "s"},
          {"mean_cycles", "mean", "cycles"},
          {"half_width_s", "half the width of the 95 % confidence interval of the mean", "s"},
          {"half_width_cycles", "half the width of that interval", "cycles"},
          {"p50_cycles", "half of the messages took no longer", "cycles"},
          {"p90_cycles", "90 % of the messages took no longer", "cycles"},
          {"p99_cycles", "99 % of the messages took no longer", "cycles"},
          {"max_cycles", "the longest", "cycles"}};
}

struct LinkUse {
  std::uint32_t links = 0;
  double mean = 0, max = 0;
  std::optional<std::string> busiest;
};
BOOST_DESCRIBE_STRUCT(LinkUse, (), (links, mean, max, busiest))
inline std::vector<Figure> figures(const LinkUse*) {
  return {{"links", "number of links"},
          {"mean", "share of the time for which bytes crossed a link, mean of all links"},
          {"max", "the same for the busiest link"},
          Figure{"busiest", "the name of the busiest link, in the first trial"}.of_first()};
}

struct PingPong {
  double latency_us = 0, bandwidth_mb_per_s = 0;
};
BOOST_DESCRIBE_STRUCT(PingPong, (), (latency_us, bandwidth_mb_per_s))
inline std::vector<Figure> figures(const PingPong*) {
  return {{"latency_us", "half the time of a message to the other program and one back", "us"},
          {"bandwidth_mb_per_s", "bytes of windows of messages over their time, in 10^6 bytes", "MB/s"}};
}

struct Result {
  std::optional<Verdict> verdict;
  std::optional<PingPong> ping_pong;
  // A ping-pong's result leaves out its unknown figures.
  std::optional<double> accepted = {};
  std::optional<std::uint64_t> measured_cycles = {};
  std::uint64_t messages = 0, message_bytes = 0;
  std::optional<double> mean_hops = {}, zero_load_cycles = {};
  std::optional<Latency> latency = {}, latency_from_injection = {};
  std::optional<LinkUse> links = {};
  bool verified = false;
  std::vector<std::string> warnings;
};
BOOST_DESCRIBE_STRUCT(Result, (),
                      (verdict, ping_pong, accepted, measured_cycles, messages, message_bytes, mean_hops,
                       zero_load_cycles, latency, latency_from_injection, links, verified, warnings))
inline std::vector<Figure> figures(const Result*) {
  return {
      Figure{"verdict", "whether the network carries the offered load; only for synthetic traffic"}.flat(),
      {"ping_pong", "latency and bandwidth between two programs; only for a ping-pong"},
      Figure{"accepted", "flits that a node received on average in the time of one flit on a link"}
          .left_out_if_unknown(),
      Figure{"measured_cycles", "router cycles of the measurement"}.left_out_if_unknown(),
      {"messages", "measured messages that have arrived; of a ping-pong, all"},
      {"message_bytes", "bytes in these messages", "B"},
      Figure{"mean_hops", "links that a message crossed, on average"}.left_out_if_unknown(),
      Figure{"zero_load_cycles", "mean latency of the messages without contention", "cycles"}.left_out_if_unknown(),
      {"latency", "from creation to arrival"},
      {"latency_from_injection", "from leaving the node to arrival"},
      {"links", "how busy the links were"},
      {"verified",
       "whether every message that arrived was sent and reached its destination and, for a trace, all have arrived"},
      Figure{"warnings", "uses of the model beyond its range, in the first trial"}.of_first(),
  };
}

/// A trial's cost to the host, and the work done for it.
struct HostFigures : kit::HostFigures {
  std::uint64_t delivered_bytes = 0;
};
BOOST_DESCRIBE_STRUCT(HostFigures, (kit::HostFigures), (delivered_bytes))
inline std::vector<Figure> figures(const HostFigures*) {
  return {Figure{"delivered_bytes", "bytes of all messages that have arrived, measured or not", "B"}.summed()};
}

}  // namespace sunstar::traffic
