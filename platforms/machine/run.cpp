// SPDX-License-Identifier: MIT
#include "platforms/machine/run.h"

#include <chrono>

#include "models/core/error.h"
#include "models/kernel/sc_time_bridge.h"
#include "platforms/kit/cpu_time.h"
#include "platforms/kit/kinds.h"
#include "platforms/kit/statistics_text.h"
#include "platforms/kit/summary.h"
#include "platforms/machine/expand.h"
#include "platforms/machine/halt.h"
#include "platforms/machine/machine.h"
#include "platforms/machine/verify.h"
#include "sw/workload/content.h"
#include "sw/workload/pattern/pattern_workload.h"
#include "sw/workload/trace/trace_workload.h"

namespace sunstar::machine {

namespace {

constexpr double mib = 1 << 20;

/// A machine with its files laid out, ready to run.
struct Setting {
  Setting(const Config& config, std::uint64_t seed, const Watchers& watchers = {})
      : workload(make_workload(config)),
        machine("machine", config.machine, seed, memory_of_a_node(config, *workload), watchers) {
    machine.describe(system);
    system.params = config.file_system;
    system.workload = workload.get();
    system.start_skew = config.workload.start_skew;
    place_files(config, seed);
    for (std::uint32_t p = 0; p < system.compute.size(); ++p) {
      const std::uint64_t bytes = workload->memory_bytes(p);
      system.memory.push_back({bytes ? system.compute[p]->node().allocate(bytes) : nullptr, bytes});
    }
  }

  /// Buffers of the application, and the file system's own.
  static std::uint64_t memory_of_a_node(const Config& config, const workload::Workload& workload) {
    std::uint64_t most = 0;
    for (std::uint32_t p = 0; p < workload.processors(); ++p) most = std::max(most, workload.memory_bytes(p));
    return most + file_systems::FileSystem::memory(config.file_system, workload.processors(), config.machine.disks);
  }

  void place_files(const Config& config, std::uint64_t seed) {
    const auto& policy = io::layout_policy(config.file_system.layout);
    const io::Striping striping = system.striping();
    std::vector<io::DiskSpace> spaces;
    for (std::size_t d = 0; d < machine.disk_count(); ++d) {
      const scsi::Target& disk = machine.disk(d);
      spaces.emplace_back(
          io::DiskShape{disk.sectors(), disk.sector_size(), disk.drive().params().zones.front().sectors_per_track},
          disk.name());
    }
    for (std::size_t f = 0; f < workload->files().size(); ++f) {
      const workload::FileSpec& spec = workload->files()[f];
      io::StoredFile& stored = system.files.emplace_back();
      stored.bytes = spec.bytes;
      for (std::uint32_t d = 0; d < spaces.size(); ++d) {
        RandomStream random(seed, "layout " + std::to_string(f) + " on " + spaces[d].name());
        const io::LayoutRequest request{striping.blocks_on_disk(spec.bytes, d), striping.block_bytes, 0, spec.name};
        stored.on_disk.push_back(io::place_blocks(policy, request, spaces[d], random));
      }
    }
  }

  std::unique_ptr<workload::Workload> workload;
  Machine machine;
  Halt halt{"halt"};
  file_systems::System system;
};

std::uint32_t compute_processors(const MachineParams& machine) { return expanded(machine, 0).compute_processors; }

/// Where the requests of a trace went.
json::object to_json(const workload::TraceCounts& c) {
  json::object all;
  const auto add = [&](const char* name, const workload::TraceCounts::Count& n) {
    all[name] = {{"requests", n.requests}, {"bytes", n.bytes}};
  };
  add("read", c.read);
  add("filtered", c.filtered);
  add("zero_length", c.zero_length);
  add("scaled_out", c.scaled_out);
  add("kept", c.kept);
  return all;
}

/// The files that show a run.
class Watching {
 public:
  explicit Watching(const Watch& watch) {
    if (watch.vcd) waves_.emplace(*watch.vcd, watch.vcd_limit);
    if (watch.timeline) timeline_.emplace(*watch.timeline, watch.timeline_limit);
  }
  Watchers watchers() { return {waves_ ? &*waves_ : nullptr, timeline_ ? &*timeline_ : nullptr}; }

  void close() {
    if (waves_) waves_->close();
    if (timeline_) timeline_->close();
  }
  /// Closes them while the machine is still there, also when its simulation fails.
  struct End {
    explicit End(Watching& w) : watching(w) {}
    ~End() {
      try {
        watching.close();
      } catch (const ConfigError&) {  // the failure under way is the one to report
      }
    }
    Watching& watching;
  };

  /// What the run was watched with and what the monitors counted; throws where that is not what is reported.
  json::object report(const Machine& machine) const {
    json::object all;
    for (const auto& [what, monitored, reported] : machine.compare_monitors()) {
      if (monitored != reported)
        throw SimulationError("the monitors on the sockets disagree: " + what + ": " + std::to_string(monitored) +
                              " seen, " + std::to_string(reported) + " reported");
      all[what] = monitored;
    }
    json::object report{{"monitored", std::move(all)}};
    if (waves_)
      if (const auto sentence = waves_->truncation()) report["vcd"] = *sentence;
    if (timeline_) {
      report["timeline_spans"] = timeline_->spans();
      if (const auto sentence = timeline_->truncation()) report["timeline"] = *sentence;
    }
    return report;
  }

 private:
  std::optional<WaveFile> waves_;
  std::optional<Timeline> timeline_;
};

[[noreturn]] void report_deadlock(const Setting& e) {
  std::string text = "deadlock at " + std::to_string(seconds(now())) + " s: nothing is left to happen, " +
                     std::to_string(e.system.record.calls) + " calls have ended, and these wait:";
  const auto lines = e.machine.waiting();
  for (std::size_t i = 0; i < lines.size() && i < 40; ++i) text += "\n  " + lines[i];
  if (lines.size() > 40) text += "\n  and " + std::to_string(lines.size() - 40) + " more";
  throw SimulationError(text);
}

}  // namespace

std::unique_ptr<workload::Workload> make_workload(const Config& config) {
  const WorkloadParams& w = config.workload;
  if (w.kind == WorkloadKind::trace) {
    const workload::TraceParams trace{w.trace.string(), kit::to_text(w.time_unit), w.include, w.exclude,
                                      w.scale,          kit::to_text(w.pacing)};
    return std::make_unique<workload::TraceWorkload>(trace, compute_processors(config.machine));
  }
  const workload::PatternParams pattern{w.pattern, w.record_size, w.file_size, w.shape};
  return std::make_unique<workload::PatternWorkload>(pattern, compute_processors(config.machine));
}

void check_machine(const Config& config) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  Setting setting(config, config.run.seed);
}

json::object run_trial(const Config& config, std::uint32_t trial, const Watch& watch, const CreateFileSystem& create) {
  const auto host_start = std::chrono::steady_clock::now();
  const double cpu_start = kit::cpu_seconds();
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  const std::uint64_t seed = config.run.seed + trial;
  Watching watching(watch);
  Setting e(config, seed, watching.watchers());
  StatisticSet statistics;
  e.machine.add_statistics(statistics);
  fill_media(e.machine, e.system);
  fill_memories(e.system);
  e.system.record.latencies.reserve(e.workload->access_count());
  const auto file_system = create(e.system);
  const double setup = kit::cpu_seconds() - cpu_start;

  const auto bytes = static_cast<double>(e.workload->bytes_moved());
  double moved = 0, told = 0;
  if (watch.progress)
    e.system.record.when_moved = [&](std::uint64_t some) {
      moved += static_cast<double>(some);
      const double share = moved / bytes;
      if (share - told < 0.001) return;
      told = share;
      watch.progress(std::min(share, 1.0));
    };
  e.machine.watch(*file_system);
  const Watching::End end(watching);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
  file_system->start();
  file_system->add_statistics(statistics);
  // Utilisation counts to the end of the run, not to what the drives still do after it.
  e.system.record.when_finished = [&e] { e.halt.here(); };
  sc_core::sc_start();
  json::object figures = kit::to_json(statistics);
  if (e.system.record.finished && sc_core::sc_pending_activity()) sc_core::sc_start();
  watching.close();

  const file_systems::RunRecord& record = e.system.record;
  if (!record.finished) report_deadlock(e);
  const Verdict verdict = verify(e.machine, e.system, *file_system);

  const Time first = record.first_request;
  const Time last = std::max(*record.finished, record.last_disk_completion);
  const double elapsed = seconds(last - first);
  const double on_medium = seconds(std::max(last, e.machine.on_medium()) - first);

  json::object result;
  result["seed"] = seed;
  result["throughput_mib_per_s"] = bytes / mib / elapsed;
  result["medium_mib_per_s"] = bytes / mib / on_medium;
  result["elapsed_s"] = elapsed;
  result["verified"] = verdict.ok;
  result["bytes_verified"] = verdict.bytes;
  result["calls"] = record.calls;
  result["bytes_moved"] = record.bytes;
  result["messages"] = e.machine.network().messages();
  result["message_bytes"] = e.machine.network().message_bytes();
  result["disk_reads"] = record.disk_reads;
  result["disk_writes"] = record.disk_writes;
  if (const auto* trace = dynamic_cast<const workload::TraceWorkload*>(e.workload.get()))
    result["trace"] = to_json(trace->counts());
  if (const file_systems::Losses* losses = file_system->losses())
    result["losses"] = {
        {"calls_not_made", losses->calls}, {"bytes_not_made", losses->bytes}, {"cached_bytes", losses->cached_bytes}};
  result["latency"] = kit::to_json(kit::percentiles(record.latencies));
  const auto warnings = e.machine.network().warnings();
  result["warnings"] = json::array(warnings.begin(), warnings.end());
  json::object host;
  host["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - host_start).count();
  host["cpu_seconds"] = kit::cpu_seconds() - cpu_start;
  host["setup_cpu_seconds"] = setup;
  host["kernel_events"] = sc_core::sc_delta_count();
  if (watching.watchers().any()) host["watched"] = watching.report(e.machine);
  result["host"] = std::move(host);
  result["statistics"] = std::move(figures);
  return result;
}

}  // namespace sunstar::machine
