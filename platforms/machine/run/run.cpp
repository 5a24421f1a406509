// SPDX-License-Identifier: MIT
#include "platforms/machine/run/run.h"

#include <algorithm>
#include <string>

#include "models/core/error.h"
#include "models/core/random.h"
#include "models/kernel/sc_time_bridge.h"
#include "models/kernel/simulation.h"
#include "platforms/kit/explain/explanation.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/sinks.h"
#include "platforms/kit/run/trials.h"
#include "platforms/machine/assembly/machine.h"
#include "platforms/machine/report/call_stages.h"
#include "platforms/machine/report/interference.h"
#include "platforms/machine/report/over_time.h"
#include "platforms/machine/report/records.h"
#include "platforms/machine/report/run_state.h"
#include "platforms/machine/report/verify.h"

namespace sunstar::machine {

namespace {

constexpr double mib = 1 << 20;
constexpr std::uint64_t buffer_alignment = 64;

/// A machine with its files laid out and its buffers allocated, ready to run.
struct ReadyMachine {
  ReadyMachine(const Blueprint& blueprint, const Plan& plan, std::uint64_t seed, const Probe& probe = {})
      : workload(make_workload(
            plan, {blueprint.machine.compute_processors, blueprint.machine.io_processors, blueprint.machine.disks,
                   static_cast<std::uint32_t>(plan.file_system.block_size.count), seed})),
        machine(
            never_destroyed<Machine>("machine", blueprint, seed, memory_of_nodes(blueprint, plan, *workload), probe)),
        store(make(plan.file_system.store, machine.drives())),
        volume(place_files(*workload, *store, plan.file_system, seed)),
        message_header(blueprint.machine.node.message_header.count) {
    job.workload = workload.get();
    Problems problems;
    check_faults(plan.faults, blueprint, "faults", problems, &machine.fabric());
    problems.throw_if_any();
    machine.add_faults(plan.faults, blueprint, seed);
    place_processes(blueprint.machine.compute_processors);
    tell_teams_apart();
    if (plan.workload.start_spread > Duration{0}) {
      RandomStream random(seed, "start delays");
      const auto spread = static_cast<std::uint64_t>(plan.workload.start_spread.count());
      for (std::uint32_t p = 0; p < workload->processors(); ++p)
        job.delays.emplace_back(static_cast<std::int64_t>(random.below(spread)));
    }
    for (std::uint32_t p = 0; p < workload->processors(); ++p) {
      const std::uint64_t bytes = workload->memory_bytes(p);
      hal::Node& node = machine.compute(p).node();
      job.memory.push_back({bytes ? node.allocate(bytes) : nullptr, bytes, &node.memory()});
    }
    for (hal::NodeId node = 0; node < blueprint.machine.nodes.size(); ++node)
      taken_before.push_back(machine.memory_taken(node));
  }

  static std::unique_ptr<workload::Workload> make_workload(const Plan& plan, const workload::MachineSizes& sizes) {
    auto made = make(plan.workload, sizes, plan.only_job);
    require_capable(plan, *made);
    return made;
  }

  void place_processes(std::uint32_t compute_processors) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t p = 0; p < workload->processors(); ++p) {
      places.push_back(workload->node(p));
      if (places.back() >= compute_processors)
        throw ConfigError("the workload has a process on compute processor ", places.back(),
                          ", counted from 0; the machine has ", compute_processors, ".");
    }
    machine.place_processes(places);
  }

  void tell_teams_apart() {
    const auto teams = workload->teams();
    if (teams.size() < 2) return;
    std::vector<std::uint32_t> team_of;
    for (std::uint32_t t = 0; t < teams.size(); ++t) team_of.insert(team_of.end(), teams[t].processors, t);
    job.record.set_teams(std::move(team_of), teams.size());
  }

  /// Buffers of the application, and the file system's own.
  static Machine::MemoryOf memory_of_nodes(const Blueprint& blueprint, const Plan& plan,
                                           const workload::Workload& workload) {
    std::vector<std::uint64_t> by_node(blueprint.machine.compute_processors);
    for (std::uint32_t p = 0; p < workload.processors(); ++p)
      if (workload.node(p) < by_node.size()) by_node[workload.node(p)] += workload.memory_bytes(p) + buffer_alignment;
    const auto most = [&, buffers = *std::ranges::max_element(by_node)](std::uint32_t disks_of_node) {
      return buffers +
             file_systems::memory(plan.file_system, workload.processors(), blueprint.machine.disks, disks_of_node);
    };
    return [computes = most(0), does_io = most(blueprint.disks_of_node())](const NodeSpec& node) {
      return node.does_io() ? does_io : computes;
    };
  }

  std::unique_ptr<workload::Workload> workload;
  Machine& machine;
  Halt halt{"halt"};
  std::unique_ptr<io::Store> store;
  io::Volume volume;
  workload::Job job;
  std::uint64_t message_header;
  std::vector<std::uint64_t> taken_before;  ///< by node: memory taken before the file system's
};

/// Reports to `progress` the share of the bytes that have been moved, at most a thousand times, and a few times a
/// second the state of the run.
void report_progress(workload::Job& job, const StatisticSet& statistics,
                     const std::function<void(double, std::string_view)>& progress) {
  if (!progress) return;
  job.record.when_progressed = [progress, &statistics, all = static_cast<double>(job.workload->bytes_moved()),
                                moved = 0.0, told = 0.0, state = RunState()](std::uint64_t some) mutable {
    moved += static_cast<double>(some);
    const double share = moved / all;
    if (share - told < 0.001) return;
    told = share;
    progress(std::min(share, 1.0), state.text(statistics, now(), moved));
  };
}

/// Notes the bytes moved and lost, the drives' work and their waiting requests over time.
void follow_time(ReadyMachine& s, Duration interval, std::optional<OverTime>& over_time) {
  const io::Nodes& nodes = s.machine.nodes();
  const auto queued = [](const io::IoNode& io) {
    return sum(io.drivers, [](const auto& driver) { return driver->queued(); });
  };
  over_time.emplace(interval, [&nodes, queued] { return sum(nodes.io, queued); });
  s.job.record.when_moved = [&over_time](std::uint64_t bytes) { over_time->moved(now(), bytes); };
  s.job.record.when_failed = [&over_time](const requests::Failed& failed) { over_time->lost(now(), failed.bytes); };
  for (const io::IoNode& io : nodes.io)
    for (const auto& driver : io.drivers)
      driver->when_ended = [&over_time, bytes = s.store->sector_bytes()](const io::DiskRequest& r) {
        if (!r.synchronise) over_time->at_drive(now(), std::uint64_t{r.sectors} * bytes, r.write, r.in_background);
      };
}

/// The clock of the paths starts with the first call.
void follow_calls(workload::RunRecord& record, CriticalPath& paths) {
  auto& stages = never_destroyed<CallStages>(paths);
  record.when_begun = [&record, &paths, &stages](Time start, std::uint32_t processor) {
    if (record.first_request() == Time::max()) paths.start(start);
    stages.begun(start, processor);
  };
  record.when_ended = [&stages, then = std::move(record.when_ended)](const workload::Ended& call) {
    stages.ended(call);
    if (then) then(call);
  };
}

/// The processes on a node end with it.
void schedule_node_faults(ReadyMachine& s, file_systems::FileSystem& file_system) {
  s.machine.schedule_node_faults([&s, &file_system](std::uint32_t node) {
    for (std::uint32_t p = 0; p < s.workload->processors(); ++p)
      if (s.machine.nodes().compute[p]->id() == node) file_system.stop(p);
  });
}

[[noreturn]] void report_deadlock(const ReadyMachine& s) {
  throw SimulationError(waiting_text(concat("deadlock at ", seconds(now()), " s: no event is pending, ",
                                            s.job.record.units(), " calls have ended, and these are waiting:"),
                                     s.machine.waiting()));
}

/// Returns what the monitors on the sockets counted; throws if the models report something else.
std::map<std::string, std::uint64_t> agreed_counts(const Machine& machine) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [what, monitored, reported] : machine.compare_monitors()) {
    if (monitored != reported)
      throw SimulationError("the monitors on the sockets disagree: ", what, ": ", monitored, " seen, ", reported,
                            " reported");
    counts[what] = monitored;
  }
  return counts;
}

Memory memory(ReadyMachine& s) {
  const io::Nodes& nodes = s.machine.nodes();
  const auto taken = [&](hal::NodeId node) { return s.machine.memory_taken(node) - s.taken_before[node]; };
  return {greatest(nodes.compute, [&](const auto& compute) { return taken(compute->id()); }),
          greatest(nodes.io, [&](const auto& io) { return taken(io.endpoint.id()); })};
}

std::uint64_t struck(const Machine& machine) {
  return sum(machine.struck(), [](const auto& effect) { return effect.second; });
}

/// Figures of faults injected, noticed, tried again, lost and reported.
void add_fault_figures(const ReadyMachine& s, const Verdict& verdict, const io::DiskDriver::Troubles& troubles,
                       NamedFigures& figures) {
  figures.add("struck", struck(s.machine));
  figures.add("failed_commands", troubles.errors);
  figures.add("retries", troubles.retries);
  figures.add("aborts", troubles.aborts);
  figures.add("resets", troubles.resets);
  figures.add("failed_requests", troubles.lost);
  figures.add("drives_offline", troubles.offline);
  figures.add("nodes_given_up", s.machine.given_up());
  const workload::RunRecord& record = s.job.record;
  figures.add("failed_calls", record.failed_units());
  figures.add("bytes_reported_unread", verdict.excused.unread);
  figures.add("bytes_reported_unwritten", verdict.excused.unwritten);
  figures.add("bytes_wrong_and_reported", verdict.excused.reported);
  figures.add("bytes_lost_with_power", verdict.excused.with_power);
  figures.add("bytes_silently_wrong", verdict.excused.silent);
  s.store->add_fault_figures(figures);
}

/// Adds what `verified` does not say: no fault struck, limits were too short, or bytes may be gone.
void add_fault_warnings(const ReadyMachine& s, bool faults, const Excused& excused, const file_systems::Losses& losses,
                        std::vector<std::string>& warnings) {
  const auto add = [&](std::uint64_t bytes, const std::string& what) {
    if (bytes > 0) warnings.push_back(concat(bytes, " bytes ", what));
  };
  if (faults && struck(s.machine) == 0) warnings.emplace_back("no fault struck before the run ended");
  if (const std::uint64_t aborts = s.machine.troubles().aborts; !faults && aborts > 0)
    warnings.push_back(concat(aborts,
                              " commands took longer than file_system.driver.timeout and were aborted, though no drive "
                              "has a fault: raise it, or give the drives and their bus a higher data rate"));
  if (const std::uint64_t nodes = s.machine.given_up(); !faults && nodes > 0)
    warnings.push_back(
        concat("nodes were given up (", nodes,
               " times), though no node has a fault: they did not answer in time; raise the limits of machine.peers"));
  if (s.workload->files().empty())
    add(s.job.record.bytes_not_moved(), "did not come: their messages were lost, or their senders taken for gone");
  add(losses.bytes, "are of calls that processors had still to make when they stopped");
  add(losses.cached_bytes, "were lost with the caches of processors that stopped");
  add(excused.unread, "were reported as not read");
  add(excused.unwritten, "were reported as not written");
  add(excused.with_power,
      "were lost after they had been reported as written: with the power of a drive, or because a row of an array lost "
      "more drives than its checks make up for");
  add(excused.silent, "are wrong, and no error was reported");
}

/// Notes the parts of written files at I/O processors that have not answered a synchronisation.
void note_unsynced(ReadyMachine& s) {
  workload::RunRecord& record = s.job.record;
  for (const std::uint32_t io : record.unsynced_io())
    for (std::uint32_t f = 0; f < s.volume.file_count(); ++f) {
      if (!s.workload->files()[f].written) continue;
      for (std::uint64_t block = 0; block < s.volume.blocks(f); ++block)
        if (s.volume.place_of(f, block).io_processor == io)
          record.failed({f, requests::Operation::write, block * s.volume.block_bytes(),
                         s.volume.bytes_in_block(f, block), hal::Status::no_answer});
    }
}

/// What a latency is the latency of.
std::string timed_spans(const workload::Workload& workload) {
  if (workload.streams())
    return "of each message, from the start of its sending at the I/O processor until its data are in the compute "
           "processor's buffer";
  bool exchanges = false;
  for (std::uint32_t team = 0; team < workload.teams().size(); ++team) exchanges |= workload.exchange(team) != nullptr;
  const std::string rounds = "of each round of a process, from its start until its last message is there";
  const std::string calls =
      "of each call of the file system, or each collective, from its start at the compute processor to its return";
  return !exchanges ? calls : workload.files().empty() ? rounds : calls + ", and " + rounds;
}

Result result_of(ReadyMachine& s, const file_systems::FileSystem& file_system, bool faults, Data data,
                 std::uint64_t seed) {
  const workload::RunRecord& record = s.job.record;
  s.machine.settle_faults();
  note_unsynced(s);
  const Verdict verdict = verify(*s.store, s.volume, s.job, file_system, seed,
                                 s.machine.stopped() || s.machine.given_up() > 0, s.machine.passed_spoilt() > 0);
  const io::Nodes::Totals disks = s.machine.nodes().totals();
  const std::uint64_t lost = std::min(record.bytes(), verdict.excused.wrong());
  const auto bytes = static_cast<double>(record.bytes() - lost);
  const Time last = std::max(*record.finished(), disks.last_completion);
  const Time first = std::min(record.first_request(), last);
  const auto mib_per_s = [&](Duration time) { return time > Duration{} ? bytes / mib / seconds(time) : 0; };
  Result r;
  r.elapsed_s = seconds(last - first);
  r.application_s = seconds(std::max(record.last_end(), first) - first);
  r.throughput.mib_per_s = mib_per_s(last - first);
  r.throughput.medium_mib_per_s = mib_per_s(std::max(last, s.machine.on_medium()) - first);
  r.verified = verdict.unchecked == 0;  // of wrong bytes, verify() has thrown
  r.bytes_lost = lost;
  r.bytes_verified = verdict.bytes;
  r.verification = {std::string(data == Data::bytes ? "bytes" : "descriptions"),
                    data == Data::bytes ? verdict.bytes : verdict.compared};
  r.calls = record.units();
  r.bytes_moved = record.bytes();
  r.messages = s.machine.fabric().messages();
  r.message_bytes = s.machine.fabric().message_bytes() - s.machine.list_bytes();
  r.header_bytes = r.messages * s.message_header + s.machine.list_bytes();
  r.network_bytes = r.message_bytes + r.header_bytes;
  r.memory = memory(s);
  r.disk_reads = disks.reads;
  r.disk_writes = disks.writes;
  s.workload->add_figures(r.sections);
  if (std::ranges::any_of(r.sections.entries(), [](const auto& entry) { return entry.name == "trace"; })) {
    NamedFigures& pace = r.sections.section("trace").section("pace");
    pace.add("simulated_s", r.application_s);
    pace.add("calls", r.calls);
  }
  file_system.add_figures(r.sections);
  s.store->add_figures(r.sections);
  const io::DiskDriver::Troubles troubles = s.machine.troubles();
  const bool troubled = faults || troubles.errors + troubles.aborts + s.machine.given_up() > 0;
  if (troubled) {
    add_fault_figures(s, verdict, troubles, r.sections.section("faults"));
    const file_systems::Losses& losses = file_system.losses();
    NamedFigures& section = r.sections.section("losses");
    section.add("calls_not_made", losses.calls);
    section.add("bytes_not_made", losses.bytes);
    section.add("cached_bytes", losses.cached_bytes);
  }
  if (verdict.unchecked > 0)
    r.warnings.push_back(concat(verdict.unchecked,
                                " bytes read by processors that stopped could not be verified: their memory is gone"));
  for (std::string& sentence : s.machine.fabric().warnings()) r.warnings.push_back(std::move(sentence));
  for (std::string& sentence : s.workload->warnings()) r.warnings.push_back(std::move(sentence));
  if (record.first_request() == Time::max()) r.warnings.emplace_back("no request was made");
  if (troubled) add_fault_warnings(s, faults, verdict.excused, file_system.losses(), r.warnings);
  r.latency =
      kit::latency(timed_spans(*s.workload) + "; means of the trials' percentiles", record.latencies().percentiles());
  return r;
}

/// How long each job takes, from its first request to its end.
using Spans = std::vector<double>;

std::pair<kit::Trial<Result>, Spans> simulate(const Blueprint& blueprint, const Plan& plan, std::uint64_t seed,
                                              const kit::Watch& watch, const MakeFileSystem& make_file_system) {
  kit::HostMeter host;
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  kit::Sinks sinks(watch);
  CriticalPath* const paths = sinks.probe().path;
  auto& s = never_destroyed<ReadyMachine>(blueprint, plan, seed, sinks.probe());
  StatisticSet statistics;
  statistics.group([&s](StatisticSet& set) { s.machine.add_statistics(set); });
  fill_media(*s.workload, *s.store, s.volume, plan.data);
  fill_memories(s.job, plan.data);
  std::optional<Records> records;
  if (!plan.records.empty()) {
    kit::probe_output(plan.records);
    records.emplace(*s.workload);
    s.job.record.when_ended = [&records](const workload::Ended& ended) { records->add(ended); };
  }
  auto& run = never_destroyed<file_systems::Run>(s.machine.protocol(), s.machine.nodes(), s.volume, s.job);
  const auto& file_system = never_destroyed<std::unique_ptr<file_systems::FileSystem>>(
      make_file_system ? make_file_system(run) : make(plan.file_system, run));
  file_system->format(*s.store);
  host.set_up();

  report_progress(s.job, statistics, watch.progress);
  std::optional<OverTime> over_time;
  const kit::Sinks::End end(sinks);
  if (paths) follow_calls(s.job.record, *paths);
  start_kernel(sc_core::SC_ZERO_TIME);  // elaboration
  s.store->number_messages(s.machine.protocol());
  s.machine.start_drivers(*s.store, plan.file_system.queue_order, plan.file_system.driver);
  leave_blank(*s.workload, s.machine.nodes(), s.volume);
  if (plan.interval > Duration{}) follow_time(s, plan.interval, over_time);
  file_system->start();
  schedule_node_faults(s, *file_system);
  statistics.group([&file_system](StatisticSet& set) { file_system->add_statistics(set); });
  if (sinks.probe().waves) {
    StatisticSet counters;
    file_system->add_statistics(counters);
    s.machine.show(counters);
  }
  sinks.check_scopes();
  // Shares of time are of the measured time: a file system's preparations and the drives' later work do not count.
  s.job.record.when_started = [&statistics, &over_time] {
    if (over_time) over_time->begin(now());
    statistics.for_each([](const Statistic& one) {
      if (one.unit == "fraction") one.reset();
    });
  };
  Path path;
  s.job.record.when_finished = [&s, &path, paths] {
    if (paths) path = paths->from_start(paths->current);
    s.halt.here();
  };
  start_kernel();
  const boost::json::object figures = kit::to_json(statistics, plan.statistics);
  s.machine.retire();
  if (s.job.record.finished() && sc_core::sc_pending_activity()) start_kernel();
  sinks.close();
  if (!s.job.record.finished()) report_deadlock(s);

  kit::Trial<Result> trial{result_of(s, *file_system, !plan.faults.empty(), plan.data, seed), figures, host.read()};
  trial.host.kernel_events = sc_core::sc_delta_count();
  if (paths) {
    const Time last = std::max(path.at, paths->last_command.at);
    if (path.at < last) path = paths->from_start(paths->last_command);
    if (s.job.record.first_request() == Time::max()) path.spent = {};  // there was no request
    const Duration all = last - std::min(s.job.record.first_request(), last);
    if (const Duration sum = total(path.spent); sum != all)
      throw SimulationError("the stages of the critical path sum to ", sum.count(), " ps of ", all.count());
    trial.explanation = kit::explanation(*paths, path, figures, blueprint.machine.node.clock.hertz);
    kit::add_messages(trial.explanation, trial.result.messages, os::message_costs(), blueprint.machine.node.cores);
  }
  if (over_time) trial.over_time = kit::write_figures(over_time->course());
  if (records) kit::write_file(plan.records, records->text());
  if (auto watched = sinks.watched()) {
    watched->monitored = agreed_counts(s.machine);
    trial.host.watched = std::move(watched);
  }
  Spans spans;
  const auto teams = s.job.workload->teams();
  for (std::size_t t = 0; const auto& span : s.job.record.spans())
    if (!teams[t++].part) spans.push_back(seconds(std::max(span.end - span.begin, Duration{})));
  return {std::move(trial), std::move(spans)};
}

/// Each job when it runs alone: how long it takes, and which parts of the machine it keeps busy.
struct Alone {
  Spans spans;
  std::vector<BusyParts> busy;
};
Alone alone(const Blueprint& blueprint, const Plan& plan, std::uint64_t seed, const MakeFileSystem& make_file_system) {
  const auto jobs = static_cast<std::uint32_t>(plan.workload.jobs.size());
  const auto runs = kit::run_trials(jobs, 0, [&](std::uint32_t job) -> kit::json::object {
    Plan only = plan;
    only.only_job = job;
    only.records.clear();
    const auto [trial, spans] = simulate(blueprint, only, seed, {}, make_file_system);
    kit::json::object busy;
    for (const auto& [part, time] : busy_parts(trial.statistics, trial.result.elapsed_s)) busy[part] = time;
    return {{"elapsed_s", spans[job]}, {"busy", std::move(busy)}};
  });
  Alone all;
  for (const auto& run : runs) {
    all.spans.push_back(run.at("elapsed_s").as_double());
    BusyParts& busy = all.busy.emplace_back();
    for (const auto& [part, time] : run.at("busy").as_object()) busy[part] = time.as_double();
  }
  return all;
}

/// How much longer each job takes beside the others than alone; 1 of a job that takes no time.
std::vector<double> slowdowns(const Spans& shared, const Spans& alone) {
  std::vector<double> all;
  for (std::size_t j = 0; j < shared.size(); ++j) all.push_back(alone[j] > 0 ? shared[j] / alone[j] : 1);
  return all;
}

}  // namespace

void check(const Blueprint& blueprint, const Plan& plan, std::uint64_t seed) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  auto& s = never_destroyed<ReadyMachine>(blueprint, plan, seed);
  file_systems::Run run{s.machine.protocol(), s.machine.nodes(), s.volume, s.job};
  const auto file_system = make(plan.file_system, run);
  file_system->format(*s.store);
}

kit::Trial<Result> run_trial(const Blueprint& blueprint, const Plan& plan, std::uint64_t seed, const kit::Watch& watch,
                             const MakeFileSystem& make_file_system) {
  const auto jobs = plan.workload.jobs.size();
  Alone before;
  if (jobs > 1 && plan.workload.compare_alone) before = alone(blueprint, plan, seed, make_file_system);
  auto [trial, spans] = simulate(blueprint, plan, seed, watch, make_file_system);
  add_sharing(spans, before.spans, trial.result.sections);
  if (watch.explain && !before.busy.empty())
    add_interference(trial.explanation, before.busy, slowdowns(spans, before.spans), trial.result.elapsed_s);
  return std::move(trial);
}

}  // namespace sunstar::machine
