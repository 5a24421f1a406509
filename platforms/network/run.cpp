// SPDX-License-Identifier: MIT
#include "platforms/network/run.h"

#include <algorithm>
#include <cmath>

#include "models/core/error.h"
#include "models/kernel/never_destroyed.h"
#include "models/kernel/sc_time_bridge.h"
#include "models/kernel/start_and_halt.h"
#include "platforms/kit/config.h"
#include "platforms/kit/explain/explanation.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/sinks.h"
#include "platforms/kit/statistics_text.h"
#include "platforms/kit/structure/network.h"
#include "platforms/network/bench.h"
#include "platforms/network/ping_pong.h"

namespace sunstar::traffic {
namespace {

LinkUse link_use(const network::Fabric& fabric) {
  LinkUse use;
  double sum = 0;
  for (const auto& link : fabric.links()) {
    const double share = fabric.utilisation(link.channel);
    ++use.links;
    sum += share;
    if (share > use.max) {
      use.max = share;
      use.busiest = link.name;
    }
  }
  if (use.links > 0) use.mean = sum / use.links;
  return use;
}

/// Measures window after window until the mean latency is known well enough or the network saturates. Returns the end
/// of the last window.
Time measure(Bench& bench, const SyntheticParams* synthetic) {
  const Measurement& measurement = bench.measurement;
  Time end = measurement.end();
  bench.run(end);
  for (int windows = 1; windows < most_windows && synthetic; ++windows) {
    if (bench.terminals.backlog() || measurement.slowdown() > saturated_slowdown ||
        measurement.precise(synthetic->precision))
      break;
    end += measurement.end() - measurement.begin();
    bench.terminals.extend_window(end);
    bench.run(end);
  }
  return end;
}

/// Where the mean latency goes.
kit::json::object explanation(const Measurement& measurement, const kit::json::object& statistics,
                              const Config& config) {
  const RequestTimes& times = measurement.times();
  Path path;
  path.spent[static_cast<std::size_t>(Stage::network)] = times.stage(1).mean();
  path.spent[static_cast<std::size_t>(Stage::network_wait)] = times.stage(0).mean() + times.stage(2).mean();
  CriticalPath paths;
  paths.requests(times);
  auto why = kit::explanation(paths, path, statistics, 1);
  kit::add_advice(why, config, "the mean latency");
  return why;
}

void check_delivery(const Terminals& terminals, bool all) {
  if (terminals.astray() > 0)
    throw SimulationError(std::to_string(terminals.astray()) +
                          " messages arrived at a node other than their destination");
  if (terminals.delivered() > terminals.created() || (all && !terminals.finished()))
    throw SimulationError(std::to_string(terminals.created()) + " messages were sent, " +
                          std::to_string(terminals.delivered()) + " have arrived");
}

const network::Fabric& built(const Config& config) {
  if (config.workload.kind.is<PingPongParams>()) return ping_pong_network(config);
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  return *never_destroyed<Bench>("machine", config, config.run.seed, Probe{}).network;
}

}  // namespace

void check_run(const Config& config) { built(config); }

kit::json::object structure(const Config& config) {
  const auto& kind = config.machine.network.kind;
  return {{"network", kit::network_structure(built(config), network::places(kind), kind.kind_name())}};
}

Trial run_trial(const Config& config, std::uint32_t trial, const kit::Watch& watch) {
  if (config.workload.kind.is<PingPongParams>()) return run_ping_pong(config, trial, watch);
  kit::HostMeter meter;
  const network::Pace pace = network::pace(config.machine.network.kind);
  const auto& records = config.run.records;
  const bool write_records = !records.empty() && trial == 0;
  if (write_records) kit::probe_output(records);
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  kit::Sinks sinks(watch);
  auto& bench = never_destroyed<Bench>("machine", config, config.run.seed + trial, sinks.probe(), watch.progress);
  sinks.check_scopes();
  const kit::Sinks::End end_of_recording(sinks);
  bench.measurement.keep_records = write_records;
  if (watch.explain) bench.measurement.explain();
  StatisticSet statistics;
  statistics.group([&bench](StatisticSet& set) { bench.network->add_statistics(set); });
  const Terminals& terminals = bench.terminals;
  const Measurement& measurement = bench.measurement;
  const auto* synthetic = config.workload.kind.if_is<SyntheticParams>();
  start_kernel(sc_core::SC_ZERO_TIME);  // elaboration
  meter.set_up();

  Result result;
  bench.run(measurement.begin());
  statistics.reset();
  const std::uint64_t bytes_before = terminals.delivered_bytes(), messages_before = terminals.delivered();
  const Time end = measure(bench, synthetic);
  const double span = seconds(now() - measurement.begin());
  const double flits =
      static_cast<double>(terminals.delivered_bytes() - bytes_before) / static_cast<double>(pace.flit.count);
  result.accepted = span == 0 ? 0 : flits * seconds(pace.flit_time) / span / bench.network->ports();
  result.measured_cycles = static_cast<std::uint64_t>(std::llround(span / seconds(pace.cycle)));
  result.links = link_use(*bench.network);
  result.warnings = bench.network->warnings();
  auto recorded = kit::to_json(statistics, config.run.statistics);
  if (synthetic) {
    Evidence evidence{synthetic->load, result.accepted};
    // In a saturated network, few of the messages created in the window are sent. What it accepts then rests on the
    // messages that arrive.
    evidence.messages = std::max(terminals.of_window(), terminals.delivered() - messages_before);
    evidence.backlog = terminals.backlog();
    if (!accepts_too_little(evidence)) bench.run(end + (measurement.last() - measurement.end()), true);
    evidence.drained = terminals.window_finished();
    evidence.slowdown = measurement.slowdown();
    result.verdict = verdict(evidence);
    // The model's own warnings would rest on just as few messages.
    if (!result.verdict->saturated)
      result.warnings.assign(1, "too few messages measured: " + std::to_string(evidence.messages) +
                                    ", and a verdict needs " + std::to_string(Measurement::least_messages) +
                                    "; raise workload.measured or workload.load");
  }
  if (const std::uint64_t lost = terminals.lost())
    result.warnings.push_back(std::to_string(lost) + std::string(lost == 1 ? " message" : " messages") +
                              " vanished by faults");
  sinks.close();
  check_delivery(terminals, !synthetic);

  result.messages = measurement.count();
  result.message_bytes = measurement.bytes();
  result.mean_hops = measurement.mean_hops();
  result.zero_load_cycles = measurement.mean_zero_load() / seconds(pace.cycle);
  result.latency = measurement.latency();
  result.latency_from_injection = measurement.latency_from_injection();
  result.verified = true;
  if (write_records) kit::write_file(records, measurement.records_text());
  auto host = meter.read<HostFigures>();
  host.kernel_events = sc_core::sc_delta_count();
  host.delivered_bytes = terminals.delivered_bytes();
  auto why = watch.explain ? explanation(measurement, recorded, config) : kit::json::object{};
  return {std::move(result), std::move(recorded), std::move(host), std::move(why)};
}

}  // namespace sunstar::traffic
