// SPDX-License-Identifier: MIT
#include "platforms/disk/run.h"

#include "platforms/disk/samples.h"
#include "platforms/kit/config.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/sinks.h"

namespace sunstar::disk_platform {
namespace {

struct Bench {
  ArrayPlayer player;
  std::vector<ArrayRequest> requests;
  Bench(const Config& c, std::uint64_t seed)
      : player(c.machine, seed),
        requests(read_arrivals(c.workload.kind.as<ArrivalsParams>(), player.sectors(), c.machine.disk.sector_size.count,
                               c.workload.requests)) {}
};

std::string record(const ArrayPlayer::Outcome& o) {
  std::string line = o.request.write ? "W," : "R,";
  line += std::to_string(o.request.lbn) + ',' + std::to_string(o.request.sectors) + ',';
  line += nanoseconds(o.request.arrives.time_since_epoch()) + ',' + nanoseconds(o.ended - o.request.arrives);
  for (std::uint64_t n : {std::uint64_t{o.reads}, std::uint64_t{o.writes}, o.rows.read_modify_write, o.rows.reconstruct,
                          o.rows.full, o.rows.degraded})
    line += ',' + std::to_string(n);
  return line + (o.lost ? ",1\n" : ",0\n");
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
  f.most_outstanding = player.most_outstanding();
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

}  // namespace

void check_array(const Config& config) { Bench bench(config, config.run.seed); }

kit::Trial<Result> run_array(const Config& config, std::uint32_t trial, const kit::Watch& watch) {
  if (watch.timeline || watch.explain)
    throw ConfigError(
        "--timeline and --explain show one drive by itself, not requests that come at times of their own.");
  kit::HostMeter meter;
  Bench bench(config, config.run.seed + trial);
  meter.set_up();
  ArrayPlayer& player = bench.player;
  StatisticSet statistics;
  const Time first = bench.requests.front().arrives;
  Time last = first, told{};
  kit::Sinks sinks(watch, [&] { return told; });
  Parts parts;
  for (std::uint32_t d = 0; d < player.drives().size(); ++d) {
    FaultyDrive& drive = player.drives()[d];
    const std::string name = drive_name(config.machine.array, d), instance = "machine." + name;
    drive.drive().register_statistics(statistics, instance);
    drive.add(config.faults, name, config.run.seed + trial, sinks.probe());
    if (sinks.probe().files()) drive.when_sent = reporting(sinks.probe(), instance, told);
    drive.when_ended = [&](const FaultyDrive::Command& command) {
      if (command.status == hal::Status::ok) parts.add(drive.drive().timing(), command.bus);
    };
  }
  sinks.check_scopes();
  const bool recorded = trial == 0 && !config.run.records.empty();
  const std::uint64_t sector = config.machine.disk.sector_size.count;

  Samples samples;
  io::redundant::RowCounts rows;
  std::string records =
      "kind,lbn,sectors,issued_ns,response_ns,disk_reads,disk_writes,read_modify_write,reconstruct,full,degraded,"
      "lost\n";
  std::uint64_t bytes = 0, lost = 0, reads = 0, writes = 0;
  const std::uint64_t in_all = bench.requests.size(), step = std::max<std::uint64_t>(1, in_all / 1000);
  std::uint64_t ended = 0;
  player.play(bench.requests, [&](const ArrayPlayer::Outcome& o) {
    if (watch.progress && ++ended % step == 0)
      watch.progress(static_cast<double>(ended) / static_cast<double>(in_all),
                     "simulated " + kit::short_number_text(seconds(o.ended)) + " s");
    if (recorded) records += record(o);
    lost += o.lost;
    if (o.lost) return;
    samples.add({.write = o.request.write}, o.ended - o.request.arrives, false);
    bytes += o.request.sectors * sector;
    reads += o.reads;
    writes += o.writes;
    rows += o.rows;
    last = std::max(last, o.ended);
  });
  sinks.close();
  if (recorded) kit::write_file(config.run.records, records);

  Time on_medium = last;
  Told sent;
  for (const FaultyDrive& d : player.drives()) {
    sent += d.told();
    on_medium = std::max(on_medium, d.drive().idle_at());
  }
  Result result;
  // Whether the drives counted what the drivers sent them, and this was planned if there are no faults.
  result.verified = sent == counted(statistics);
  if (config.faults.empty()) result.verified &= sent.reads == reads && sent.writes == writes;
  else result.faults = player.faults(on_medium);
  result.requests = in_all;
  samples.fill(result, bytes, last - first, on_medium - first);
  parts.fill(result);
  result.array = figures_of(player, last - first);
  result.array->read_modify_write = rows.read_modify_write;
  result.array->reconstruct = rows.reconstruct;
  result.array->full = rows.full;
  result.array->degraded = rows.degraded;
  result.array->lost = lost;
  if (lost > 0)
    result.warnings.push_back(std::to_string(lost) +
                              " requests were not carried out, because more disks have failed than the array can do "
                              "without; no other figure counts them");
  auto host = meter.read();
  host.watched = sinks.watched();
  return {result, kit::to_json(statistics, config.run.statistics), host};
}

}  // namespace sunstar::disk_platform
