// SPDX-License-Identifier: MIT
#include "platforms/disk/nvme_player.h"
#include "platforms/disk/run.h"
#include "platforms/disk/samples.h"
#include "platforms/kit/config.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/sinks.h"

namespace sunstar::disk_platform {
namespace {

/// The drives, as machine.* in the result.
std::string instance_of(const Config& config, std::uint32_t d) {
  return "machine." + drive_name(config.machine.array, d);
}

/// The requests, and what plays them: an NVMe drive, or an array of disks or a disk with its driver.
struct RecordedBench {
  std::unique_ptr<nvme::Device> device;
  std::optional<NvmePlayer> nvme;
  std::optional<ArrayPlayer> array;
  std::optional<Pacer> pacer;
  std::uint64_t sector;  // bytes

  RecordedBench(const Config& c, std::uint64_t seed) : sector(c.machine.disk.sector_size.count) {
    std::uint64_t sectors = 0;
    if (c.machine.nvme) {
      device = std::make_unique<nvme::Device>(*c.machine.nvme, seed, instance_of(c, 0));
      nvme.emplace(*device, c.machine.driver.timeout);
      sectors = device->sectors();
      sector = device->sector_size();
    } else {
      sectors = array.emplace(c.machine, seed).sectors();
    }
    pacer.emplace(read_requests(c.workload, sectors, sector), depth_of(c.workload));
  }
  void play(const RequestEnded& ended) { nvme ? nvme->play(*pacer, ended) : array->play(*pacer, ended); }
};

std::string record(const Outcome& o) {
  const Request& r = o.request;
  return concat(r.write ? "W," : "R,", r.lbn, ',', r.sectors, ',', nanoseconds(r.arrives.time_since_epoch()), ',',
                nanoseconds(o.ended - r.arrives), ',', r.measured > Duration{} ? nanoseconds(r.measured) : "", ',',
                o.reads, ',', o.writes, ',', o.rows.read_modify_write, ',', o.rows.reconstruct, ',', o.rows.full, ',',
                o.rows.degraded, o.lost ? ",1\n" : ",0\n");
}

/// The figures of the drivers, for a run of that length.
ArrayFigures figures_of(ArrayPlayer& player, Duration length) {
  ArrayFigures f;
  Duration reading{}, writing{};
  f.utilisation_min = 1;
  std::uint32_t number = 0;
  for (const FaultyDrive& d : player.drives()) {
    const FaultyDrive::Counts& c = d.counts();
    f.disk_reads += c.reads;
    f.disk_writes += c.writes;
    reading += c.reading;
    writing += c.writing;
    const double busy = length > Duration::zero() ? seconds(c.reading + c.writing) / seconds(length) : 0;
    f.utilisation_mean += busy / static_cast<double>(player.drives().size());
    f.utilisation_min = std::min(f.utilisation_min, busy);
    f.utilisation_max = std::max(f.utilisation_max, busy);
    NamedFigures& own = f.disks.section(std::to_string(number++));
    own.add("reads", c.reads);
    own.add("writes", c.writes);
    own.add("utilisation", busy);
  }
  const auto mean = [](Duration sum, std::uint64_t n) -> std::optional<double> {
    return n > 0 ? std::optional(seconds(sum) * 1e3 / static_cast<double>(n)) : std::nullopt;
  };
  f.read_service_ms = mean(reading, f.disk_reads);
  f.write_service_ms = mean(writing, f.disk_writes);
  f.service_ms = mean(reading + writing, f.disk_reads + f.disk_writes);
  return f;
}

/// Shows the commands of a drive.
std::function<void(const FaultyDrive::Command&)> reporting(const Probe& probe, const std::string& instance,
                                                           Time& told) {
  return [report = Reporter(probe, instance),
          command = Wave(probe, instance + ".command", {"disk_command", {"none", "read", "write"}}),
          &told](const FaultyDrive::Command& c) {
    const std::string what = c.write ? "write" : "read";
    const bool ok = c.status == hal::Status::ok;
    report.instant(LogLevel::info, c.sent, what, {{"lbn", c.lbn}, {"sectors", c.sectors}});
    report.instant(LogLevel::info, c.ends,
                   what + (ok ? " ends" : " fails: " + std::string(hal::status_names[std::size_t(c.status)])));
    command.change(c.sent, c.write ? 2 : 1);
    command.change(c.ends, 0);
    told = c.sent;
  };
}

void watch_drives(RecordedBench& bench, const Config& config, std::uint64_t seed, const Probe& probe,
                  FaultFigures& faults, Parts& parts, Time& told) {
  if (bench.device) {
    add_faults(
        config.faults, "disk", seed, probe, faults.struck, [&]() -> auto& { return bench.device->faults(); });
    return;
  }
  for (std::uint32_t d = 0; d < bench.array->drives().size(); ++d) {
    FaultyDrive& drive = bench.array->drives()[d];
    drive.add(config.faults, drive_name(config.machine.array, d), seed, probe);
    if (probe.files()) drive.when_sent = reporting(probe, instance_of(config, d), told);
    drive.when_ended = [&parts, &drive](const FaultyDrive::Command& command) {
      if (command.status == hal::Status::ok) parts.add(drive.drive().timing(), command.bus);
    };
  }
}

StatisticSet statistics_of(RecordedBench& bench, const Config& config) {
  StatisticSet statistics;
  if (bench.device) bench.device->drive().register_statistics(statistics, instance_of(config, 0));
  for (std::uint32_t d = 0; bench.array && d < bench.array->drives().size(); ++d)
    bench.array->drives()[d].drive().register_statistics(statistics, instance_of(config, d));
  return statistics;
}

}  // namespace

void check_recorded(const Config& config) { RecordedBench bench(config, config.run.seed); }

kit::Trial<Result> run_recorded(const Config& config, std::uint32_t trial, const kit::Watch& watch) {
  if (watch.timeline || watch.explain)
    throw ConfigError(
        "--timeline and --explain show one disk by itself that serves one request after the other, as of the kind "
        "trace with one device and workload.depth=1.");
  kit::HostMeter meter;
  const std::uint64_t seed = config.run.seed + trial;
  RecordedBench bench(config, seed);
  meter.set_up();
  const StatisticSet statistics = statistics_of(bench, config);
  Time told{};
  kit::Sinks sinks(watch, [&] { return told; });
  Parts parts;
  FaultFigures faults;
  watch_drives(bench, config, seed, sinks.probe(), faults, parts, told);
  sinks.check_scopes();
  const bool recorded = trial == 0 && !config.run.records.empty();

  Samples samples;
  io::redundant::RowCounts rows;
  std::string records =
      "kind,lbn,sectors,issued_ns,response_ns,measured_ns,disk_reads,disk_writes,read_modify_write,reconstruct,full,"
      "degraded,lost\n";
  std::uint64_t bytes = 0, lost = 0, ended = 0;
  Told planned;
  const std::uint64_t in_all = bench.pacer->requests().size(), step = std::max<std::uint64_t>(1, in_all / 1000);
  const Time first = bench.pacer->due();
  Time last = first;
  bench.play([&](const Outcome& o) {
    if (watch.progress && ++ended % step == 0)
      watch.progress(static_cast<double>(ended) / static_cast<double>(in_all),
                     "simulated " + kit::short_number_text(seconds(o.ended)) + " s");
    if (recorded) records += record(o);
    lost += o.lost;
    if (o.lost) return;
    samples.add(o.request, o.ended - o.request.arrives);
    bytes += o.request.sectors * bench.sector;
    planned.reads += o.reads;
    planned.writes += o.writes;
    add_members(rows, o.rows);
    last = std::max(last, o.ended);
  });
  sinks.close();
  if (recorded) kit::write_file(config.run.records, records);

  Result result;
  Told sent;
  Time on_medium = last;
  if (bench.nvme) {
    sent = bench.nvme->told();
    on_medium = std::max(last, bench.device->drive().idle_at());
    faults.failed_requests = faults.failed_commands = lost;
    note_ranges(bench.device->faults(), faults);
  } else {
    for (const FaultyDrive& d : bench.array->drives()) {
      add_members(sent, d.told());
      on_medium = std::max(on_medium, d.drive().idle_at());
    }
    faults = bench.array->faults(on_medium);
    result.array = figures_of(*bench.array, last - first);
    result.array->read_modify_write = rows.read_modify_write;
    result.array->reconstruct = rows.reconstruct;
    result.array->full = rows.full;
    result.array->degraded = rows.degraded;
    result.array->lost = lost;
    result.array->most_outstanding = bench.pacer->most_under_way();
  }
  // Whether the drives counted what they were sent, and this was planned if there are no faults.
  result.verified = sent == counted(statistics);
  if (config.faults.empty()) result.verified &= sent.reads == planned.reads && sent.writes == planned.writes;
  else result.faults = faults;
  result.requests = in_all;
  samples.fill(result, bytes, last - first, on_medium - first);
  parts.fill(result);
  if (result.work && config.machine.array.kind.is<NoArray>() && result.response.mean_ms && result.array->service_ms)
    result.work->queue_ms = *result.response.mean_ms - *result.array->service_ms *
                                                           static_cast<double>(sent.reads + sent.writes) /
                                                           static_cast<double>(samples.count());
  warn_of_rig(config.machine, result);
  if (lost > 0)
    result.warnings.push_back(
        concat(lost, bench.nvme ? " requests failed; no other figure counts them"
                                : " requests were not carried out, because more disks have failed than the "
                                  "array can do without; no other figure counts them"));
  if (const auto sentence = bench.pacer->saturated(last)) result.warnings.push_back(*sentence);
  auto host = meter.read();
  host.watched = sinks.watched();
  return {result, kit::to_json(statistics, config.run.statistics), host};
}

}  // namespace sunstar::disk_platform
