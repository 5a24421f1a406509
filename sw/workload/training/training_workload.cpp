// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>

#include "models/core/durations.h"
#include "models/core/error.h"
#include "sw/os/os.h"
#include "sw/workload/job.h"
#include "sw/workload/shuffled.h"
#include "sw/workload/training/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

namespace {

constexpr double most_bytes = 0x1p50;     // that are read and written
constexpr double most_batches = 1 << 26;  // that are read

/// The files of a data set, and which samples an accelerator reads in which order.
class DataSet {
 public:
  /// A run of bytes in a file, of samples that lie one behind the other.
  struct Run {
    std::uint32_t file = 0, samples = 0;
    std::uint64_t offset = 0, bytes = 0;
  };

  DataSet(const TrainingParams& params, std::uint32_t accelerators, std::uint64_t seed)
      : params_(params), accelerators_(accelerators), seed_(seed) {
    RandomStream random(0, "sizes of samples");  // the data set is the same in all trials
    for (std::uint32_t f = 0; f < params.files; ++f) {
      double normal = -6;  // Irwin and Hall
      for (int i = 0; i < 12 && params.sample_size_deviation.count > 0; ++i) normal += random.uniform();
      if (params.sample_size_deviation.count == 0) normal = 0;
      const double bytes = static_cast<double>(params.sample_size.count) +
                           normal * static_cast<double>(params.sample_size_deviation.count);
      sample_bytes_.push_back(static_cast<std::uint64_t>(std::max(std::round(bytes), 1.0)));
    }
  }

  std::uint64_t file_bytes(std::uint32_t file) const { return sample_bytes_[file] * params_.samples_per_file; }
  std::uint64_t batches_of_epoch() const {
    const std::uint64_t samples = params_.shuffle == Shuffle::samples
                                      ? std::uint64_t{params_.files} * params_.samples_per_file / accelerators_
                                      : std::uint64_t{params_.files / accelerators_} * params_.samples_per_file;
    return samples / params_.batch_size;
  }
  /// The accelerator's batch of that number. It takes every n-th sample, or file, of an epoch's order.
  std::vector<Run> batch(std::uint32_t accelerator, std::uint64_t number) const {
    std::vector<Run> runs;
    const std::uint64_t first = number % batches_of_epoch() * params_.batch_size;
    for (std::uint64_t at = first; at < first + params_.batch_size; ++at) {
      const std::uint64_t of_file = params_.samples_per_file, epoch = number / batches_of_epoch();
      const bool by_sample = params_.shuffle == Shuffle::samples;
      std::uint64_t unit = accelerator + accelerators_ * (by_sample ? at : at / of_file);
      if (params_.shuffle != Shuffle::none)
        unit = shuffled(unit, by_sample ? params_.files * of_file : params_.files, mix64(seed_) + epoch);
      const auto file = static_cast<std::uint32_t>(by_sample ? unit / of_file : unit);
      const std::uint64_t bytes = sample_bytes_[file], offset = bytes * (by_sample ? unit % of_file : at % of_file);
      Run* const last = runs.empty() ? nullptr : &runs.back();
      if (last && last->file == file && last->offset + last->bytes == offset) last->bytes += bytes, ++last->samples;
      else runs.push_back({file, 1, offset, bytes});
    }
    return runs;
  }

 private:
  const TrainingParams& params_;
  const std::uint64_t accelerators_, seed_;
  std::vector<std::uint64_t> sample_bytes_;  // by file
};

/// An accelerator: its batches that are read and its shards that are written.
struct Accelerator {
  explicit Accelerator(std::uint32_t readers) : loaded(readers) {}
  std::vector<std::uint64_t> loaded;  ///< batches, by reading thread
  std::uint64_t taken = 0;            ///< batches
  std::optional<os::WaitQueue> room{};
  bool restarted = false;
  std::uint64_t written = 0;  ///< shards that are on disk
};

/// A node, whose threads tell one another what they have done.
struct Node {
  std::deque<Accelerator> accelerators;
  std::optional<os::WaitQueue> done{};  ///< where the node's accelerators wait for its other threads
  std::uint64_t asked = 0;              ///< checkpoints that have begun
  Time asked_at{};                      ///< the last one
  std::optional<os::WaitQueue> asking{};
  bool over = false;  ///< after the last step
};

os::WaitQueue& made(std::optional<os::WaitQueue>& queue, os::Os& os, const char* what) {
  return queue ? *queue : queue.emplace(os, what);
}
void wake(std::optional<os::WaitQueue>& queue) {
  if (queue) queue->wake_all();
}

/// Training. Its processes are the reading threads; the nodes, each with its accelerators; and, for checkpoints, a
/// writing thread for each accelerator. These are three applications (teams).
///
/// Reading thread r of an accelerator reads its batches r, r + n, ... of n threads, as the workers of a PyTorch loader
/// do: one sample after the other, each in calls of `request_size`. It begins a batch once the accelerator has taken
/// the one that lies n * prefetch before.
///
/// In a step an accelerator takes its next batch, for which it may have to wait, and computes. Then the nodes combine
/// their results by messages (messages::allreduce), so that all begin the next step together. After every `every` steps
/// but the last, each writes a shard and waits until all shards are on disk; or it copies the shard to memory, from
/// where it drains while training goes on, unless the one before is still draining.
///
/// Utilisation is what DLIO reports: the share of computing in the time from the end of the warm-up to the end of the
/// last step.
class TrainingWorkload final : public Workload {
 public:
  TrainingWorkload(const TrainingParams& params, const MachineSizes& machine)
      : params_(validated(params, "workload")),
        nodes_(machine.processors),
        accelerators_(machine.processors * params.accelerators),
        data_(params_, accelerators_, machine.seed) {
    const std::uint64_t of_epoch = data_.batches_of_epoch();
    if (of_epoch == 0)
      throw ConfigError("workload.files is ", params.files, "; ",
                        params.shuffle == Shuffle::samples ? "their samples" : "whole files",
                        " must be enough for a batch of each of the ", accelerators_, " accelerators.");
    const double all = params.steps > 0 ? params.steps : static_cast<double>(of_epoch) * params.epochs;
    const std::uint64_t ahead = std::uint64_t{params.readers} * params.prefetch;
    const double batches = (all + static_cast<double>(ahead)) * accelerators_;
    const double bytes = batches * params.batch_size * static_cast<double>(params.sample_size.count) +
                         static_cast<double>(params.checkpoint.shard.count) * accelerators_ *
                             (params.checkpoint.every > 0 ? all / params.checkpoint.every : 0);
    if (batches > most_batches || bytes > most_bytes || all > 4e9)
      throw ConfigError("workload.", params.steps > 0 ? "steps" : "epochs",
                        ": the accelerators would read more than 67108864 batches, or read and write more than 2^50 "
                        "bytes; choose fewer.");
    steps_ = static_cast<std::uint32_t>(all);
    if (params.warm_up >= steps_)
      throw ConfigError("workload.warm_up is ", params.warm_up, "; it must be below the ", steps_,
                        " steps of each accelerator.");
    batches_ = params.steps > 0 ? steps_ + ahead : steps_;
    checkpoints_ = params.checkpoint.every > 0 ? (steps_ - 1) / params.checkpoint.every : 0;
    state_ = std::make_unique<State>();
    state_->nodes.resize(nodes_);
    for (std::uint32_t a = 0; a < accelerators_; ++a)
      state_->nodes[a / params.accelerators].accelerators.emplace_back(params.readers);
    state_->made.resize(processors());
    state_->rounds.schedule = messages::allreduce(nodes_, static_cast<std::uint32_t>(params.allreduce.count));
    state_->rounds.rounds = steps_;
    state_->rounds.compute = params.compute + params.step_cost + params.allreduce_time;
    state_->rounds.before = [this](std::size_t n, std::uint32_t step, os::Os& os) { return before(n, step, os); };
    add_files();
    for (std::uint32_t p = 0; p < processors(); ++p) possible_.push_back(calls_of(p));
  }

  std::uint32_t processors() const override { return first_writer() + (writes() ? accelerators_ : 0); }
  std::uint32_t node(std::uint32_t p) const override {
    if (p < first_node()) return p / params_.readers / params_.accelerators;
    return p < first_writer() ? p - first_node() : (p - first_writer()) / params_.accelerators;
  }
  std::vector<TeamRange> teams() const override {
    std::vector<TeamRange> all{{0, first_node(), true, true}, {first_node(), nodes_, true, true}};
    if (writes()) all.push_back({first_writer(), accelerators_, true, true});
    return all;
  }
  std::uint64_t memory_bytes(std::uint32_t p) const override {
    return is_node(p) ? 2 * params_.allreduce.count : possible_[p].bytes;
  }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  ExchangeRounds* exchange(std::uint32_t team) const override { return team == 1 ? &state_->rounds : nullptr; }
  std::uint64_t bytes_moved() const override { return sum(&Totals::bytes); }
  std::uint64_t access_count() const override { return sum(&Totals::units); }
  Totals totals(Unit, std::uint32_t team) const override {
    Totals all;
    const TeamRange range = teams()[team];
    for (std::uint32_t p = range.first; p < range.first + range.processors; ++p) {
      all.units += done(p).units;
      all.bytes += done(p).bytes;
    }
    if (team == 1) all.bytes = state_->rounds.schedule.messages * steps_ * params_.allreduce.count;
    return all;
  }
  /// The end of the last step ends reading if only a part of a training runs.
  bool stops_by_time() const override { return params_.steps > 0; }
  void add_figures(NamedFigures& figures) const override;

 private:
  class Thread;
  class Reader;
  class Writer;
  struct State {
    std::deque<Node> nodes;
    std::vector<Totals> made;  ///< calls that were made, by process
    ExchangeRounds rounds;
    Time begin{}, end{};  ///< of the counted steps
    Durations waited;
    Duration waited_sum{}, stalled{}, restarted{}, writing{};
    std::uint64_t stalls = 0;
    bool over = false;
  };

  std::uint32_t first_node() const { return accelerators_ * params_.readers; }
  std::uint32_t first_writer() const { return first_node() + nodes_; }
  bool is_node(std::uint32_t p) const { return p >= first_node() && p < first_writer(); }
  bool writes() const { return checkpoints_ > 0 || params_.checkpoint.restart; }
  /// What the process does: as many calls as it can have made, or, when the run is over, those it has made.
  Totals done(std::uint32_t p) const {
    if (is_node(p)) return {steps_, 0};
    return state_->over ? state_->made[p] : possible_[p];
  }
  std::uint64_t sum(std::uint64_t Totals::*figure) const {
    std::uint64_t all = 0;
    for (std::uint32_t t = 0; t < teams().size(); ++t) all += totals(Unit::call, t).*figure;
    return all;
  }
  Totals calls_of(std::uint32_t p) const {
    Totals all;
    const auto calls = accesses(p);
    for (Access access; calls->next(access); all.bytes += access.bytes) all.units += access.bytes > 0;
    return all;
  }
  void add_files() {
    const auto name = [](const char* kind, std::uint64_t number) {
      std::array<char, 64> text{};
      std::snprintf(text.data(), text.size(), "%s.%08llu", kind, static_cast<unsigned long long>(number));
      return std::string(text.data());
    };
    for (std::uint32_t f = 0; f < params_.files; ++f)
      files_.push_back({name("samples", f), data_.file_bytes(f), true, false, false, false});
    const std::uint64_t bytes = params_.checkpoint.shard.count;
    for (std::uint32_t a = 0; params_.checkpoint.restart && a < accelerators_; ++a)
      files_.push_back({name("restart", a), bytes, true, false, true, false});
    for (std::uint64_t c = 0; c < checkpoints_ * accelerators_; ++c)
      files_.push_back({name("shard", c), bytes, false, true, true, true});
  }
  std::uint32_t restart_file(std::uint32_t accelerator) const { return params_.files + accelerator; }
  std::uint32_t shard_file(std::uint64_t checkpoint, std::uint32_t accelerator) const {
    const std::uint32_t first = params_.files + (params_.checkpoint.restart ? accelerators_ : 0);
    return first + static_cast<std::uint32_t>(checkpoint * accelerators_) + accelerator;
  }

  os::Task<> before(std::size_t number, std::uint32_t step, os::Os& os);
  os::Task<> checkpoint(Node& node, os::Os& os);
  template <class Done>
  static os::Task<> all(Node& node, os::Os& os, Done done) {
    while (!std::ranges::all_of(node.accelerators, done))
      co_await made(node.done, os, "a thread of its accelerators").wait();
  }

  const TrainingParams params_;
  const std::uint32_t nodes_, accelerators_;
  const DataSet data_;
  std::uint32_t steps_ = 0;
  std::uint64_t batches_ = 0, checkpoints_ = 0;  // of each accelerator
  std::vector<Totals> possible_;                 // by process
  std::unique_ptr<State> state_;
};

/// The calls of a thread, in parts: a batch, a restart or a shard. When the run is over, those that it has made.
class TrainingWorkload::Thread : public AccessSource {
 public:
  Thread(const TrainingWorkload& work, std::uint32_t process, std::uint32_t accelerator)
      : work_(work),
        process_(process),
        node_(work.state_->nodes[accelerator / work.params_.accelerators]),
        accelerator_(node_.accelerators[accelerator % work.params_.accelerators]) {}

  void tell(Time now) override {
    const os::NotOnTheMachine mark;
    runs_ = true;
    if (ended_) part_ended(now);
    ended_ = false;
  }
  os::WaitQueue* blocked(os::Os& os) final { return todo_.empty() && !stops() ? waits_in(os) : nullptr; }
  bool next(Access& next) override {
    const os::NotOnTheMachine mark;
    if (!runs_ && work_.state_->over && made_.units == work_.state_->made[process_].units) return false;
    if (todo_.empty() && (stops() || !begin_part(todo_))) return false;
    if (stops() && todo_.front().bytes > 0) return false;
    next = take_first(todo_);
    next.single = true;
    next.memory = made_.bytes;
    made_.units += next.bytes > 0;
    made_.bytes += next.bytes;
    if (runs_) work_.state_->made[process_] = made_;
    ended_ = todo_.empty();
    return true;
  }

 protected:
  /// Appends the calls of the next part, the last of which moves no bytes. Returns false if no part is left.
  virtual bool begin_part(std::deque<Access>& calls) = 0;
  virtual void part_ended(Time now) = 0;
  /// Where it waits as long as the next part may not begin; otherwise null.
  virtual os::WaitQueue* waits_in(os::Os& os) = 0;
  virtual bool stops() const { return false; }
  void add_calls(std::deque<Access>& calls, const DataSet::Run& run, requests::Operation operation) const {
    const std::uint64_t most = work_.params_.request_size.count > 0 ? work_.params_.request_size.count : run.bytes;
    for (std::uint64_t at = 0; at < run.bytes; at += most) {
      Access access;
      access.file = run.file;
      access.operation = operation;
      access.offset = run.offset + at;
      access.bytes = std::min(most, run.bytes - at);
      calls.push_back(access);
    }
  }

  const TrainingWorkload& work_;
  const std::uint32_t process_;
  Node& node_;
  Accelerator& accelerator_;
  bool runs_ = false;  // in the simulated machine

 private:
  std::deque<Access> todo_;
  Totals made_;
  bool ended_ = false;
};

class TrainingWorkload::Reader final : public Thread {
 public:
  Reader(const TrainingWorkload& work, std::uint32_t process)
      : Thread(work, process, process / work.params_.readers),
        thread_(process % work.params_.readers),
        batch_(thread_) {}

 private:
  bool begin_part(std::deque<Access>& calls) override {
    if (batch_ >= work_.batches_) return false;
    const TrainingParams& params = work_.params_;
    Duration decoding{};  // of the run before
    for (const DataSet::Run& run : work_.data_.batch(process_ / params.readers, batch_)) {
      const std::size_t first = calls.size();
      add_calls(calls, run, Operation::read);
      calls[first].think = decoding;
      decoding = run.samples * params.sample_cost + params.decode_rate.time_for(run.bytes);
    }
    calls.emplace_back().think = decoding;
    batch_ += params.readers;
    return true;
  }
  void part_ended(Time) override {
    ++accelerator_.loaded[thread_];
    wake(node_.done);
  }
  os::WaitQueue* waits_in(os::Os& os) override {
    const std::uint64_t ahead = std::uint64_t{work_.params_.readers} * work_.params_.prefetch;
    const bool waits = batch_ < work_.batches_ && batch_ >= accelerator_.taken + ahead;
    return waits ? &made(accelerator_.room, os, "room for a batch") : nullptr;
  }
  bool stops() const override { return runs_ && node_.over; }

  const std::uint32_t thread_;
  std::uint64_t batch_;  // the next one
};

class TrainingWorkload::Writer final : public Thread {
 public:
  Writer(const TrainingWorkload& work, std::uint32_t process)
      : Thread(work, process, process - work.first_writer()),
        number_(process - work.first_writer()),
        restarts_(work.params_.checkpoint.restart) {}

 private:
  bool begin_part(std::deque<Access>& calls) override {
    const std::uint64_t bytes = work_.params_.checkpoint.shard.count;
    if (std::exchange(restarts_, false)) {
      add_calls(calls, {work_.restart_file(number_), 1, 0, bytes}, Operation::read);
      calls.emplace_back();
      return true;
    }
    if (begun_ >= work_.checkpoints_) return false;
    add_calls(calls, {work_.shard_file(begun_++, number_), 1, 0, bytes}, Operation::write);
    calls.emplace_back().close = true;
    calls.back().sync = true;
    return true;
  }
  void part_ended(Time now) override {
    if (begun_ == 0) {
      accelerator_.restarted = true;
      work_.state_->restarted = std::max(work_.state_->restarted, now.time_since_epoch());
    } else {
      ++accelerator_.written;
      work_.state_->writing += now - node_.asked_at;
    }
    wake(node_.done);
  }

  os::WaitQueue* waits_in(os::Os& os) override {
    const bool waits = !restarts_ && begun_ < work_.checkpoints_ && node_.asked <= begun_;
    return waits ? &made(node_.asking, os, "a checkpoint") : nullptr;
  }

  const std::uint32_t number_;
  bool restarts_;  // it has still to begin with that
  std::uint64_t begun_ = 0;
};

std::unique_ptr<AccessSource> TrainingWorkload::accesses(std::uint32_t processor) const {
  if (is_node(processor)) return Workload::accesses(processor);
  if (processor < first_node()) return std::make_unique<Reader>(*this, processor);
  return std::make_unique<Writer>(*this, processor);
}

os::Task<> TrainingWorkload::checkpoint(Node& node, os::Os& os) {
  const CheckpointParams& params = params_.checkpoint;
  const Time start = os.now();
  if (params.background) {
    co_await all(node, os, [&](const Accelerator& each) { return each.written == node.asked; });
    co_await os.sleep_until(os.now() + params.snapshot_rate.time_for(params.shard.count));
  }
  ++node.asked;
  node.asked_at = start;
  wake(node.asking);
  if (!params.background) co_await all(node, os, [&](const Accelerator& each) { return each.written == node.asked; });
  state_->stalled += os.now() - start;
  ++state_->stalls;
}

os::Task<> TrainingWorkload::before(std::size_t number, std::uint32_t step, os::Os& os) {
  Node& node = state_->nodes[number];
  if (step == 0 && params_.checkpoint.restart)
    co_await all(node, os, [](const Accelerator& each) { return each.restarted; });
  if (step == steps_) {
    state_->end = std::max(state_->end, os.now());
    node.over = state_->over = true;
    for (Accelerator& each : node.accelerators) wake(each.room);
    co_return;
  }
  if (step == params_.warm_up) state_->begin = std::max(state_->begin, os.now());
  if (checkpoints_ > 0 && step > 0 && step % params_.checkpoint.every == 0) co_await checkpoint(node, os);
  const Time start = os.now();
  co_await all(node, os, [&, this](Accelerator& each) {
    if (each.taken > step) return true;
    if (each.loaded[step % params_.readers] <= step / params_.readers) return false;
    each.taken = step + 1;
    wake(each.room);
    if (step >= params_.warm_up) {
      state_->waited.add(os.now() - start);
      state_->waited_sum += os.now() - start;
    }
    return true;
  });
}

void TrainingWorkload::add_figures(NamedFigures& figures) const {
  NamedFigures& section = figures.section("training");
  const double wall = seconds(state_->end - state_->begin), counted = steps_ - params_.warm_up;
  double bytes = 0;
  for (std::uint32_t a = 0; a < accelerators_; ++a)
    for (std::uint64_t step = params_.warm_up; step < steps_; ++step)
      for (const DataSet::Run& run : data_.batch(a, step)) bytes += static_cast<double>(run.bytes);
  section.add("accelerators", accelerators_);
  section.add("steps", steps_);
  section.add("wall_s", wall);
  section.add("utilisation", seconds(params_.compute) * counted / wall);
  section.add("samples_per_s", counted * accelerators_ * params_.batch_size / wall);
  section.add("bytes_per_s", bytes / wall);
  NamedFigures& waited = section.section("waited");
  const Percentiles p = state_->waited.percentiles();
  waited.add("mean_s", seconds(state_->waited_sum) / static_cast<double>(std::max<std::size_t>(p.count, 1)));
  waited.add("p50_s", seconds(p.p50));
  waited.add("p99_s", seconds(p.p99));
  waited.add("max_s", seconds(p.max));
  if (!writes()) return;
  NamedFigures& checkpoint = section.section("checkpoint");
  const double stall = state_->stalls > 0 ? seconds(state_->stalled) / static_cast<double>(state_->stalls) : 0;
  checkpoint.add("count", checkpoints_);
  checkpoint.add("stall_s", stall);
  checkpoint.add("share", stall * static_cast<double>(checkpoints_) / wall);
  checkpoint.add("write_s",
                 checkpoints_ > 0 ? seconds(state_->writing) / static_cast<double>(checkpoints_) / accelerators_ : 0.0);
  checkpoint.add("restart_s", seconds(state_->restarted));
}

}  // namespace

void check(const TrainingParams& params, const std::string& path, Problems& problems) {
  const std::uint64_t samples = std::uint64_t{params.files} * params.samples_per_file;
  if (samples < params.batch_size)
    problems.add(json_path(path, "batch_size"), "is ", params.batch_size, "; it must be at most ", samples,
                 ", the samples of all files");
  if (params.steps > 0 && params.warm_up >= params.steps)
    problems.add(json_path(path, "warm_up"), "is ", params.warm_up, "; it must be below steps, ", params.steps);
}

std::unique_ptr<Workload> make(const TrainingParams& params, const MachineSizes& machine) {
  return std::make_unique<TrainingWorkload>(params, machine);
}

}  // namespace sunstar::workload
