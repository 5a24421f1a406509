// SPDX-License-Identifier: MIT
#include "platforms/disk/array/player.h"

#include <algorithm>
#include <string>

#include "platforms/disk/array/join.h"

namespace sunstar::disk_platform {

using io::redundant::Plan;
using io::redundant::Step;

struct ArrayPlayer::Job {
  Job(const ArrayRequest& request, Plan what)
      : outcome{request, {}, 0, 0, what.rows, what.lost}, plan(std::move(what)) {}
  Outcome outcome;
  Plan plan;
  std::vector<std::uint32_t> waits_for = std::vector<std::uint32_t>(plan.steps.size());  // steps, by step
  std::size_t left = plan.steps.size();
};

ArrayPlayer::ArrayPlayer(const ArrayParams& array, const disk::DriveParams& drive, Duration pace, std::uint64_t seed)
    : geometry_(geometry_of(array, drive.sector_size.count)),
      planner_(geometry_, rule_of(array),
               io::redundant::copy_choice(read_copy_of(array), *this, {seed, "machine.array.copies"})),
      join_gap_(array.join_gap),
      failed_(disks_of(array), false) {
  for (std::uint32_t d : array.failed) failed_[d] = true;
  for (std::uint32_t d = 0; d < failed_.size(); ++d) {
    const bool alike = array.kind.is<NoArray>() || array.spindles == ArraySpindles::synchronised;
    const std::string name = "machine.disk" + (alike ? "" : std::to_string(d));
    drivers_.emplace_back(drive, disk::random_start(drive, seed, name), array.queue_order, pace);
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
    step_ended(done.command.job, done.command.step, event.at, ended);
    send_all(event.at);
  }
}

void ArrayPlayer::arrive(const ArrayRequest& request, const Ended& ended) {
  Plan plan = request.write ? planner_.write(request.lbn, request.sectors, failed_)
                            : planner_.read(request.lbn, request.sectors, failed_);
  jobs_.push_back(std::make_unique<Job>(request, joined(plan, join_gap_)));
  Job& job = *jobs_.back();
  const std::uint64_t number = jobs_.size() - 1;
  if (job.left == 0) {  // lost, or nothing that could be written is left
    job.outcome.ended = request.arrives;
    ended(job.outcome);
    jobs_.back().reset();
    return;
  }
  most_outstanding_ = std::max(most_outstanding_, ++outstanding_);
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
    if (job.plan.steps[s].kind == Step::Kind::compute) step_ended(number, s, request.arrives, ended);
}

void ArrayPlayer::ready(Job& job, std::uint64_t number, std::uint32_t s) {
  const Step& step = job.plan.steps[s];
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
  if (job.left > 0) return;
  job.outcome.ended = now;
  --outstanding_;
  ended(job.outcome);
  jobs_[number].reset();
}

void ArrayPlayer::send_all(Time now) {
  for (std::uint32_t d : queued_at_)
    if (drivers_[d].can_send()) events_.push({drivers_[d].send(now), event_++, d});
  queued_at_.clear();
}

}  // namespace sunstar::disk_platform
