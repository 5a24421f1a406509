// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "sw/os/counted.h"
#include "sw/requests/distributions/segmented_mapping.h"
#include "sw/workload/ior/params.h"
#include "sw/workload/shuffled.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;  // of all files
constexpr std::uint64_t most_collectives = std::uint64_t{1} << 20;

/// Formats as printf() does.
template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

/// IOR: a phase in which all tasks write, a barrier, and a phase in which they read, or one of the two.
///
/// Task r runs on node r / tasks_per_node. Its transfer i of segment k is at k n b + r b + i t of the one file, or at
/// k b + i t of its own file; n tasks, blocks of b bytes, transfers of t. In the phase that reads, task r takes the
/// place of task r + reorder_nodes * tasks_per_node, round all. The transfers of a task lie one behind the other in its
/// buffer, and a read puts its bytes where the write of the same number had its own: so every byte that was read is
/// checked. With random offsets the transfers of each segment are dealt to the tasks as a permutation says; IOR draws
/// the task of each transfer, so that some tasks have more of them than others.
///
/// With a deadline a task begins at least one transfer, and none after it. All wait for the last task; then each
/// catches up with the task that has made most transfers. The end of that phase, and what the next phase reads, follow
/// from there.
///
/// A phase lasts from the moment when its first task begins until its last one has closed its files, with fsync until
/// all is on disk. Its bandwidth is that of all bytes over this time, as IOR computes it from open to close.
class IorWorkload final : public Workload {
 public:
  IorWorkload(const IorParams& params, const MachineSizes& machine) : params_(validated(params, "workload")) {
    const std::uint64_t most = std::uint64_t{machine.processors} * params.tasks_per_node;
    const std::uint64_t tasks = params.tasks > 0 ? params.tasks : most;
    if (tasks > most)
      throw ConfigError("workload.tasks is ", tasks, "; the machine has ", machine.processors,
                        " compute processors for ", params.tasks_per_node, " each (workload.tasks_per_node), ", most,
                        " together.");
    file_.transfer_bytes = params.transfer_size.count;
    file_.transfers = params.block_size.count / params.transfer_size.count;
    file_.segments = params.segments;
    file_.processors = static_cast<std::uint32_t>(tasks);
    if (params.block_size.count > most_bytes / tasks / params.segments)
      throw ConfigError("workload.segments is ", params.segments, ", each with blocks of ", params.block_size.count,
                        " bytes (workload.block_size) of ", tasks, " tasks; together they may have at most ",
                        most_bytes, " bytes.");
    const std::uint64_t of_task = params.block_size.count * params.segments;
    shift_ = static_cast<std::uint32_t>(std::uint64_t{params.reorder_nodes} * params.tasks_per_node % tasks);
    const std::uint64_t files = params.file_per_task ? tasks : 1;
    for (std::uint64_t f = 0; f < files; ++f)
      files_.push_back({params.file_per_task ? formatted("ior.%08u", static_cast<unsigned>(f)) : "ior",
                        of_task * tasks / files, params.read, params.write, !stops_by_time(), false, params.write});
    for (const Operation phase : {Operation::write, Operation::read})
      if (collective() && runs(phase)) add_collectives(phase);
  }

  std::uint32_t processors() const override { return file_.processors; }
  std::uint32_t node(std::uint32_t processor) const override { return processor / params_.tasks_per_node; }
  std::vector<TeamRange> teams() const override { return {{0, processors(), !collective()}}; }
  std::uint64_t memory_bytes(std::uint32_t) const override { return bytes_of(file_.transfers_of_processor()); }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return phases() * bytes_of(made()) * processors(); }
  std::uint64_t access_count() const override { return collective() ? 0 : phases() * made() * processors(); }
  bool stops_by_time() const override { return params_.deadline > Duration{}; }
  void carried_out(const Collective& collective, Time begin, Time end) const override {
    done_->phases[static_cast<std::size_t>(collective.operation)].add(begin, end);
  }
  std::unique_ptr<Oracle> oracle() const override;
  /// The section "ior": each phase's bytes, time and bandwidth, and the line that IOR prints of it.
  void add_figures(NamedFigures& figures) const override {
    NamedFigures& all = figures.section("ior");
    for (const Operation phase : {Operation::write, Operation::read}) {
      if (!runs(phase)) continue;
      const Span& span = done_->phases[static_cast<std::size_t>(phase)];
      const std::uint64_t bytes = bytes_of(made()) * processors();
      const double time = span.end > span.begin ? seconds(span.end - span.begin) : 0;
      const double rate = time > 0 ? static_cast<double>(bytes) / time : 0;
      NamedFigures& section = all.section(phase == Operation::write ? "write" : "read");
      section.add("bytes", bytes);
      section.add("transfers", made() * processors());
      section.add("elapsed_s", time);
      section.add("mib_per_s", rate / (1 << 20));
      section.add("line", formatted("Max %s %.2f MiB/sec (%.2f MB/sec)",
                                    phase == Operation::write ? "Write:" : "Read: ", rate / (1 << 20), rate / 1e6));
    }
  }

 private:
  class Task;
  class Contents;
  struct Span {
    Time begin = Time::max(), end{};
    void add(Time from, Time to) {
      begin = std::min(begin, from);
      end = std::max(end, to);
    }
  };
  struct Done {
    std::optional<std::uint64_t> most;  ///< transfers of a task at the deadline
    std::array<Span, 2> phases;         ///< by operation
  };

  bool collective() const { return params_.collective != IorCollective::none; }
  bool runs(Operation phase) const { return phase == Operation::write ? params_.write : params_.read; }
  std::uint64_t phases() const { return std::uint64_t{params_.write} + params_.read; }
  std::uint64_t bytes_of(std::uint64_t transfers) const { return transfers * file_.transfer_bytes; }
  /// Transfers that each task makes in a phase.
  std::uint64_t made() const { return done_->most.value_or(file_.transfers_of_processor()); }
  /// Where in its file a task's transfer of that number is written.
  std::uint64_t offset(std::uint32_t task, std::uint64_t number) const {
    const std::uint64_t segment = number / file_.transfers, in_block = number % file_.transfers;
    if (!params_.random_offsets) return params_.file_per_task ? bytes_of(number) : file_.offset(task, number);
    if (params_.file_per_task) return bytes_of(number - in_block + shuffled(in_block, file_.transfers, task));
    const std::uint64_t all = file_.transfers * processors();
    return segment * file_.segment_bytes() + bytes_of(shuffled(task * file_.transfers + in_block, all, 0));
  }
  Access transfer(Operation phase, std::uint32_t task, std::uint64_t number) const {
    const std::uint32_t place = phase == Operation::read ? (task + shift_) % processors() : task;
    Access access;
    access.operation = phase;
    access.memory = bytes_of(number);
    access.bytes = file_.transfer_bytes;
    access.file = params_.file_per_task ? place : 0;
    access.offset = offset(place, number);
    access.single = true;  // the task looks at the clock before each call
    return access;
  }

  void add_collectives(Operation phase) {
    requests::Segments file = file_;
    if (phase == Operation::read) file.shift = shift_;
    const std::uint64_t all = file.transfers_of_processor();
    const std::size_t first = collectives_.size();
    const std::uint64_t step = params_.collective == IorCollective::phase ? all : 1;
    for (std::uint64_t from = 0; from < all; from += step)
      collectives_.push_back(
          {{0, phase, std::make_shared<requests::SegmentedMapping>(file, from, from + step)}, {}, {}, 0});
    collectives_[first].in_step = first > 0;
    collectives_.back().sync = phase == Operation::write && params_.fsync;
  }

  const IorParams params_;
  requests::Segments file_;  ///< as it is written; files of single tasks count together
  std::uint32_t shift_ = 0;  ///< of the phase that reads
  std::unique_ptr<Done> done_ = std::make_unique<Done>();
};

/// The calls of one task. Without a clock, they are all calls made in this run or, before it, all possible ones.
class IorWorkload::Task final : public AccessSource {
 public:
  Task(const IorWorkload& work, std::uint32_t number)
      : work_(work),
        number_(number),
        phase_(work.params_.write ? Operation::write : Operation::read),
        worn_out_(!work.stops_by_time()) {}

  void tell(Time now) override {
    now_ = now;
    if (!begun_) begun_ = now;
  }

  bool next(Access& next) override {
    const os::NotOnTheMachine mark;  // the application
    if (stage_ == Stage::transfers) {
      const bool late = now_ && *now_ - *begun_ > work_.params_.deadline && made_ > 0;
      const std::uint64_t all = now_ && !worn_out_ ? work_.file_.transfers_of_processor() : work_.made();
      if (made_ < all && (worn_out_ || !late)) {
        next = work_.transfer(phase_, number_, made_++);
        return true;
      }
      if (!worn_out_) return reaches_deadline(next);
      stage_ = Stage::synchronised;
      if (phase_ == Operation::write) {
        next = {};
        next.close = true;
        next.sync = work_.params_.fsync;
        return true;
      }
    }
    if (stage_ == Stage::synchronised) {
      if (now_) work_.done_->phases[static_cast<std::size_t>(phase_)].add(*begun_, *now_);
      stage_ = Stage::ended;
      if (phase_ == Operation::write && work_.params_.read) {
        stage_ = Stage::transfers;
        phase_ = Operation::read;
        made_ = 0;
        begun_.reset();
        return waits(next);
      }
    }
    return false;
  }

 private:
  enum class Stage { transfers, synchronised, ended };

  static bool waits(Access& next) {
    next = {};
    next.in_step = true;
    return true;
  }
  /// A task at its deadline waits for the others, and then knows how many transfers it lacks.
  bool reaches_deadline(Access& next) {
    if (now_) work_.done_->most = std::max(work_.done_->most.value_or(0), made_);
    worn_out_ = true;
    return waits(next);
  }

  const IorWorkload& work_;
  const std::uint32_t number_;
  Operation phase_;
  std::uint64_t made_ = 0;
  bool worn_out_;
  Stage stage_ = Stage::transfers;
  std::optional<Time> now_, begun_;
};

class IorWorkload::Contents final : public Oracle {
 public:
  explicit Contents(const IorWorkload& work) : work_(work) {}

  void on_medium(std::uint32_t file, const std::function<void(const ExpectedBytes&)>& visit) const override {
    const requests::Segments& all = work_.file_;
    const std::uint64_t end = work_.files_[file].bytes, made = work_.params_.write ? work_.made() : 0;
    std::uint64_t at = 0;
    const auto run = [&](std::uint64_t to, Version version) {
      if (to > at) visit({file, at, to - at, version, work_.params_.write});
      at = std::max(at, to);
    };
    const bool own = work_.params_.file_per_task;
    const std::uint64_t whole = made / all.transfers;  // segments
    run(whole * (own ? all.block_bytes() : all.segment_bytes()), Version::after);
    std::vector<std::uint64_t> others;
    for (std::uint32_t task = own ? file : 0; task < (own ? file + 1 : all.processors); ++task)
      for (std::uint64_t i = whole * all.transfers; i < made; ++i) others.push_back(work_.offset(task, i));
    std::ranges::sort(others);
    for (const std::uint64_t offset : others) {
      run(offset, Version::before);
      run(offset + all.transfer_bytes, Version::after);
    }
    run(end, Version::before);
  }

  void in_memory(std::uint32_t processor, const std::function<void(const InMemory&)>& visit) const override {
    if (!work_.params_.read) return;
    const Version version = work_.params_.write ? Version::after : Version::before;
    for (std::uint64_t i = 0; i < work_.made(); ++i) {
      const Access read = work_.transfer(Operation::read, processor, i);
      visit(BytesInMemory{{read.file, read.offset, read.bytes, version, work_.params_.write}, read.memory});
    }
  }

 private:
  const IorWorkload& work_;
};

std::unique_ptr<AccessSource> IorWorkload::accesses(std::uint32_t processor) const {
  return std::make_unique<Task>(*this, processor);
}

std::unique_ptr<Oracle> IorWorkload::oracle() const { return std::make_unique<Contents>(*this); }

}  // namespace

void check(const IorParams& params, const std::string& path, Problems& problems) {
  if (params.block_size.count % params.transfer_size.count != 0)
    problems.add(json_path(path, "block_size"), "is ", params.block_size.count,
                 " bytes; it must be a multiple of transfer_size, ", params.transfer_size.count, " bytes");
  if (!params.write && !params.read)
    problems.add(json_path(path, "read"), "is false, and write is false, too; one of them must be true");
  if (params.collective == IorCollective::none) return;
  const auto refuse = [&](const auto&... what) {
    problems.add(json_path(path, "collective"), params.collective == IorCollective::phase ? "is phase" : "is transfer",
                 what...);
  };
  if (params.file_per_task) refuse(", but file_per_task is true, and a task is alone with its file; it must be none");
  if (params.random_offsets) refuse(", but offsets are random, which IOR allows only for calls; it must be none");
  if (params.deadline > Duration{})
    refuse(", but there is a deadline, after which some tasks would take part and others not; it must be none");
  const std::uint64_t of_block = params.block_size.count / params.transfer_size.count;
  if (params.collective == IorCollective::transfer && of_block > most_collectives / params.segments)
    refuse(", which makes ", of_block, " collectives in each of ", params.segments,
           " segments (segments); a phase may have at most ", most_collectives,
           ": choose fewer segments, larger transfers, or phase");
}

std::unique_ptr<Workload> make(const IorParams& params, const MachineSizes& machine) {
  return std::make_unique<IorWorkload>(params, machine);
}

}  // namespace sunstar::workload
