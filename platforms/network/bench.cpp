// SPDX-License-Identifier: MIT
#include "platforms/network/bench.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "models/core/error.h"
#include "models/kernel/sc_time_bridge.h"
#include "models/kernel/start_and_halt.h"
#include "platforms/kit/json_text.h"

namespace sunstar::traffic {
namespace {

/// The most messages that a node may have queued or under way: twice what the fabric holds of them, and 64 more.
std::uint64_t most_under_way(const Config& config, const network::Pace& pace) {
  return 64 + 2 * (pace.buffer_bytes / pace.flit.count) / config.workload.packet_flits;
}

/// The messages that the configuration asks for.
std::unique_ptr<Source> make_source(const Config& config, std::uint64_t seed) {
  const network::Fabrics& fabric = config.machine.network.kind;
  const network::Places places = network::places(fabric);
  if (const auto* trace = config.workload.kind.if_is<TraceParams>()) return message_trace(*trace, places);
  return bernoulli(config.workload.kind.as<SyntheticParams>(), config.workload.packet_flits, places,
                   network::pace(fabric), seed);
}

}  // namespace

Bench::Bench(const sc_core::sc_module_name& name, const Config& config, std::uint64_t seed, const Probe& probe,
             std::function<void(double, std::string_view)> progress)
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
  // Where the latency goes is measured (Measurement::times): terminals give their messages no paths.
  if (monitor_) monitor_->probe({probe.waves, probe.timeline, probe.log}, *network);
}

void Bench::add_faults(const Config& config, std::uint64_t seed, const Probe& probe) {
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
  const bool routers = network->topology() == "torus" || network->topology() == "mesh";
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
    for (std::uint32_t p = 0; p < network->ports() && !at_links && (routers || !of_routers); ++p)
      strike(network->port_name(p), [&](auto s) { network->add_fault_at_port(p, fault.effect, std::move(s)); });
    const bool at_ports = any || of_routers || fault.effect.is<network::PortDown>();
    std::string before;  // of a hub, all are one
    for (const auto& link : at_ports ? std::vector<Fabric::Link>{} : network->links())
      if (std::exchange(before, link.name) != link.name)
        strike(link.name, [&](auto s) { network->add_fault_at_link(link.channel, fault.effect, std::move(s)); });
    if (!any)
      throw ConfigError("faults." + std::to_string(i) + ".place is '" + fault.place + "', where nothing is that " +
                        effect + " strikes; " +
                        (at_links ? "'network.*' means all links." : "'network.*' means all ports."));
  }
}

void Bench::run(Time when, bool until_drained) {
  stop_when_drained_ = until_drained;
  if (when == now() || (until_drained && terminals.window_finished())) return;
  timetable_.run_ahead(when);
  if (when == Time::max()) start_kernel();
  else start_kernel(to_sc(when - now()));
  if (!network->deadlocked()) return;
  std::vector<std::string> lines;
  network->describe_waiting(lines);
  throw SimulationError(waiting_text("deadlock at " + std::to_string(seconds(now())) +
                                         " s: " + std::to_string(network->in_flight()) +
                                         " messages will never arrive, because these wait for one another:",
                                     lines));
}

void Bench::arrived(const Terminals::Arrival& a) {
  if (progress_ && now() >= told_ + step_) {
    told_ = now();
    progress_(std::min(0.001 * (seconds(told_) / seconds(step_)), 1.0),
              "simulated " + kit::short_number_text(seconds(told_) * 1e3) + " ms");
  }
  if (!terminals.in_window(a.created)) return;
  measurement.add(a, network->zero_load(a.from, a.to, a.bytes) + pace_.cycle);
  end_if_finished();
}

void Bench::end_if_finished() {
  // A trace's run is stopped at its last message: the timetable has run ahead of the kernel's time, which would stay
  // behind without this.
  if (measurement.trace() ? terminals.finished() : stop_when_drained_ && terminals.window_finished()) halt();
}

void Bench::halt() {
  timetable_.run_ahead(now());
  halt_.here();
}

}  // namespace sunstar::traffic
