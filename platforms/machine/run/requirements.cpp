// SPDX-License-Identifier: MIT
#include "platforms/machine/run/run.h"

namespace sunstar::machine {

namespace {

using file_systems::Capabilities;

struct Demand {
  const Plan& plan;
  const workload::Workload& workload;
  const Capabilities& can = file_systems::capabilities(plan.file_system.kind);
  std::string kind = std::string(plan.file_system.kind.kind_name());

  std::string workload_kind(std::uint32_t team) const {
    const auto& jobs = plan.workload.jobs;
    return std::string((jobs.empty() ? plan.workload.kind : jobs[team].kind).kind_name());
  }
  bool in_calls(std::uint32_t team) const { return file_systems::unit(can, workload, team) == workload::Unit::call; }
};

/// "set file_system.kind to a, b or c": the kinds that can.
std::string choose(bool (*test)(const Capabilities&)) {
  return "set file_system.kind to " + listed(file_systems::kinds_that(test), "or", false);
}

void a_node_each(const Demand& d) {
  if (d.can.shares_nodes) return;
  std::vector<std::uint32_t> places;
  for (std::uint32_t p = 0; p < d.workload.processors(); ++p) places.push_back(d.workload.node(p));
  std::ranges::sort(places);
  if (std::ranges::adjacent_find(places) != places.end())
    throw ConfigError("the workload has several processes on a compute processor, but ", d.kind, " runs one on each; ",
                      choose([](const Capabilities& can) { return can.shares_nodes; }),
                      ", or give each process a processor.");
}

void survival(const Demand& d) {
  const bool link = std::ranges::any_of(d.plan.faults, [](const Fault& f) { return f.effect.is<network::LinkDown>(); });
  const bool cut_off = std::ranges::any_of(d.plan.faults, cuts_off_nodes);
  if ((cut_off || link) && d.workload.teams().size() > 1)
    throw ConfigError(
        "faults: several applications run, and none survives a node that stops, pauses or is cut off, as a link that "
        "fails may do; leave out these faults, or run one application.");
  if (!cut_off) return;
  if (d.workload.stops_by_time())
    throw ConfigError(
        "faults: the workload stops at a deadline (workload.deadline), so the remaining work of a node that stops, "
        "pauses or is cut off would be unknown; set the deadline to 0s, or leave out these faults.");
  if (d.can.survives_stops || d.workload.files().empty()) return;
  throw ConfigError("faults: ", d.kind, " does not survive a node that stops, pauses or is cut off; ",
                    choose([](const Capabilities& can) { return can.survives_stops; }), ", or leave out the faults.");
}

void selection(const Demand& d) {
  if (d.can.selects_records) return;
  for (const workload::Collective& c : d.workload.collectives())
    if (c.selection)
      throw ConfigError(d.workload.path(c.team), ".kind is records, but ", d.kind,
                        " does not distribute records by their bytes; ",
                        choose([](const Capabilities& can) { return can.selects_records; }), ".");
}

/// Checks the units that a job asks for, and requests that can only be calls (those for forks, repeated ones) or only
/// collectives.
void calls(const Demand& d) {
  using workload::Unit;
  const auto teams = d.workload.teams();
  for (std::uint32_t t = 0; t < teams.size(); ++t) {
    const std::string path = d.workload.path(t);
    const auto has = [&](Unit unit) { return d.workload.totals(unit, t).units > 0; };
    if (d.in_calls(t)) {
      if (has(Unit::collective) && !has(Unit::call))
        throw ConfigError(path, ".collective: the requests of ", d.workload_kind(t), " are collectives here, but ",
                          d.kind, " carries out calls of single processors; ",
                          choose([](const Capabilities& can) { return can.collectives; }), ", or collective to none.");
      continue;
    }
    if (teams[t].calls && !d.plan.workload.jobs.empty())
      throw ConfigError(path, ".calls is true, but ", d.kind, " carries out collectives only; ",
                        choose([](const Capabilities& can) { return can.calls && can.collectives; }),
                        ", or calls to false.");
    const bool only_calls = !has(Unit::collective) && has(Unit::call);
    if (only_calls || d.workload.fork_requests(teams[t].first))
      throw ConfigError(path, ".kind is ", d.workload_kind(t), ", whose requests are calls of single processors, but ",
                        d.kind, " carries out collectives here; ",
                        choose([](const Capabilities& can) { return can.calls && !can.collectives; }),
                        d.workload_kind(t) == workload::IorParams::kind ? ", or collective to transfer or phase" : "",
                        ", or calls to true for a job of workload.jobs on a hybrid.");
  }
}

}  // namespace

void require_capable(const Plan& plan, const workload::Workload& workload) {
  if (workload.streams()) {
    if (std::ranges::none_of(plan.faults, cuts_off_nodes)) return;
    throw ConfigError(
        "faults: workload.kind is streams, which does not survive a node that stops, pauses or is cut off; leave out "
        "these faults.");
  }
  const Demand demand{plan, workload};
  a_node_each(demand);
  survival(demand);
  selection(demand);
  calls(demand);
}

}  // namespace sunstar::machine
