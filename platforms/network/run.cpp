// SPDX-License-Identifier: MIT
#include "platforms/network/run.h"

#include <fnmatch.h>

#include "models/kernel/simulation.h"
#include "platforms/kit/config.h"
#include "platforms/kit/explain/explanation.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/sinks.h"
#include "platforms/kit/structure/network.h"
#include "platforms/network/measurement.h"

namespace sunstar::traffic {
namespace {

/// Synthetic traffic is measured for at most this many times workload.measured.
constexpr int most_windows = 10;

/// The most messages that a node may have queued or under way: twice the fabric's capacity for them, and 64 more.
std::uint64_t most_under_way(const Config& config, const network::Pace& pace) {
  return 64 + 2 * (pace.buffer_bytes / pace.flit.count) / config.workload.packet_flits;
}

std::unique_ptr<Source> make_source(const Config& config, std::uint64_t seed) {
  const network::Fabrics& fabric = config.machine.network.kind;
  const network::Places places = network::places(fabric);
  if (const auto* trace = config.workload.kind.if_is<TraceParams>()) return message_trace(*trace, places);
  return bernoulli(config.workload.kind.as<SyntheticParams>(), config.workload.packet_flits, places,
                   network::pace(fabric), seed);
}

/// A network with terminals in place of nodes.
class Bench : public sc_core::sc_module {
  network::Pace pace_;

 public:
  /// Reports to `progress` how much of the run's longest possible time has passed. Throws ConfigError for a trace that
  /// cannot be read and for a fault that strikes nothing or that the network
  /// cannot bear.
  Bench(const sc_core::sc_module_name& name, const Config& config, std::uint64_t seed, const Probe& probe,
        std::function<void(double, std::string_view)> progress = {})
      : sc_module(name),
        pace_(network::pace(config.machine.network.kind)),
        measurement(config, pace_.cycle),
        timetable_("timetable"),
        source_(make_source(config, seed)),
        terminals("terminals", network::places(config.machine.network.kind).ports(), pace_.cycle,
                  most_under_way(config, pace_), measurement.window(), *source_, timetable_,
                  [this](const Terminals::Arrival& a) { arrived(a); }),
        network(network::make(config.machine.network.kind, "network", seed, &timetable_)) {
    network->when_deadlocked = [this] { halt(); };
    if (!config.faults.empty()) add_faults(config, seed, probe);
    if (progress && !measurement.trace()) {
      progress_ = std::move(progress);
      step_ = std::max(Duration{1}, measurement.begin().time_since_epoch() / 1000 +
                                        (measurement.end() - measurement.begin()) / (1000 / most_windows));
    }
    if (probe.files()) monitor_ = std::make_unique<network::MessageMonitor>("message_monitor", network->ports());
    terminals.connect(*network, monitor_.get());
    network->probe(probe);
    // Measurement::times() measures the parts of the latency: terminals give their messages no paths.
    if (monitor_) monitor_->probe({probe.waves, probe.timeline, probe.log}, *network);
  }

  /// Runs until `when` or, with `until_drained`, until all measured messages have arrived if that is earlier. Throws
  /// SimulationError for a deadlock.
  void run(Time when, bool until_drained = false) {
    stop_when_drained_ = until_drained;
    if (when == now() || (until_drained && terminals.window_finished())) return;
    timetable_.run_ahead(when);
    if (when == Time::max()) start_kernel();
    else start_kernel(to_sc(when - now()));
    if (!network->deadlocked()) return;
    std::vector<std::string> lines;
    network->describe_waiting(lines);
    throw SimulationError(waiting_text(concat("deadlock at ", seconds(now()), " s: ", network->in_flight(),
                                              " messages will never arrive, because these wait for one another:"),
                                       lines));
  }
  Measurement measurement;

 private:
  Timetable timetable_;
  std::unique_ptr<Source> source_;

 public:
  // Declared before the network, so that a cycle's new messages are there when the network looks at that cycle.
  Terminals terminals;
  std::unique_ptr<network::Fabric> network;

 private:
  void add_faults(const Config& config, std::uint64_t seed, const Probe& probe) {
    using network::Fabric;
    terminals.when_lost = [this] { end_if_finished(); };
    network->when_dropped = [this](const network::Route& route, Fabric::Loss why) {
      if (monitor_) monitor_->dropped(route, why);
      terminals.dropped(route);
    };
    network->when_duplicated = [this](const network::Route& route) {
      if (monitor_) monitor_->duplicated(route);
      terminals.duplicated(route);
    };
    const network::Places places = network::places(config.machine.network.kind);
    const std::uint32_t routers = places.ports_per_router == 0 ? 0 : network->ports() / places.ports_per_router;
    for (std::size_t i = 0; i < config.faults.size(); ++i) {
      const auto& fault = config.faults[i];
      const std::string effect(fault.effect.kind_name());
      bool any = false;
      const auto strike = [&](const std::string& part, auto add) {
        if (::fnmatch(fault.place.c_str(), ("network." + part).c_str(), 0) != 0) return;
        const std::string instance = std::string(network->name()) + "." + part;
        faults::Strikes strikes(fault.trigger, fault.extent(), seed, instance + ".faults." + std::to_string(i));
        strikes.when_struck = [effect, report = Reporter(probe, instance)](Time at) {
          report.instant(LogLevel::info, at, "fault: " + effect);
        };
        add(std::move(strikes));
        any = true;
      };
      const bool at_links = fault.effect.is<network::LinkDown>(), of_routers = fault.effect.is<network::RouterDown>();
      if (const std::string why = network->unsafe_detours(); !why.empty() && (at_links || of_routers))
        throw ConfigError("faults.", i, ".effect is ", effect, ", but ", why);
      for (std::uint32_t r = 0; r < routers && of_routers; ++r)
        strike("router" + std::to_string(r),
               [&](auto s) { network->add_fault_at_router(r, fault.effect, std::move(s)); });
      for (std::uint32_t p = 0; p < network->ports() && !at_links && !of_routers; ++p)
        strike(network->port_name(p), [&](auto s) { network->add_fault_at_port(p, fault.effect, std::move(s)); });
      const bool at_ports = any || of_routers || fault.effect.is<network::PortDown>();
      std::string before;  // all links of a hub are one
      for (const auto& link : at_ports ? std::vector<Fabric::Link>{} : network->links())
        if (std::exchange(before, link.name) != link.name)
          strike(link.name, [&](auto s) { network->add_fault_at_link(link.channel, fault.effect, std::move(s)); });
      if (!any)
        throw ConfigError("faults.", i, ".place is '", fault.place, "', where nothing is that ", effect, " strikes; ",
                          at_links ? "'network.*' means all links." : "'network.*' means all ports.");
    }
  }
  void arrived(const Terminals::Arrival& a) {
    if (progress_ && now() >= told_ + step_) {
      told_ = now();
      progress_(std::min(0.001 * (seconds(told_) / seconds(step_)), 1.0),
                "simulated " + kit::short_number_text(seconds(told_) * 1e3) + " ms");
    }
    if (!terminals.in_window(a.created)) return;
    measurement.add(a, network->zero_load(a.from, a.to, a.bytes) + pace_.cycle);
    end_if_finished();
  }
  void end_if_finished() {
    // A trace's run is stopped at its last message: the timetable has run ahead of the kernel's time, which would
    // otherwise stay behind.
    if (measurement.trace() ? terminals.finished() : stop_when_drained_ && terminals.window_finished()) halt();
  }
  void halt() {
    timetable_.run_ahead(now());
    halt_.here();
  }

  Halt halt_{"halt"};
  std::unique_ptr<network::MessageMonitor> monitor_;
  bool stop_when_drained_ = false;
  std::function<void(double, std::string_view)> progress_;
  Time told_{};
  Duration step_{};
};

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
    throw SimulationError(terminals.astray(), " messages arrived at a node other than their destination");
  if (terminals.delivered() > terminals.created() || (all && !terminals.finished()))
    throw SimulationError(terminals.created(), " messages were sent, ", terminals.delivered(), " have arrived");
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
    Evidence evidence{synthetic->load, *result.accepted};
    // In a saturated network, few of the messages created in the window are sent. Its accepted load then follows from
    // the messages that arrive.
    evidence.messages = std::max(terminals.of_window(), terminals.delivered() - messages_before);
    evidence.backlog = terminals.backlog();
    if (!accepts_too_little(evidence)) bench.run(end + (measurement.last() - measurement.end()), true);
    evidence.drained = terminals.window_finished();
    evidence.lost = terminals.lost_of_window();
    evidence.slowdown = measurement.slowdown();
    result.verdict = verdict(evidence);
    // The model's own warnings would follow from just as few messages.
    if (!result.verdict->saturated)
      result.warnings.assign(
          1, concat("too few messages measured: ", evidence.messages - std::min(evidence.messages, evidence.lost),
                    ", and a verdict needs ", least_messages, "; raise workload.measured or workload.load"));
  }
  if (const std::uint64_t lost = terminals.lost())
    result.warnings.push_back(concat(lost, lost == 1 ? " message" : " messages", " vanished by faults"));
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
  HostFigures host{meter.read()};
  host.kernel_events = sc_core::sc_delta_count();
  host.delivered_bytes = terminals.delivered_bytes();
  auto why = watch.explain ? explanation(measurement, recorded, config) : kit::json::object{};
  return {std::move(result), std::move(recorded), std::move(host), std::move(why)};
}

}  // namespace sunstar::traffic
