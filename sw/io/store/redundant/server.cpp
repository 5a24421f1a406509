// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/server.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "sw/io/store/redundant/content_sum.h"
#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {

using os::Cost;

/// A command to a disk, for a step of a job.
struct Server::Operation final : DiskRequest {
  Operation(Server& s, Job& j, std::uint32_t n) : server(s), job(j), step(n) {}
  void finished(hal::Status ended) override { server.operation_ended(*this, ended); }
  Server& server;
  Job& job;
  std::uint32_t step;
};

/// A request, its plan, and how far it has come.
struct Server::Job {
  explicit Job(DiskRequest& request) : whole(request) {}
  DiskRequest& whole;
  std::vector<Part> parts;
  Plan plan;
  std::byte* buffer = nullptr;
  std::vector<std::uint32_t> waits_for;  // by step: steps
  std::size_t to_prepare = 0;            // reads and computations that have not ended
  std::size_t left = 0;                  // steps that have not ended
  std::size_t at_disks = 0;              // commands under way
  bool holds_rows = false;
  bool read_failed = false, write_failed = false;
  std::deque<Operation> operations;
};

/// One disk's SYNCHRONISE CACHE.
class Server::Synchronisation final : public DiskRequest {
 public:
  Synchronisation(os::Os& os, Array& array, std::uint32_t disk) : array_(array), ended_(os, "a disk's cache") {
    unit = disk;
    synchronise = true;
  }
  os::Task<> end() {
    while (!done_) co_await ended_.wait();
  }

 private:
  void finished(hal::Status status) override {
    if (status != hal::Status::ok) array_.fail(unit);
    done_ = true;
    ended_.wake_all();
  }
  Array& array_;
  os::WaitQueue ended_;
  bool done_ = false;
};

Server::Server(os::Os& os, DiskDrivers& drivers, Array& array, const RandomStream& random)
    : os_(os),
      drivers_(drivers),
      array_(array),
      sector_bytes_(array.drive(0).shape().sector_bytes),
      planner_(array.geometry(), array.design().rule, copy_choice(array.design().read_copy, *this, random)),
      under_way_(drivers.units(), 0),
      last_sector_(drivers.units(), 0),
      work_(os, "a request to the array, or data to compute checks of"),
      idle_(os, "an array to become idle") {
  os.spawn(thread(), "array", {.urgent = true, .daemon = true});
}

Server::~Server() = default;

std::uint64_t Server::commands(std::uint32_t disk) const { return under_way_[disk]; }

void Server::submit(DiskRequest& request) {
  Job& job = jobs_.emplace_back(request);
  arrived_.push_back(&job);
  work_.wake_one();
}

os::Task<> Server::thread() {
  for (;;) {
    if (!computations_.empty()) {
      const Computation next = computations_.front();
      computations_.pop_front();
      for (const Term& t : next.job->plan.steps[next.step].terms) {
        const double bytes = static_cast<double>(t.sectors) * sector_bytes_;
        os_.charge(t.factor == 1 ? Cost::parity_per_byte : Cost::second_check_per_byte, bytes);
        os_.copied(t.sectors * sector_bytes_);
      }
      co_await os_.settle();
      compute(*next.job, next.step);
      step_ended(*next.job, next.step, false);
    } else if (!ready_to_end_.empty()) {
      Job& job = *ready_to_end_.front();
      ready_to_end_.pop_front();
      end(job);
    } else if (!arrived_.empty()) {
      Job& job = *arrived_.front();
      arrived_.pop_front();
      os_.charge(Cost::array_request);
      co_await os_.settle();
      plan(job);
      if (takes_rows(job)) start(job);
      else waiting_.push_back(&job);
    } else {
      co_await work_.wait();
    }
  }
}

void Server::plan(Job& job) {
  const DiskRequest& r = job.whole;
  if (job.parts.empty()) job.parts = array_.units().parts(r.unit, r.sector, r.sectors);
  job.plan = r.write ? planner_.write(job.parts, array_.failures()) : planner_.read(job.parts, array_.failures());
}

/// Whether the job got the rows that it needs, if it needs any to itself. Those who wait for one of them go first.
bool Server::takes_rows(Job& job) {
  if (!job.plan.locks || job.plan.lost) return true;
  const auto needs = [](const Job& j, std::uint64_t row) { return j.plan.first_row <= row && row <= j.plan.last_row; };
  for (const Job* other : waiting_) {
    if (other == &job) break;
    if (other->plan.first_row <= job.plan.last_row && job.plan.first_row <= other->plan.last_row) return false;
  }
  for (const Part& p : job.parts)
    if (const auto held = rows_.find(p.unit.row); held != rows_.end() && needs(job, held->first)) return false;
  for (const Part& p : job.parts) rows_[p.unit.row] = &job;
  return job.holds_rows = true;
}

void Server::leave_rows(Job& job) {
  if (!job.holds_rows) return;
  for (const Part& p : job.parts) rows_.erase(p.unit.row);
  job.holds_rows = false;
}

void Server::start_waiting() {
  for (auto i = waiting_.begin(); i != waiting_.end();) {
    Job& job = **i;
    if (!takes_rows(job)) {
      ++i;
      continue;
    }
    i = waiting_.erase(i);
    // A disk may have failed meanwhile. The rows are the same, and so is whether they are needed alone, or more so.
    plan(job);
    start(job);
  }
}

void Server::start(Job& job) {
  const Plan& p = job.plan;
  if (p.buffer_sectors > 0) job.buffer = take_buffer(p.buffer_sectors);
  job.left = p.steps.size();
  job.waits_for.assign(p.steps.size(), 0);
  job.to_prepare = 0;
  for (std::size_t s = 0; s < p.steps.size(); ++s) {
    job.waits_for[s] = static_cast<std::uint32_t>(p.steps[s].after.size());
    job.to_prepare += p.steps[s].kind != Step::Kind::write;
  }
  if (job.left == 0) {  // lost, or nothing that could be written is left
    ready_to_end_.push_back(&job);
    work_.wake_one();
    return;
  }
  const bool prepared = job.to_prepare == 0;
  for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
    const bool write = p.steps[s].kind == Step::Kind::write;
    if (write ? prepared : p.steps[s].after.empty()) begin(job, s);
  }
}

void Server::begin(Job& job, std::uint32_t s) {
  const Step& step = job.plan.steps[s];
  if (step.kind == Step::Kind::compute) {
    computations_.push_back({&job, s});
    work_.wake_one();
    return;
  }
  Operation& o = job.operations.emplace_back(*this, job, s);
  o.unit = step.at.disk;
  o.write = step.kind == Step::Kind::write;
  o.sector = step.at.sector;
  o.sectors = step.at.sectors;
  o.data = {memory_of(job, step.memory)};
  ++job.at_disks;
  ++under_way_[o.unit];
  last_sector_[o.unit] = o.sector;
  drivers_.submit(o);
}

std::byte* Server::memory_of(const Job& job, const Slice& slice) const {
  return (slice.own ? job.whole.data.bytes : job.buffer) + std::uint64_t{slice.sector} * sector_bytes_;
}

void Server::compute(Job& job, std::uint32_t s) {
  const Step& step = job.plan.steps[s];
  const std::uint32_t bytes = step.at.sectors * sector_bytes_;
  content::Content sum(content::Piece{content::Source::zero, bytes, 0});
  for (const Term& t : step.terms) {
    content::Content summand;
    os_.memory().read(memory_of(job, t.from), t.sectors * sector_bytes_, summand);
    add(sum, t.at * sector_bytes_, summand, t.factor);
  }
  os_.memory().write(memory_of(job, step.memory), sum);
}

void Server::operation_ended(Operation& o, hal::Status status) {
  Job& job = o.job;
  --job.at_disks;
  --under_way_[o.unit];
  if (status != hal::Status::ok) {
    array_.fail(o.unit);
    (o.write ? job.write_failed : job.read_failed) = true;
  }
  step_ended(job, o.step, true);
}

void Server::step_ended(Job& job, std::uint32_t ended, bool in_handler) {
  --job.left;
  const bool prepares = job.plan.steps[ended].kind != Step::Kind::write;
  if (prepares) --job.to_prepare;
  if (job.read_failed) {  // nothing has been written: once again, without that disk
    if (job.at_disks == 0 &&
        std::none_of(computations_.begin(), computations_.end(), [&](const Computation& c) { return c.job == &job; })) {
      ready_to_end_.push_back(&job);
      work_.wake_one();
    }
    return;
  }
  const auto steps = static_cast<std::uint32_t>(job.plan.steps.size());
  for (std::uint32_t s = ended + 1; s < steps; ++s) {
    const Step& step = job.plan.steps[s];
    if (step.kind == Step::Kind::write) continue;
    if (std::find(step.after.begin(), step.after.end(), ended) == step.after.end()) continue;
    if (--job.waits_for[s] == 0) begin(job, s);
  }
  if (prepares && job.to_prepare == 0)
    for (std::uint32_t s = 0; s < steps; ++s)
      if (job.plan.steps[s].kind == Step::Kind::write) begin(job, s);
  if (job.left > 0) return;
  if (in_handler && !job.write_failed) return end(job);  // a request ends in the interrupt of its last command
  ready_to_end_.push_back(&job);
  work_.wake_one();
}

void Server::end(Job& job) {
  if (job.buffer) give_buffer(job.buffer, job.plan.buffer_sectors);
  job.buffer = nullptr;
  job.operations.clear();
  if (job.read_failed || job.write_failed) {
    const bool again = job.read_failed;
    job.read_failed = job.write_failed = false;
    plan(job);  // what has been written on failed disks is lost; is it too much?
    if (again && !job.plan.lost) {
      if (job.holds_rows || takes_rows(job)) start(job);
      else waiting_.push_back(&job);
      return;
    }
  }
  const hal::Status status = job.plan.lost ? hal::Status::no_device : hal::Status::ok;
  leave_rows(job);
  DiskRequest& whole = job.whole;
  jobs_.remove_if([&](const Job& j) { return &j == &job; });
  start_waiting();
  if (jobs_.empty()) idle_.wake_all();
  whole.finished(status);
}

os::Task<hal::Status> Server::synchronise() {
  while (!jobs_.empty()) co_await idle_.wait();
  std::deque<Synchronisation> requests;  // the disks work at the same time
  for (std::uint32_t disk = 0; disk < drivers_.units(); ++disk)
    if (!array_.failures().failed[disk] && drivers_[disk].to_synchronise()) {
      requests.emplace_back(os_, array_, disk);
      drivers_.submit(requests.back());
    }
  for (Synchronisation& request : requests) co_await request.end();
  co_return array_.lost() ? hal::Status::no_device : hal::Status::ok;
}

std::byte* Server::take_buffer(std::uint32_t sectors) {
  const std::uint32_t room = std::bit_ceil(sectors);
  auto& free = buffers_[room];
  if (free.empty()) return os_.node().allocate(std::uint64_t{room} * sector_bytes_);
  std::byte* const buffer = free.back();
  free.pop_back();
  return buffer;
}

void Server::give_buffer(std::byte* buffer, std::uint32_t sectors) {
  buffers_[std::bit_ceil(sectors)].push_back(buffer);
}

std::uint64_t server_memory(std::uint64_t disks, std::uint64_t requests, std::uint64_t block_bytes) {
  // A request reads at most all of its row twice, and computes two checks; rounded up to powers of two, of each of
  // which there may be as many buffers.
  return requests * 4 * (2 * disks + 4) * block_bytes;
}

}  // namespace sunstar::io::redundant
