// SPDX-License-Identifier: MIT
#include "platforms/disk/array_player.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace sunstar::disk_platform {

Driver::Driver(const disk::DriveParams& params, const disk::DriveStart& start, DriverOrder order, Duration pace,
               const io::DriverParams& when_failing)
    : unit_(params, start, pace, when_failing), order_(order) {}

std::deque<Command>::iterator Driver::next() {
  if (order_ == DriverOrder::first_come_first_served) return queue_.begin();
  return std::ranges::min_element(queue_, {}, [&](const Command& c) { return std::pair(c.lbn < last_, c.lbn); });
}

Time Driver::send(Time now) {
  const auto chosen = next();
  const Command c = *chosen;
  queue_.erase(chosen);
  last_ = c.lbn;
  const auto done = unit_.serve(c.write, now, c.lbn, c.sectors, [](Time, Time, Duration) {});
  under_way_ = UnderWay{c, now, done.ends, done.bus, done.status};
  if (when_sent) when_sent(*under_way_);
  if (done.status != hal::Status::ok) return done.ends;
  counts_.hits += drive().timing().hit;
  counts_.streamed += drive().timing().streamed;
  return done.ends;
}

Driver::UnderWay Driver::end() {
  const UnderWay ended = *std::exchange(under_way_, std::nullopt);
  if (ended.status != hal::Status::ok) return ended;
  counts_.add(ended.command.write, ended.command.sectors * drive().params().sector_size.count);
  (ended.command.write ? counts_.writing : counts_.reading) += ended.ends - ended.sent;
  return ended;
}

using io::redundant::Extent;
using io::redundant::Plan;
using io::redundant::Step;

struct ArrayPlayer::Job {
  explicit Job(const ArrayRequest& request) : outcome{request, {}, 0, 0, {}, false} {}
  Outcome outcome;
  Plan plan;
  std::vector<std::uint32_t> waits_for;  // steps, by step
  std::size_t left = 0, at_disks = 0;    // steps, and commands, that have not ended
  bool read_failed = false, write_failed = false;
  bool corrects = false;    // the plan writes the first of the bad units anew
  std::vector<Extent> bad;  // units that cannot be read
};

const io::DriverParams ArrayPlayer::untroubled;

ArrayPlayer::ArrayPlayer(const ArrayParams& array, const disk::DriveParams& drive, Duration pace, std::uint64_t seed,
                         const io::DriverParams& when_failing)
    : geometry_(geometry_of(array, drive.sector_size.count)),
      planner_(geometry_, rule_of(array),
               io::redundant::copy_choice(read_copy_of(array), *this, {seed, "machine.array.copies"})),
      join_gap_(array.join_gap),
      corrections_(array.corrections),
      failures_(std::vector<bool>(disks_of(array), false)),
      read_errors_(disks_of(array), 0) {
  for (std::uint32_t d : array.failed) failures_.failed[d] = true;
  for (std::uint32_t d = 0; d < disks_of(array); ++d) {
    const bool alike = array.kind.is<NoArray>() || array.spindles == ArraySpindles::synchronised;
    const std::string name = "machine.disk" + (alike ? "" : std::to_string(d));
    drivers_.emplace_back(drive, disk::random_start(drive, seed, name), array.queue_order, pace, when_failing);
  }
}

ArrayPlayer::~ArrayPlayer() = default;

std::uint64_t ArrayPlayer::sectors() const { return geometry_.sectors(drivers_.front().drive().geometry().sectors()); }

void ArrayPlayer::play(const std::vector<ArrayRequest>& requests, const Ended& ended, const Served& served) {
  jobs_.reserve(requests.size());
  for (auto next = requests.begin(); next != requests.end() || !events_.empty();) {
    if (next != requests.end() && (events_.empty() || next->arrives <= events_.top().at)) {
      arrive(*next, ended);
      send_all(next->arrives);
      ++next;
      continue;
    }
    const Event event = events_.top();
    events_.pop();
    const Driver::UnderWay done = drivers_[event.disk].end();
    served(drivers_[event.disk], done);
    queued_at_.push_back(event.disk);
    Job& job = *jobs_[done.command.job];
    --job.at_disks;
    if (done.status != hal::Status::ok) command_failed(job, done, event.disk);
    if (job.read_failed) {  // the rest of the plan has no point
      if (job.at_disks == 0) all_ended(done.command.job, event.at, ended);
    } else {
      step_ended(done.command.job, done.command.step, event.at, ended);
    }
    send_all(event.at);
  }
}

void ArrayPlayer::arrive(const ArrayRequest& request, const Ended& ended) {
  jobs_.push_back(std::make_unique<Job>(request));
  plan(*jobs_.back());
  if (start(jobs_.size() - 1, request.arrives, ended)) most_outstanding_ = std::max(most_outstanding_, ++outstanding_);
}

void ArrayPlayer::plan(Job& job) {
  const ArrayRequest& r = job.outcome.request;
  std::erase_if(job.bad, [&](const Extent& unit) { return failures_.has(unit); });
  job.corrects = !job.bad.empty();
  if (job.corrects) {
    io::redundant::Failures failures = failures_;
    failures.bad.insert(job.bad.begin(), job.bad.end());
    job.plan = planner_.rebuild(*geometry_.member_at(job.bad.front().disk, job.bad.front().sector), failures);
    return;
  }
  job.plan = joined(r.write ? planner_.write(r.lbn, r.sectors, failures_) : planner_.read(r.lbn, r.sectors, failures_),
                    join_gap_);
  job.outcome.rows = job.plan.rows;
}

/// Starts the job's plan; returns false if the job has ended at once.
bool ArrayPlayer::start(std::uint64_t number, Time now, const Ended& ended) {
  Job& job = *jobs_[number];
  job.read_failed = job.write_failed = false;
  job.left = job.plan.steps.size();
  job.waits_for.assign(job.left, 0);
  if (job.left == 0) {  // lost, or nothing that could be written is left
    job.outcome.lost = job.plan.lost;
    job.outcome.ended = now;
    ended(job.outcome);
    jobs_[number].reset();
    return false;
  }
  std::vector<std::uint32_t> first;
  for (std::uint32_t s = 0; s < job.plan.steps.size(); ++s) {
    const Step& step = job.plan.steps[s];
    job.waits_for[s] = static_cast<std::uint32_t>(step.after.size());
    if (step.kind == Step::Kind::read) ++job.outcome.reads;
    if (step.kind == Step::Kind::write) ++job.outcome.writes;
    if (step.after.empty()) first.push_back(s);
  }
  for (std::uint32_t s : first)
    if (job.plan.steps[s].kind != Step::Kind::compute) ready(job, number, s);
  for (std::uint32_t s : first)
    if (job.plan.steps[s].kind == Step::Kind::compute) step_ended(number, s, now, ended);
  return true;
}

void ArrayPlayer::command_failed(Job& job, const Driver::UnderWay& done, std::uint32_t disk) {
  (done.command.write ? job.write_failed : job.read_failed) = true;
  const auto member = geometry_.member_at(disk, done.command.lbn);
  if (!done.command.write && done.status == hal::Status::medium_error && geometry_.checks() > 0 &&
      ++read_errors_[disk] <= corrections_) {
    const Extent unit = geometry_.at(*member, 0, geometry_.unit_sectors());
    if (std::ranges::find(job.bad, unit) == job.bad.end()) job.bad.push_back(unit);
  } else if (!failures_.failed[disk]) {
    failures_.failed[disk] = true;
    ++drives_failed_;
  }
}

/// All commands of the job's plan have ended, or those that were sent before one failed.
void ArrayPlayer::all_ended(std::uint64_t number, Time now, const Ended& ended) {
  Job& job = *jobs_[number];
  const bool again = job.read_failed || job.corrects;
  if (job.corrects && !job.read_failed) {
    job.bad.erase(job.bad.begin());
    corrected_ += !job.write_failed;
  }
  if (again || job.write_failed) plan(job);  // what was to be written on a failed disk is left out, or is it too much?
  if (again && !job.plan.lost) {
    if (!start(number, now, ended)) --outstanding_;
    return;
  }
  job.outcome.lost = job.plan.lost;
  job.outcome.ended = now;
  --outstanding_;
  ended(job.outcome);
  jobs_[number].reset();
}

void ArrayPlayer::ready(Job& job, std::uint64_t number, std::uint32_t s) {
  const Step& step = job.plan.steps[s];
  ++job.at_disks;
  drivers_[step.at.disk].queue({number, s, step.kind == Step::Kind::write, step.at.sector, step.at.sectors});
  queued_at_.push_back(step.at.disk);
}

void ArrayPlayer::step_ended(std::uint64_t number, std::uint32_t step, Time now, const Ended& ended) {
  Job& job = *jobs_[number];
  --job.left;
  for (std::uint32_t s = step + 1; s < job.plan.steps.size(); ++s) {
    const auto& after = job.plan.steps[s].after;
    if (std::find(after.begin(), after.end(), step) == after.end() || --job.waits_for[s] > 0) continue;
    if (job.plan.steps[s].kind != Step::Kind::compute) {
      ready(job, number, s);
      continue;
    }
    step_ended(number, s, now, ended);
    if (!jobs_[number]) return;  // that was the last step
  }
  if (job.left == 0) all_ended(number, now, ended);
}

void ArrayPlayer::send_all(Time now) {
  for (std::uint32_t d : queued_at_)
    if (drivers_[d].can_send()) events_.push({drivers_[d].send(now), event_++, d});
  queued_at_.clear();
}

Plan joined(const Plan& plan, std::uint32_t gap) {
  // For each step the one that it becomes part of: itself, or the first by sector of its group.
  std::vector<std::uint32_t> order(plan.steps.size()), head(plan.steps.size());
  std::iota(order.begin(), order.end(), 0u);
  head = order;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Step &x = plan.steps[a], &y = plan.steps[b];
    return std::tuple(x.kind, x.at.disk, x.at.sector) < std::tuple(y.kind, y.at.disk, y.at.sector);
  });
  std::vector<Step> steps = plan.steps;
  bool any = false;
  for (std::size_t i = 1; i < order.size(); ++i) {
    Step& before = steps[head[order[i - 1]]];
    const Step& next = steps[order[i]];
    const std::uint64_t end = before.at.sector + before.at.sectors;
    if (next.kind == Step::Kind::compute || next.kind != before.kind || next.at.disk != before.at.disk ||
        next.at.sector > end + gap)
      continue;
    head[order[i]] = head[order[i - 1]];
    before.at.sectors = static_cast<std::uint32_t>(std::max(end, next.at.sector + next.at.sectors) - before.at.sector);
    before.after.insert(before.after.end(), next.after.begin(), next.after.end());
    any = true;
  }
  if (!any) return plan;

  // Reads come first, then what is computed of them, then the writes, so that no step waits for a later one.
  Plan result = plan;
  result.steps.clear();
  std::vector<std::uint32_t> number(steps.size());
  for (auto kind : {Step::Kind::read, Step::Kind::compute, Step::Kind::write})
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      if (steps[i].kind == kind && head[i] == i) {
        number[i] = static_cast<std::uint32_t>(result.steps.size());
        result.steps.push_back(std::move(steps[i]));
      }
  for (Step& s : result.steps) {
    for (std::uint32_t& a : s.after) a = number[head[a]];
    std::sort(s.after.begin(), s.after.end());
    s.after.erase(std::unique(s.after.begin(), s.after.end()), s.after.end());
  }
  return result;
}

}  // namespace sunstar::disk_platform
