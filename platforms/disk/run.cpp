// SPDX-License-Identifier: MIT
#include "platforms/disk/run.h"

#include "models/scsi/target.h"
#include "platforms/disk/host.h"
#include "platforms/disk/samples.h"
#include "platforms/kit/config.h"
#include "platforms/kit/explain/explanation.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/sinks.h"

namespace sunstar::disk_platform {
namespace {

/// Reports a drive's requests and the moves of its heads, and leads the path of the requests on.
class DriveProbe {
 public:
  /// `now`: the time until which everything is known.
  DriveProbe(const kit::Watch& watch, disk::Drive& drive, const char* name, const Time& now)
      : now_(now),
        sinks_(watch, [this] { return told_until_; }),
        report_(sinks_.probe(), name, sinks_.probe().track(name, "requests", 0)),
        heads_(sinks_.probe(), drive, name, 0, sinks_.probe().track(name, "heads", 1)),
        lbn_(sinks_.probe(), std::string(name) + ".lbn", -1),
        request_(sinks_.probe(), std::string(name) + ".request", {"disk_request", {"none", "read", "write"}}),
        rate_(sinks_.probe(), name, "bytes a second"),
        paths_(sinks_.probe().path),
        sector_bytes_(drive.params().sector_size.count) {
    if (!paths_) return;
    paths_->start(Time{});
    const auto times = [&](const char* kind) {
      return &paths_->requests(kind, {"bus", "disk_overhead", "disk_seek", "disk_rotation", "disk_transfer"});
    };
    reads_ = times("read");
    writes_ = times("write");
  }
  explicit operator bool() const { return bool(sinks_.probe()); }
  const Probe& probe() const { return sinks_.probe(); }
  void check_scopes() const { sinks_.check_scopes(); }
  /// A request is issued, perhaps after some thinking.
  void issued(Time t) {
    if (!paths_) return;
    paths_->advance(path_, t, Stage::application);
    stages_ = {};
    bus_ = {};
  }
  /// The drive was called at `at` and answered with `ready`. Data before that call took longer than on the bus by
  /// `extra`.
  void answered(Time at, Time ready, Duration extra) {
    if (!paths_) return;
    bus_ += at - path_.at;
    paths_->advance(path_, at - extra, Stage::bus_data);
    paths_->advance(path_, at, Stage::drive_interface);
    heads_.settle(at);
    const disk::Delay& delay = heads_.explain(at, ready);
    for (std::size_t s = 0; s < stage_count; ++s) stages_[s] += delay.stages[s];
    drive_path_.answered(*paths_, path_, delay);
  }
  /// The request has ended with the drive's last answer.
  void ended(const Request& r, Time issued, Time status, hal::Status how) {
    if (paths_) {
      const auto spent = [&](Stage s) { return stages_[static_cast<std::size_t>(s)]; };
      (r.write ? writes_ : reads_)
          ->add({bus_, spent(Stage::disk_overhead), spent(Stage::disk_seek), spent(Stage::disk_rotation),
                 spent(Stage::disk_transfer)});
    }
    if (!sinks_.probe().files()) return;
    const std::string what = r.write ? "write" : "read";
    report_.span(what, issued, status, {{"lbn", r.lbn}, {"sectors", r.sectors}});
    rate_.count(status, r.sectors * sector_bytes_);
    report_.instant(LogLevel::info, issued, what, {{"lbn", r.lbn}, {"sectors", r.sectors}});
    report_.instant(
        LogLevel::info, status,
        what + (how == hal::Status::ok ? " ends" : " fails: " + std::string(hal::status_names[std::size_t(how)])));
    request_.change(issued, r.write ? 2 : 1);
    request_.change(status, 0);
    lbn_.change(issued, static_cast<int>(std::min<std::uint64_t>(r.lbn, std::numeric_limits<int>::max())));
    lbn_.change(status, -1);
    heads_.settle(now_);
    heads_.tell();
    told_until_ = now_;
  }
  void close() { sinks_.close(); }
  std::optional<kit::Watched> watched() const { return sinks_.watched(); }
  /// The section "explain" of the result.
  kit::json::object explanation(const kit::json::object& statistics, kit::ConstRef config) const {
    auto why = kit::explanation(*paths_, path_, statistics, 1);
    kit::add_advice(why, config);
    return why;
  }

 private:
  const Time& now_;
  Time told_until_{};  // the clock of the files
  kit::Sinks sinks_;
  Reporter report_;
  scsi::HeadsProbe heads_;
  Wave lbn_, request_;
  Rate rate_;
  CriticalPath* paths_;
  Path path_;
  disk::DrivePath drive_path_;
  Stages stages_{};  // of the present request
  Duration bus_{};
  RequestTimes *reads_ = nullptr, *writes_ = nullptr;
  std::uint64_t sector_bytes_;
};

const std::string instance = "machine.disk";
constexpr std::uint64_t synthetic_requests = 10000;

/// Where the requests come from, one at a time.
class Source {
 public:
  Source(const Config& config, const disk::Drive& drive, std::uint64_t seed) {
    const std::uint64_t sectors = drive.geometry().sectors(), sector = config.machine.disk.sector_size.count;
    const WorkloadParams& w = config.workload;
    if (const auto* load = w.kind.if_is<SyntheticParams>()) {
      synthetic_.emplace(*load, sectors, sector, seed);
      left_ = w.requests ? w.requests : synthetic_requests;
      return;
    }
    trace_ = read_requests(w, sectors, sector);
    left_ = trace_.size();
  }
  std::uint64_t left() const { return left_; }
  /// Whether requests of several devices come side by side.
  bool has_streams() const {
    return std::ranges::any_of(trace_, [](const Request& r) { return r.stream > 0; });
  }
  Request next() {
    --left_;
    return synthetic_ ? synthetic_->next() : trace_[at_++];
  }

 private:
  std::optional<SyntheticLoad> synthetic_;
  std::vector<Request> trace_;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;
};

std::string record(const Request& r, Time issued, Duration response, Duration bus, const disk::RequestTiming& t,
                   bool failed) {
  std::string line = concat(r.write ? "W," : "R,", r.lbn, ',', r.sectors);
  const auto add = [&](Duration d) { line += ',' + nanoseconds(d); };
  add(issued.time_since_epoch());
  add(response);
  if (r.measured > Duration{}) add(r.measured);
  else line += ',';
  for (Duration d : {t.overhead, t.wait, t.seek, t.rotation, t.transfer, bus}) add(d);
  line += failed ? ",failed\n" : t.hit ? ",hit\n" : t.streamed ? ",streamed\n" : ",miss\n";
  return line;
}

struct Bench {
  const bool fails;
  Host host;
  FaultyDrive& unit = host.drives.front();
  Source source;
  Bench(const Config& config, std::uint64_t seed)
      : fails(!config.faults.empty()), host(config.machine, seed), source(config, unit.drive(), seed) {}
  /// Carries a request out, after reads of the sectors that it writes in part.
  Host::Done serve(const Request& r, Time issued, DriveProbe& probe, Told& told) {
    Time at = issued;
    if (r.write)
      for (const std::uint64_t sector : r.partial) {
        at = one(false, at, sector, 1, probe).ends;
        told.add(false, unit.sector_bytes());
      }
    return one(r.write, at, r.lbn, r.sectors, probe);
  }
  Host::Done one(bool write, Time at, std::uint64_t lbn, std::uint32_t sectors, DriveProbe& probe) {
    if (fails) return host.carry_out(write, at, lbn, sectors);
    const auto done = unit.complete(write, at, lbn, sectors,
                                    [&](Time t, Time ready, Duration extra) { probe.answered(t, ready, extra); });
    return {done.status, done.bus};
  }
};

}  // namespace

kit::json::object structure(const Config& config) {
  const MachineParams& machine = config.machine;
  if (machine.nvme)
    return {{"drives",
             kit::json::array{kit::json::object{{"name", instance},
                                                {"type", machine.nvme->name},
                                                {"bytes_per_s", machine.nvme->link.data_rate().bytes_per_second}}}}};
  kit::json::array drives;
  for (std::uint32_t d = 0; d < disks_of(machine.array); ++d)
    drives.push_back(kit::json::object{{"name", "machine." + drive_name(machine.array, d)},
                                       {"type", machine.disk.name},
                                       {"bytes_per_s", machine.bus_rate.bytes_per_second}});
  return {{"drives", std::move(drives)}};
}

/// Whether requests may queue, or the drive is no disk: otherwise one comes after the other.
bool queued(const Config& config) {
  const auto* trace = config.workload.kind.if_is<TraceParams>();
  if (!trace) return config.workload.kind.is<ArrivalsParams>();
  return trace->depth > 1 || config.machine.nvme || !config.machine.array.kind.is<NoArray>();
}

void check_run(const Config& config) {
  if (queued(config)) return check_recorded(config);
  if (config.workload.kind.is<QueuesParams>()) return check_queues(config);
  Bench bench(config, config.run.seed);
}

kit::Trial<Result> run_trial(const Config& config, std::uint32_t trial, const kit::Watch& watch) {
  if (queued(config)) return run_recorded(config, trial, watch);
  if (config.workload.kind.is<QueuesParams>()) return run_queues(config, trial, watch);
  if (watch.explain && !config.faults.empty())
    throw ConfigError("--explain does not account for the time of faults; leave out one of them.");
  kit::HostMeter meter;
  Bench bench(config, config.run.seed + trial);
  if (bench.source.has_streams()) return run_recorded(config, trial, watch);
  meter.set_up();
  disk::Drive& drive = bench.unit.drive();
  StatisticSet statistics;
  drive.register_statistics(statistics, instance);
  const bool recorded = trial == 0 && !config.run.records.empty();
  const std::uint64_t sector = config.machine.disk.sector_size.count;

  Time now{}, reported{};
  DriveProbe probe(watch, drive, instance.c_str(), now);
  bench.unit.add(config.faults, "disk", config.run.seed + trial, probe.probe());
  probe.check_scopes();
  Samples samples;
  Parts parts;
  std::string records =
      "kind,lbn,sectors,issued_ns,response_ns,measured_ns,overhead_ns,wait_ns,seek_ns,rotation_ns,transfer_ns,bus_ns,"
      "buffer\n";
  std::uint64_t bytes = 0;
  Told told;
  const std::uint64_t requests_in_all = bench.source.left(), step = std::max<std::uint64_t>(1, requests_in_all / 1000);
  while (bench.source.left() > 0) {
    if (watch.progress && bench.source.left() % step == 0)
      watch.progress(1 - static_cast<double>(bench.source.left()) / static_cast<double>(requests_in_all),
                     "simulated " + kit::short_number_text(seconds(now)) + " s");
    const Request r = bench.source.next();
    const Time issued = now;
    probe.issued(issued);
    const auto done = bench.serve(r, issued, probe, told);
    const auto& timing = drive.timing();
    const bool ok = done.status == hal::Status::ok;
    if (ok) {
      samples.add(r, done.ends - issued);
      parts.add(timing, done.bus);
      bytes += r.sectors * sector;
      told.add(r.write, r.sectors * sector);
    }
    reported = done.ends;
    if (r.think > latest - reported)
      throw SimulationError(
          "after ", requests_in_all - bench.source.left(), " of ", requests_in_all,
          " requests the load would go beyond ", latest_s,
          " s, the most simulated time that can be counted; use fewer requests or shorter think times");
    now = reported + r.think;
    if (recorded) records += record(r, issued, done.ends - issued, done.bus, ok ? timing : disk::RequestTiming{}, !ok);
    if (probe) probe.ended(r, issued, done.ends, done.status);
  }
  probe.close();
  if (recorded) kit::write_file(config.run.records, records);

  Result result;
  if (!config.faults.empty()) {
    told = bench.unit.told();
    result.faults = bench.host.faults(std::max(now, drive.idle_at()));
    if (const std::uint64_t failed = result.faults->failed_requests)
      result.warnings.push_back(
          concat(failed, " requests ended with an error; only requests and the figures of faults count them"));
  }
  result.verified = told == counted(statistics);  // no bytes move here, so the drive's counts are all there is
  result.requests = requests_in_all;
  samples.fill(result, bytes, reported - Time{}, std::max(reported, drive.idle_at()) - Time{});
  parts.fill(result);
  warn_of_rig(config.machine, result);
  auto host = meter.read();
  host.watched = probe.watched();
  kit::Trial<Result> outcome{result, kit::to_json(statistics, config.run.statistics), host};
  if (watch.explain) outcome.explanation = probe.explanation(outcome.statistics, config);
  return outcome;
}

}  // namespace sunstar::disk_platform
