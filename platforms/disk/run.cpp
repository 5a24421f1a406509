// SPDX-License-Identifier: MIT
#include "platforms/disk/run.h"

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>

#include "models/core/error.h"
#include "models/core/statistics.h"
#include "models/kernel/timeline.h"
#include "models/kernel/wave_file.h"
#include "models/disk/direct.h"
#include "platforms/disk/demerit.h"
#include "platforms/disk/load.h"
#include "platforms/kit/output.h"
#include "platforms/kit/statistics_text.h"
#include "platforms/kit/summary.h"

namespace sunstar::disk_platform {
namespace {

constexpr const char* instance = "machine.disk";
constexpr std::uint64_t synthetic_requests = 10000;
constexpr double mib = 1 << 20;
// Time is counted in picoseconds, 63 bits of them.
constexpr std::int64_t latest_s = 9'000'000;
constexpr Time latest{std::chrono::seconds{latest_s}};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double ms(Duration d) { return seconds(d) * 1e3; }

/// Where the requests come from, one at a time.
class Source {
 public:
  Source(const Config& config, const disk::Drive& drive, std::uint64_t seed)
      : synthetic_(config.workload, drive.geometry().sectors(), config.machine.disk.sector_size.count, seed) {
    const WorkloadParams& w = config.workload;
    if (w.kind == WorkloadKind::trace) {
      trace_ =
          read_trace(w.trace.string(), drive.geometry().sectors(), config.machine.disk.sector_size.count, w.requests);
      left_ = trace_.size();
      if (w.think_before == ThinkBefore::own_request)
        for (std::size_t i = 0; i + 1 < trace_.size(); ++i) trace_[i].think = trace_[i + 1].think;
    } else {
      left_ = w.requests ? w.requests : synthetic_requests;
    }
  }
  std::uint64_t left() const { return left_; }
  bool measured() const { return !trace_.empty() && trace_.front().measured > Duration::zero(); }
  Request next() {
    --left_;
    return trace_.empty() ? synthetic_.next() : trace_[at_++];
  }

 private:
  SyntheticLoad synthetic_;
  std::vector<Request> trace_;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;
};

/// The parts of the drive's work, in the order of RequestTiming, and the bus.
struct Parts {
  static constexpr std::array<const char*, 6> names{"overhead", "wait", "seek", "rotation", "transfer", "bus"};
  std::array<Duration, 6> sums{};
  void add(const disk::RequestTiming& t, Duration bus) {
    const Duration parts[] = {t.overhead, t.wait, t.seek, t.rotation, t.transfer, bus};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += parts[i];
  }
};

/// Response times, of reads and of writes.
struct Samples {
  std::array<std::vector<Duration>, 2> simulated, measured;
  std::uint64_t within = 0;
  double error_ms = 0, absolute_error_ms = 0;

  void add(const Request& r, Duration response, bool compared) {
    simulated[r.write].push_back(response);
    if (!compared) return;
    measured[r.write].push_back(r.measured);
    const double error = ms(response - r.measured);
    error_ms += error;
    absolute_error_ms += std::abs(error);
    within += std::abs(error) <= 0.5;
  }
  static std::vector<Duration> both(const std::array<std::vector<Duration>, 2>& of) {
    auto all = of[0];
    all.insert(all.end(), of[1].begin(), of[1].end());
    return all;
  }
};

json::object response_json(const std::vector<Duration>& samples) {
  const auto p = kit::percentiles(samples);
  double sum = 0;
  for (Duration d : samples) sum += ms(d);
  json::object o{{"count", samples.size()}};
  if (samples.empty()) return o;
  o["mean_ms"] = sum / static_cast<double>(samples.size());
  o["p50_ms"] = ms(p.p50);
  o["p90_ms"] = ms(p.p90);
  o["p99_ms"] = ms(p.p99);
  o["max_ms"] = ms(p.max);
  return o;
}

json::object demerit_json(const Samples& s) {
  const auto all = demerit(Samples::both(s.measured), Samples::both(s.simulated));
  const auto reads = demerit(s.measured[0], s.simulated[0]), writes = demerit(s.measured[1], s.simulated[1]);
  const auto n = static_cast<double>(all.count);
  return {{"ms", all.ms},
          {"percent", all.percent},
          {"reads_percent", reads.percent},
          {"writes_percent", writes.percent},
          {"within_half_ms_percent", 100 * static_cast<double>(s.within) / n},
          {"mean_error_ms", s.error_ms / n},
          {"mean_error_percent", 100 * s.error_ms / n / all.measured_mean_ms},
          {"mean_absolute_error_ms", s.absolute_error_ms / n},
          {"measured_mean_ms", all.measured_mean_ms}};
}

/// Wave file and timeline of a trial, if wanted.
class Watching {
 public:
  Watching(const Watch& watch, disk::Drive& drive, Time& now) : drive_(drive), now_(now) {
    if (watch.vcd) {
      waves_.emplace(*watch.vcd, WaveFile::default_limit, [&now] { return now; });
      drive.note_activity();
      phase_ = waves_->word(std::string(instance) + ".phase", {disk::phase_names.begin(), disk::phase_names.end()});
      cylinder_ = waves_->number(std::string(instance) + ".cylinder");
      request_ = waves_->word(std::string(instance) + ".request", {"none", "read", "write"});
    }
    if (watch.timeline) {
      timeline_.emplace(*watch.timeline);
      const auto group = timeline_->group(instance);
      requests_ = timeline_->track(group, "requests");
    }
  }
  bool any() const { return waves_ || timeline_; }
  void request(const Request& r, Time issued, Time status) {
    if (timeline_)
      timeline_->span(requests_, r.write ? "write" : "read", issued, status, {{"lbn", r.lbn}, {"sectors", r.sectors}});
    if (!waves_) return;
    waves_->change(request_, issued, r.write ? 2 : 1);
    waves_->change(request_, status, 0);
    auto& activity = drive_.activity();
    for (; !activity.empty() && activity.front().at <= now_; activity.pop_front()) {
      waves_->change(phase_, activity.front().at, static_cast<int>(activity.front().phase));
      waves_->change(cylinder_, activity.front().at, static_cast<int>(activity.front().cylinder));
    }
  }
  void close() {
    if (waves_) waves_->close();
    if (timeline_) timeline_->close();
  }

 private:
  disk::Drive& drive_;
  Time& now_;
  std::optional<WaveFile> waves_;
  std::optional<Timeline> timeline_;
  WaveFile::Signal phase_ = 0, cylinder_ = 0, request_ = 0;
  Timeline::Track requests_;
};

std::string record(const Request& r, Time issued, Duration response, Duration bus, const disk::RequestTiming& t,
                   bool compared) {
  std::string line = r.write ? "W," : "R,";
  line += std::to_string(r.lbn) + ',' + std::to_string(r.sectors);
  const auto add = [&](Duration d) {
    line += ',' + std::to_string(d.count() / 1000) + '.' + std::to_string(d.count() / 100 % 10);
  };
  add(issued.time_since_epoch());
  add(response);
  if (compared) add(r.measured);
  else line += ',';
  for (Duration d : {t.overhead, t.wait, t.seek, t.rotation, t.transfer, bus}) add(d);
  line += t.hit ? ",hit\n" : t.streamed ? ",streamed\n" : ",miss\n";
  return line;
}

struct Bench {
  disk::Drive drive;
  Source source;
  Bench(const Config& config, std::uint64_t seed)
      : drive(config.machine.disk, disk::random_start(config.machine.disk, seed, instance)),
        source(config, drive, seed) {}
};

}  // namespace

void check_run(const Config& config) { Bench bench(config, config.run.seed); }

json::object run_trial(const Config& config, std::uint32_t trial, const Watch& watch) {
  const double cpu_start = cpu_seconds();
  const std::uint64_t seed = config.run.seed + trial;
  Bench bench(config, seed);
  disk::Drive& drive = bench.drive;
  StatisticSet statistics;
  drive.register_statistics(statistics, instance);
  const bool compared = bench.source.measured(), recorded = trial == 0 && !config.run.records.empty();
  const std::uint64_t sector = config.machine.disk.sector_size.count;
  const Duration pace = config.machine.bus_rate.time_for(sector);

  Time now{}, reported{};
  Watching watching(watch, drive, now);
  Samples samples;
  Parts parts;
  std::string records =
      "kind,lbn,sectors,issued_ns,response_ns,measured_ns,overhead_ns,wait_ns,seek_ns,rotation_ns,transfer_ns,bus_ns,"
      "buffer\n";
  std::uint64_t bytes = 0, hits = 0, streamed = 0;
  std::array<std::uint64_t, 2> moved{}, asked{};
  const std::uint64_t requests_in_all = bench.source.left(), step = std::max<std::uint64_t>(1, requests_in_all / 1000);
  while (bench.source.left() > 0) {
    if (watch.progress && bench.source.left() % step == 0)
      watch.progress(1 - static_cast<double>(bench.source.left()) / static_cast<double>(requests_in_all));
    const Request r = bench.source.next();
    const Time issued = now;
    const auto done = disk::complete(drive, r.write, issued, r.lbn, r.sectors, pace);
    const auto& timing = drive.timing();
    samples.add(r, done.status - issued, compared);
    parts.add(timing, done.bus);
    bytes += r.sectors * sector;
    ++asked[r.write];
    moved[r.write] += r.sectors * sector;
    hits += timing.hit;
    streamed += timing.streamed;
    reported = done.status;
    if (r.think > latest - reported)
      throw SimulationError(
          "after " + std::to_string(requests_in_all - bench.source.left()) + " of " + std::to_string(requests_in_all) +
          " requests the load would pass " + std::to_string(latest_s) +
          " s of simulated time, of which there are no more; ask for fewer requests or shorter think times");
    now = reported + r.think;
    if (recorded) records += record(r, issued, done.status - issued, done.bus, timing, compared);
    if (watching.any()) watching.request(r, issued, done.status);
  }
  watching.close();
  if (recorded) kit::write_file(config.run.records, records);

  const auto all = Samples::both(samples.simulated);
  const double elapsed = seconds(reported), on_medium = seconds(std::max(reported, drive.idle_at()));
  json::object result;
  result["seed"] = seed;
  result["throughput_mib_per_s"] = static_cast<double>(bytes) / mib / elapsed;
  result["throughput"] = {{"mib_per_s", static_cast<double>(bytes) / mib / elapsed},
                          {"requests_per_s", static_cast<double>(all.size()) / elapsed},
                          {"medium_mib_per_s", static_cast<double>(bytes) / mib / on_medium}};
  result["elapsed_s"] = elapsed;
  // No bytes move here; what can go wrong is that the drive lost count.
  const auto figure = [&](const char* name) {
    for (const auto& s : statistics)
      if (s.name == std::string(instance) + "." + name) return static_cast<std::uint64_t>(s.value());
    return ~std::uint64_t{0};
  };
  result["verified"] = figure("reads") == asked[0] && figure("writes") == asked[1] &&
                       figure("bytes_read") == moved[0] && figure("bytes_written") == moved[1];
  result["requests"] = all.size();
  result["bytes_moved"] = bytes;
  result["response"] = response_json(all);
  result["reads"] = response_json(samples.simulated[0]);
  result["writes"] = response_json(samples.simulated[1]);
  json::object each, share;
  Duration sum{0};
  for (Duration d : parts.sums) sum += d;
  for (std::size_t i = 0; i < Parts::names.size(); ++i) {
    each[std::string(Parts::names[i]) + "_ms"] = ms(parts.sums[i]) / static_cast<double>(all.size());
    share[Parts::names[i]] = sum > Duration::zero() ? seconds(parts.sums[i]) / seconds(sum) : 0;
  }
  result["work"] = std::move(each);
  result["work_share"] = std::move(share);
  const auto requests = static_cast<double>(all.size());
  result["buffer"] = {{"hits", static_cast<double>(hits) / requests},
                      {"streamed_or_joined", static_cast<double>(streamed) / requests}};
  if (compared) result["demerit"] = demerit_json(samples);
  return {{"result", std::move(result)},
          {"statistics", kit::to_json(statistics)},
          {"host", {{"cpu_seconds", cpu_seconds() - cpu_start}}}};
}

namespace {

/// Replaces every number of `into` by the mean of those at its place in all trials; truths must all be true.
void merge(json::value& into, const std::vector<const json::value*>& trials) {
  if (auto* object = into.if_object()) {
    for (auto& [key, value] : *object) {
      std::vector<const json::value*> below;
      for (const auto* t : trials)
        if (const auto* v = t->get_object().if_contains(key)) below.push_back(v);
      merge(value, below);
    }
  } else if (into.is_bool()) {
    for (const auto* t : trials) into = into.get_bool() && t->get_bool();
  } else if (into.is_number()) {
    double sum = 0;
    for (const auto* t : trials) sum += t->to_number<double>();
    const double mean = sum / static_cast<double>(trials.size());
    if (into.is_double() || mean != std::floor(mean)) into = mean;
    else into = static_cast<std::uint64_t>(mean);
  }
}

}  // namespace

json::object report(std::vector<json::object> trials) {
  std::vector<const json::value*> results;
  std::vector<double> throughput;
  double cpu = 0;
  for (const auto& t : trials) {
    results.push_back(&t.at("result"));
    throughput.push_back(t.at("result").at("throughput").at("mib_per_s").to_number<double>());
    cpu += t.at("host").at("cpu_seconds").to_number<double>();
  }
  json::value mean = trials.front().at("result");
  for (const char* key : {"seed", "throughput_mib_per_s"}) mean.get_object().erase(key);
  merge(mean, results);
  json::object& result = mean.get_object();
  result["throughput"].get_object()["coefficient_of_variation"] = kit::summarise(throughput).coefficient_of_variation;
  json::object all{{"result", mean}, {"statistics", trials.front().at("statistics")}, {"host", {{"cpu_seconds", cpu}}}};
  json::array each;
  for (auto& t : trials) each.push_back(std::move(t.at("result")));
  all["trials"] = std::move(each);
  return all;
}

}  // namespace sunstar::disk_platform
