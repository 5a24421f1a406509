// SPDX-License-Identifier: MIT
#include "platforms/network/traffic_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "models/core/error.h"
#include "models/kernel/sc_time_bridge.h"
#include "models/network/message_monitor.h"
#include "platforms/kit/cpu_time.h"
#include "platforms/kit/output.h"
#include "platforms/kit/statistics_text.h"
#include "platforms/kit/trials.h"
#include "platforms/machine/halt.h"
#include "platforms/network/measurement.h"
#include "platforms/network/terminals.h"
#include "platforms/network/traffic_source.h"

namespace sunstar::traffic {

namespace {

/// Beyond this multiple of the latency without contention a network counts as saturated, as does one that accepts so
/// much less than it is offered.
constexpr double saturated_latency = 4, least_accepted = 0.95;
/// Steady state is measured for at most so many times workload.measured.
constexpr int most_windows = 10;

/// Messages of a node that may be on their way: twice what all buffers of a router hold.
std::uint64_t most_under_way(const Config& config, const network::Cube& cube) {
  const network::RouterParams& r = config.machine.network.router;
  const std::uint64_t buffers = (2 * cube.dimensions() + 1) * std::uint64_t{r.virtual_channels} * r.buffer_flits;
  return 64 + 2 * buffers / config.workload.packet_flits;
}

/// The network with terminals for nodes.
class Bench : public sc_core::sc_module {
 public:
  Bench(const sc_core::sc_module_name& name, const Config& config, std::uint64_t seed, const Watch& watch)
      : sc_module(name),
        cycle_(config.machine.network.router.cycle),
        measurement(config, cycle_),
        timetable_("timetable"),
        source_(make_traffic_source(config, seed)),
        // Before the network: what is created in a cycle is there when the network looks at that cycle.
        terminals("terminals", network::Cube(config.machine.network.shape).routers(), cycle_,
                  most_under_way(config, network::Cube(config.machine.network.shape)), measurement.window(), *source_,
                  timetable_, [this](const Terminals::Arrival& a) { arrived(a); }),
        network(network::Network::create("network", config.machine.network, seed, &timetable_)) {
    network->when_deadlocked = [this] { halt(); };
    if (watch.progress && !measurement.trace()) {
      progress_ = watch.progress;
      // Of the longest that it may take.
      step_ = std::max(Duration{1}, measurement.begin().time_since_epoch() / 1000 +
                                        (measurement.end() - measurement.begin()) / (1000 / most_windows));
    }
    if (watch.vcd) waves_.emplace(*watch.vcd, watch.vcd_limit);
    if (watch.timeline) timeline_.emplace(*watch.timeline, watch.timeline_limit);
    if (!waves_ && !timeline_) {
      terminals.bind(*network);
      return;
    }
    const std::uint32_t routers = network->cube().routers();
    monitor_ = std::make_unique<network::MessageMonitor>("message_monitor", routers);
    for (std::uint32_t r = 0; r < routers; ++r) {
      terminals.to_network[r].bind(monitor_->from_node[r]);
      monitor_->to_network[r].bind(network->from_node[r]);
      network->to_node[r].bind(monitor_->from_network[r]);
      monitor_->to_node[r].bind(terminals.from_network[r]);
      monitor_->set_name(r, std::string(this->name()) + ".terminal" + std::to_string(r) + ".interface");
    }
    if (waves_) {
      network->trace(*waves_);
      monitor_->trace(*waves_);
    }
    if (timeline_) monitor_->record(*timeline_);
  }
  /// Files that show the run are closed while the network is still there.
  ~Bench() override {
    try {
      close();
    } catch (const ConfigError&) {  // the failure under way is the one to report
    }
  }
  void close() {
    if (waves_) waves_->close();
    if (timeline_) timeline_->close();
  }
  bool watched() const { return monitor_ != nullptr; }

  /// Runs until `when`, or until all measured messages have arrived if that is asked for.
  void run(Time when, bool until_drained) {
    stop_when_drained_ = until_drained;
    if (when == now() || (until_drained && terminals.window_finished())) return;
    timetable_.run_ahead(when);
    if (when == Time::max()) sc_core::sc_start();
    else sc_core::sc_start(to_sc(when - now()));
    if (network->deadlocked()) report_deadlock();
  }

 private:
  void arrived(const Terminals::Arrival& a) {
    if (progress_ && now() >= told_ + step_) {
      told_ = now();
      progress_(std::min(0.001 * (seconds(told_) / seconds(step_)), 1.0));
    }
    if (!terminals.in_window(a.created)) return;
    measurement.add(a, network->zero_load(a.hops, a.bytes) + cycle_);
    // A trace ends with its last message: the kernel's time is behind where the timetable has run ahead, and would stay
    // there.
    if (measurement.trace() ? terminals.finished() : stop_when_drained_ && terminals.window_finished()) halt();
  }

  void halt() {
    timetable_.run_ahead(now());
    halt_.here();
  }

  [[noreturn]] void report_deadlock() const {
    std::string text = "deadlock at " + std::to_string(seconds(now())) + " s: " + std::to_string(network->in_flight()) +
                       " messages will never arrive, since these wait for one another:";
    std::vector<std::string> lines;
    network->describe_waiting(lines);
    for (std::size_t i = 0; i < lines.size() && i < 40; ++i) text += "\n  " + lines[i];
    if (lines.size() > 40) text += "\n  and " + std::to_string(lines.size() - 40) + " more";
    throw SimulationError(text);
  }

  Duration cycle_;

 public:
  Measurement measurement;

 private:
  Timetable timetable_;
  std::unique_ptr<TrafficSource> source_;

 public:
  Terminals terminals;
  std::unique_ptr<network::Network> network;

 private:
  Halt halt_{"halt"};
  std::unique_ptr<network::MessageMonitor> monitor_;
  std::optional<WaveFile> waves_;
  std::optional<Timeline> timeline_;
  bool stop_when_drained_ = false;
  std::function<void(double)> progress_;
  Time told_{};
  Duration step_{};
};

json::object utilisation(const network::Network& network) {
  double sum = 0, most = 0;
  std::uint32_t links = 0, busiest = 0;
  for (std::uint32_t c = 0; c < network.cube().channels(); ++c) {
    if (!network.cube().is_link(c)) continue;
    const double share = network.utilisation(c);
    ++links;
    sum += share;
    if (share > most) {
      most = share;
      busiest = c;
    }
  }
  return {{"links", links},
          {"mean", links == 0 ? 0 : sum / links},
          {"max", most},
          {"busiest", most > 0 ? json::value(network.cube().channel_name(busiest)) : json::value(nullptr)}};
}

}  // namespace

void check_traffic(const Config& config) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  Bench bench("machine", config, config.run.seed, {});
}

json::object run_traffic(const Config& config, std::uint32_t trial, const Watch& watch) {
  const auto host_start = std::chrono::steady_clock::now();
  const double cpu_start = kit::cpu_seconds();
  const auto& records = config.workload.records;
  const bool write_records = !records.empty() && trial == 0;
  if (write_records) kit::probe_output(records);
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  const std::uint64_t seed = config.run.seed + trial;
  Bench bench("machine", config, seed, watch);
  bench.measurement.keep_records = write_records;
  StatisticSet statistics;
  bench.network->add_statistics(statistics);
  const Terminals& terminals = bench.terminals;
  const Measurement& measurement = bench.measurement;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
  const double setup = kit::cpu_seconds() - cpu_start;
  bench.run(measurement.begin(), false);
  statistics.reset();
  const std::uint64_t delivered_before = terminals.delivered_bytes(), messages_before = terminals.delivered();
  Time end = measurement.end();
  bench.run(end, false);
  for (int windows = 1; windows < most_windows && !measurement.trace(); ++windows) {
    if (bench.terminals.backlog() || measurement.slowdown() > saturated_latency ||
        measurement.precise(config.workload.precision))
      break;
    end += measurement.end() - measurement.begin();
    bench.terminals.extend_window(end);
    bench.run(end, false);
  }
  const double span = seconds(now() - measurement.begin());
  const std::uint64_t delivered = terminals.delivered_bytes() - delivered_before;
  // Of a saturated network few of those created in the window get on their way; what it accepts then rests on those
  // that arrive.
  const std::uint64_t messages = std::max(terminals.of_window(), terminals.delivered() - messages_before);
  json::object figures = kit::to_json(statistics);
  const json::object links = utilisation(*bench.network);
  std::vector<std::string> warnings = bench.network->warnings();
  const double nodes = bench.network->cube().routers(), flit_time = seconds(config.machine.network.flit_time());
  const double flit_bytes = static_cast<double>(config.machine.network.router.flit_size.count);
  const double accepted = span == 0 ? 0 : static_cast<double>(delivered) / flit_bytes * flit_time / span / nodes;
  const bool too_little =
      !measurement.trace() && terminals.backlog() && accepted < least_accepted * config.workload.load;
  if (!measurement.trace() && !too_little) bench.run(end + (measurement.last() - measurement.end()), true);
  const bool drained = terminals.window_finished();
  bench.close();

  if (terminals.astray() > 0)
    throw SimulationError(std::to_string(terminals.astray()) +
                          " messages arrived at another node than the one they were sent to");
  if (terminals.delivered() > terminals.created() || (measurement.trace() && !terminals.finished()))
    throw SimulationError(std::to_string(terminals.created()) + " messages were sent, " +
                          std::to_string(terminals.delivered()) + " have arrived");

  const double slowdown = measurement.slowdown();

  json::object result;
  result["seed"] = seed;
  if (!measurement.trace()) {
    const bool too_few = messages < Measurement::least_messages;
    result["offered"] = config.workload.load;
    result["saturated"] = too_few ? json::value(nullptr) : json::value(!drained || slowdown > saturated_latency);
    result["verdict"] = too_few      ? "none: too few messages measured"
                        : too_little ? "saturated: less than 95 % of the load is accepted"
                        : !drained   ? "saturated: measured messages still wait when the drain ends"
                        : slowdown > saturated_latency
                            ? "saturated: messages take more than 4 times as long as without contention"
                            : "steady: all measured messages have arrived";
    // What the model says of itself then rests on as little.
    if (too_few)
      warnings.assign(1, "too few messages measured: " + std::to_string(messages) + ", and a verdict needs " +
                             std::to_string(Measurement::least_messages) +
                             "; raise workload.measured or workload.load");
  }
  result["accepted"] = accepted;
  result["measured_cycles"] =
      static_cast<std::uint64_t>(std::llround(span / seconds(config.machine.network.router.cycle)));
  result["messages"] = measurement.count();
  result["message_bytes"] = measurement.bytes();
  result["mean_hops"] = measurement.mean_hops();
  result["zero_load_cycles"] = measurement.mean_zero_load() / seconds(config.machine.network.router.cycle);
  result["latency"] = measurement.latency();
  result["latency_from_injection"] = measurement.latency_from_injection();
  result["links"] = links;
  result["verified"] = true;
  result["warnings"] = json::array(warnings.begin(), warnings.end());
  json::object host;
  host["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - host_start).count();
  host["cpu_seconds"] = kit::cpu_seconds() - cpu_start;
  host["setup_cpu_seconds"] = setup;
  host["kernel_events"] = sc_core::sc_delta_count();
  host["delivered_bytes"] = terminals.delivered_bytes();
  result["host"] = std::move(host);
  result["statistics"] = std::move(figures);
  if (write_records) kit::write_file(records, measurement.records_text());
  return result;
}

json::object report_traffic(std::vector<json::object> trials) {
  // Figures are means over the trials, unknown if one of them is; what is said in words is the first trial's.
  const auto mean = [&](auto&& get) -> json::value {
    double sum = 0;
    for (const auto& t : trials) {
      const json::value& figure = get(t);
      if (!figure.is_number()) return nullptr;
      sum += figure.to_number<double>();
    }
    return sum / static_cast<double>(trials.size());
  };
  json::object result = trials.front();
  for (const char* key : {"seed", "host", "statistics"}) result.erase(key);
  for (auto& [key, value] : result) {
    if (value.is_number() && trials.size() > 1)
      value = mean([&key = key](const json::object& t) -> auto& { return t.at(key); });
    if (auto* section = value.if_object())
      for (auto& [name, figure] : *section)
        if (figure.is_number() && trials.size() > 1)
          figure = mean([&key = key, &name = name ](const json::object& t) -> auto& { return t.at(key).at(name); });
  }
  // The worst verdict of all: saturated, none, steady.
  const auto badness = [](const json::object& o) {
    return o.at("saturated").is_null() ? 1 : o.at("saturated").as_bool() ? 2 : 0;
  };
  if (result.contains("saturated"))
    for (const auto& t : trials)
      if (badness(t) > badness(result)) {
        result["saturated"] = t.at("saturated");
        result["verdict"] = t.at("verdict");
      }
  result["latency"].as_object()["span"] = "of each measured message, from its creation to the arrival of its tail";
  result["latency_from_injection"].as_object()["span"] = "from its leaving the queue of its node";

  return kit::run_document(std::move(result), std::move(trials),
                           {"cpu_seconds", "setup_cpu_seconds", "kernel_events", "delivered_bytes"});
}

}  // namespace sunstar::traffic
