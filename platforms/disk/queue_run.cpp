// SPDX-License-Identifier: MIT
#include "platforms/disk/queue_player.h"
#include "platforms/disk/run.h"
#include "platforms/disk/samples.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/sinks.h"

namespace sunstar::disk_platform {
namespace {

const char* const drive_instance = "machine.disk";

}  // namespace

void check_queues(const Config& config) { nvme::Drive(*config.machine.nvme, config.run.seed, drive_instance); }

kit::Trial<Result> run_queues(const Config& config, std::uint32_t trial, const kit::Watch& watch) {
  if (watch.timeline || watch.explain)
    throw ConfigError("--timeline and --explain show the heads of a disk, and an NVMe drive has none.");
  kit::HostMeter meter;
  const auto& load = config.workload.kind.as<QueuesParams>();
  const std::uint64_t seed = config.run.seed + trial;
  nvme::Device device(*config.machine.nvme, seed, drive_instance);
  StatisticSet statistics;
  device.drive().register_statistics(statistics, drive_instance);
  Time told{};
  kit::Sinks sinks(watch, [&] { return told; });
  FaultFigures faults;
  add_faults(
      config.faults, "disk", seed, sinks.probe(), faults.struck, [&]() -> auto& { return device.faults(); });
  sinks.check_scopes();
  QueuePlayer player(device, load, config.machine.driver.timeout, seed);
  meter.set_up();

  const bool recorded = trial == 0 && !config.run.records.empty();
  std::string records = "job,kind,bytes,lbn,submitted_ns,response_ns,status\n";
  const Time from = Time{} + load.warm_up, end = from + load.duration;
  std::vector<Duration> reads, writes;
  std::uint64_t commands = 0, ended = 0, bytes = 0;  // the last two: within the time that is measured
  Time last{};
  const auto tell = [report = Reporter(sinks.probe(), drive_instance), &told](const QueuePlayer::Ended& c) {
    told = std::max(told, c.submitted);
    report.instant(LogLevel::info, c.submitted, c.write ? "write" : "read",
                   {{"lbn", c.lbn}, {"us", static_cast<std::uint64_t>(seconds(c.at - c.submitted) * 1e6)}});
  };
  const bool told_of = bool(sinks.probe().files());
  player.play(end, [&](const QueuePlayer::Ended& c) {
    if (watch.progress && commands % 65536 == 0)
      watch.progress(std::min(1.0, seconds(c.submitted) / seconds(end)),
                     "simulated " + kit::short_number_text(seconds(c.submitted)) + " s");
    ++commands;
    last = std::max(last, c.at);
    const bool failed = c.status != hal::Status::ok;
    faults.failed_commands += failed;
    if (!failed && c.submitted >= from) (c.write ? writes : reads).push_back(c.at - c.submitted);
    if (!failed && c.at >= from && c.at < end) {
      ++ended;
      bytes += c.bytes;
    }
    if (told_of) tell(c);
    if (recorded)
      records += concat(c.job, c.write ? ",W," : ",R,", c.bytes, ',', c.lbn, ',',
                        c.submitted.time_since_epoch().count() / 1000, ',', (c.at - c.submitted).count() / 1000, ',',
                        hal::status_names[std::size_t(c.status)], '\n');
  });
  sinks.close();
  if (recorded) kit::write_file(config.run.records, records);

  const bool limited = std::ranges::all_of(load.jobs, [](const JobParams& j) { return j.amount.count > 0; });
  const Time until = limited && last > from ? std::min(end, last) : end;
  Result result;
  result.verified = player.told() == counted(statistics);  // no bytes move here, so the counts are all there is
  result.requests = commands;
  result.bytes_moved = player.told().bytes_read + player.told().bytes_written;
  result.elapsed_s = seconds(last);
  const auto mib_per_s = [&](Time by) { return static_cast<double>(bytes) / (1 << 20) / seconds(by - from); };
  result.throughput.mib_per_s = mib_per_s(until);
  result.throughput.requests_per_s = static_cast<double>(ended) / seconds(until - from);
  result.throughput.medium_mib_per_s = mib_per_s(std::max(until, device.drive().idle_at()));
  std::vector<Duration> all = reads;
  all.insert(all.end(), writes.begin(), writes.end());
  result.response = response(all);
  result.reads = response(reads);
  result.writes = response(writes);
  if (!config.faults.empty()) {
    faults.failed_requests = faults.failed_commands;
    note_ranges(device.faults(), faults);
    result.faults = faults;
  }
  auto host = meter.read();
  host.watched = sinks.watched();
  return {result, kit::to_json(statistics, config.run.statistics), host};
}

}  // namespace sunstar::disk_platform
