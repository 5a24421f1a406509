// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/server.h"

#include "sw/io/store/redundant/checks.h"
#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {

using os::Cost;

void Operation::finished(hal::Status status) { server.operation_ended(*this, status); }

void Job::lay_out() {
  std::ranges::sort(wholes, {}, [](const Whole& w) {
    const Part& p = w.parts.front();
    return std::tuple(p.unit.row, p.unit.member, p.from);
  });
  parts.clear();
  std::uint32_t own = 0;
  for (Whole& w : wholes) {
    const Part& p = w.parts.front();
    w.own = own;
    if (!parts.empty() && parts.back().unit == p.unit) parts.back().sectors += p.sectors;
    else parts.push_back({p.unit, p.from, p.sectors, own});
    own += p.sectors;
  }
}

/// One disk's SYNCHRONISE CACHE.
class Server::Synchronisation final : public AwaitedRequest {
 public:
  Synchronisation(os::Os& os, Server& server, std::uint32_t disk)
      : AwaitedRequest(os, "a disk's cache"), server_(server), disk_(disk) {
    unit = server.array_.home(disk);
    synchronise = true;
    begins();
  }

 private:
  void finished(hal::Status status) override {
    server_.look_for_lost_power(disk_, unit);
    if (status != hal::Status::ok) server_.fail(disk_, unit);
    AwaitedRequest::finished(status);
  }
  Server& server_;
  const std::uint32_t disk_;
};

Server::Server(os::Os& os, std::unique_ptr<Drives> drives, Array& array, Counts& counts, const RandomStream& random)
    : os_(os),
      drives_(std::move(drives)),
      array_(array),
      sector_bytes_(array.sector_bytes()),
      planner_(array.geometry(), array.design().rule, copy_choice(array.design().read_copy, *this, random)),
      disks_(array.geometry().disks()),
      rows_(array.design().rows == RowUse::shared),
      counts_(counts),
      stale_(array, counts),
      maintenance_(os, array, stale_, counts, *this),
      work_(os, "a request to the array, or data to compute checks of"),
      idle_(os, "an array to become idle") {
  os.spawn(thread(), "array", {.urgent = true, .daemon = true});
  maintenance_.start();
}

Job& Server::new_job() {
  Job& job = jobs_.emplace_back();
  job.place = std::prev(jobs_.end());
  return job;
}

void Server::queue(DiskRequest& request) {
  const os::Counted<Cost::array_step> mark;
  Job& job = new_job();
  job.parts = array_.parts(request.unit, request.sector, request.sectors);
  job.wholes.push_back({&request, 0, job.parts});
  job.write = request.write;
  ++requests_;
  ++requests_seen_;
  arrived_.push_back(&job);
  work_.wake_one();
}

/// Reading a whole row makes up for a failed disk by reading its parity only.
bool Server::prefers_rows(bool write) const {
  const Geometry& g = array_.geometry();
  const auto& failed = array_.failures().failed;
  return array_.design().tell_rows && g.data() > 1 && g.checks() > 0 &&
         (write || std::find(failed.begin(), failed.end(), true) != failed.end());
}

/// The row of sectors, at the same place in each unit, whose checks can be computed from these sectors alone.
std::optional<std::uint64_t> Server::row(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const {
  const std::vector<Part> parts = array_.parts(unit, sector, sectors);
  if (parts.size() > 1) return std::nullopt;
  return parts.front().unit.row * array_.geometry().unit_sectors() + parts.front().from;
}

void Server::queue_row(std::span<DiskRequest* const> requests) {
  Job& job = new_job();
  for (DiskRequest* r : requests) job.wholes.push_back({r, 0, array_.parts(r->unit, r->sector, r->sectors)});
  job.write = requests.front()->write;
  job.lay_out();
  requests_ += requests.size();
  requests_seen_ += requests.size();
  arrived_.push_back(&job);
  work_.wake_one();
}

os::Task<> Server::thread() {
  for (;;) {
    os::counted_from_here<Cost::array_step>();
    if (!computations_.empty()) {
      const Computation next = computations_.front();  // it stays in the queue, so that the job does not count as idle
      for (const Term& t : next.job->plan.steps[next.step].terms) {
        const double bytes = static_cast<double>(t.sectors) * sector_bytes_;
        os_.charge(t.factor == 1 ? Cost::parity_per_byte : Cost::second_check_per_byte, bytes);
        os_.copied(t.sectors * sector_bytes_);
      }
      co_await os_.settle();
      compute(*next.job, next.step);
      computations_.pop_front();
      step_ended(*next.job, next.step, false);
    } else if (!ready_to_end_.empty()) {
      Job& job = *ready_to_end_.front();
      ready_to_end_.pop_front();
      end(job);
    } else if (!arrived_.empty()) {
      Job& job = *arrived_.front();
      arrived_.pop_front();
      plan(job);
      os_.charge(Cost::array_step, static_cast<double>(std::max<std::size_t>(job.plan.steps.size(), 1)));
      co_await os_.settle();
      if ((!job.plan.locks || job.plan.lost) && rows_.take(job)) {
        start(job);
        continue;
      }
      // The job may be carried out together with requests that arrive now.
      rows_.wait(job);
      if (const Duration plug = array_.design().plug; plug > Duration{} && can_gather(job)) {
        const std::uint64_t row = job.plan.first_row;
        rows_.look_behind(row, row);
        job.plugged_until = os_.now() + plug;
        os_.after(job.plugged_until, [this, row] {
          rows_.look_behind(row, row);
          work_.wake_one();
        });
      }
    } else if (rows_.any_to_look_at()) {
      start_waiting();
    } else {
      co_await work_.wait();
    }
  }
}

void Server::plan(Job& job) {
  job.changes = array_.changes();
  job.plan = plan_of(job);
  if (!job.plan.lost || array_.failures().bad.empty()) return;
  bool given_up = false;
  for (const Part& p : job.parts) given_up |= stale_.give_up(p.unit.row);
  if (given_up) job.plan = plan_of(job);
}

Plan Server::plan_of(Job& job) const {
  const auto unit = [&](Member m) { return array_.geometry().whole(m); };
  // If a unit's disk has failed since, the unit needs no correction.
  std::erase_if(job.bad, [&](Member m) { return array_.failures().gone(unit(m)); });
  job.corrects = !job.bad.empty();
  if (job.corrects) {
    Failures failures = array_.failures();
    for (Member m : job.bad) failures.bad.insert(unit(m));
    return planner_.rebuild(job.bad.front(), failures);
  }
  const Member own = job.parts.front().unit;
  switch (job.purpose) {
    case Purpose::rebuild: return planner_.rebuild(own, array_.failures());
    case Purpose::mend:
      return array_.failures().bad.contains(unit(own)) ? planner_.rebuild(own, array_.failures()) : Plan{};
    case Purpose::scrub:
    case Purpose::resync: return planner_.check(own.row, array_.failures());
    default:
      return job.write ? planner_.write(job.parts, array_.failures()) : planner_.read(job.parts, array_.failures());
  }
}

/// A disk that reports a loss of power may have lost writes that it had reported.
void Server::look_for_lost_power(std::uint32_t disk, std::uint32_t drive) {
  if (!drives_->lost(drive)) [[likely]]
    return;
  const DiskDriver::Sectors lost = drives_->take_lost(drive);
  if (array_.home(disk) != drive) return;
  if (++disks_[disk].power_losses > array_.params().corrections) return fail(disk, drive);
  stale_.add(disk, lost);
  maintenance_.look_for_stale();
}

/// Whether other writes of the same row can be carried out with the job.
bool Server::can_gather(const Job& job) const {
  return job.write && job.parts.size() == 1 && job.wholes.size() == 1 && job.bad.empty() &&
         array_.geometry().data() > 1 && array_.geometry().checks() > 0;
}

/// Adds the waiting writes of the job's row to it, in order of arrival, as long as the written part of each unit is one
/// run of sectors and each sector is written once.
void Server::gather(Job& job) {
  if (!can_gather(job)) return;
  const std::uint64_t row = job.parts.front().unit.row;
  rows_.for_each_waiting(row, [&](Job& other) {
    if (!can_gather(other)) return false;  // the other job comes first
    const Part& p = other.parts.front();
    const auto same = std::find_if(job.parts.begin(), job.parts.end(), [&](const Part& q) { return q.unit == p.unit; });
    if (same != job.parts.end() && same->from + same->sectors != p.from && p.from + p.sectors != same->from)
      return false;
    job.wholes.push_back(std::move(other.wholes.front()));
    job.lay_out();
    rows_.remove(other);
    jobs_.erase(other.place);
    return true;
  });
}

/// Whether the job waits for more writes of its row.
bool Server::plugged(const Job& job) {
  if (job.plugged_until <= os_.now()) return false;
  const std::uint64_t row = job.parts.front().unit.row;
  std::uint64_t sectors = 0;
  rows_.for_each_waiting(row, [&](const Job& other) {
    if (can_gather(other) && other.parts.front().unit.row == row) sectors += other.parts.front().sectors;
    return true;
  });
  return sectors < array_.geometry().row_sectors();
}

void Server::fail(std::uint32_t disk, std::uint32_t drive) {
  if (array_.home(disk) != drive) return;  // another drive is in its place
  if (disks_[disk].failed_drive == drive) return;
  disks_[disk].failed_drive = drive;
  array_.fail(disk);
  stale_.disk_failed();
  ++disks_[disk].failed_times;
  ++counts_.drives_failed;
  maintenance_.disk_failed();
}

void Server::start_waiting() {
  while (Job* const job = rows_.next()) {
    if (plugged(*job) || !rows_.take(*job)) continue;
    rows_.remove(*job);
    const std::size_t alone = job->wholes.size();
    gather(*job);
    // A disk may have failed meanwhile. The rows are the same, and the job still needs them to itself if it did before.
    if (job->wholes.size() > alone || job->changes != array_.changes()) plan(*job);
    start(*job);
  }
}

void Server::start(Job& job) {
  const Plan& p = job.plan;
  if (p.buffer_sectors > 0) job.buffer = take_buffer(p.buffer_sectors);
  job.left = p.steps.size();
  job.waits_for.assign(p.steps.size(), 0);
  job.commands.assign(p.steps.size(), 0);
  job.begun.assign(p.steps.size(), false);
  job.to_prepare = 0;
  for (std::size_t s = 0; s < p.steps.size(); ++s) {
    job.waits_for[s] = static_cast<std::uint32_t>(p.steps[s].after.size());
    job.to_prepare += p.steps[s].kind != Step::Kind::write;
  }
  if (job.left == 0) {  // the plan is lost, or has no writes left
    ready_to_end_.push_back(&job);
    work_.wake_one();
    return;
  }
  for (std::uint32_t s = 0; s < p.steps.size(); ++s)
    if (p.steps[s].kind != Step::Kind::write && p.steps[s].after.empty()) begin(job, s);
  begin_writes(job);
  drives_->submitted_all();
}

void Server::begin(Job& job, std::uint32_t s) {
  const Step& step = job.plan.steps[s];
  job.begun[s] = true;
  if (step.kind == Step::Kind::compute) {
    computations_.push_back({&job, s});
    work_.wake_one();
    return;
  }
  // Each gathered write has its own command: their data lie apart.
  for_each_stretch(job, step.memory, step.at.sectors, [&](std::byte* data, std::uint32_t from, std::uint32_t sectors) {
    Operation& o = job.operations.emplace_back(*this, job, s, step.at.disk);
    o.unit = array_.home(step.at.disk);
    o.write = step.kind == Step::Kind::write;
    o.sector = step.at.sector + from;
    o.sectors = sectors;
    o.data = {data};
    o.in_background = job.purpose != Purpose::request;
    ++job.commands[s];
    ++job.at_disks;
    ++disks_[o.disk].commands;
    disks_[o.disk].last_sector = o.sector;
    drives_->submit(o);
  });
}

/// Begins the job's writes when every read and computation of the plan has ended, or disk by disk.
void Server::begin_writes(Job& job) {
  const bool shared = array_.design().rows == RowUse::shared;
  if (job.to_prepare > 0 && !shared) return;
  const auto& steps = job.plan.steps;
  for (std::uint32_t s = 0; s < steps.size(); ++s) {
    if (steps[s].kind != Step::Kind::write || job.begun[s]) continue;
    bool waits = false;
    for (std::uint32_t t = 0; t < steps.size() && shared; ++t)
      waits |= steps[t].kind == Step::Kind::write && steps[t].at.disk == steps[s].at.disk && job.waits_for[t] > 0;
    if (!waits) begin(job, s);
  }
}

/// Calls visit(data, its first sector in the slice, sectors) for each contiguous part of the slice.
template <class Visit>
void Server::for_each_stretch(const Job& job, const Slice& slice, std::uint32_t sectors, Visit visit) const {
  if (!slice.own) return visit(job.buffer + std::uint64_t{slice.sector} * sector_bytes_, 0u, sectors);
  for (const Job::Whole& w : job.wholes) {
    const std::uint32_t from = std::max(slice.sector, w.own);
    const std::uint32_t to = std::min(slice.sector + sectors, w.own + w.request->sectors);
    if (from >= to) continue;
    visit(w.request->data.bytes + std::uint64_t{from - w.own} * sector_bytes_, from - slice.sector, to - from);
  }
}

void Server::compute(Job& job, std::uint32_t s) {
  const Step& step = job.plan.steps[s];
  const std::uint32_t bytes = step.at.sectors * sector_bytes_;
  if (os::counting) return compute_bytes(job, step);
  content::Content sum(content::Piece{content::Source::zero, bytes, 0});
  for (const Term& t : step.terms)
    for_each_stretch(job, t.from, t.sectors, [&](std::byte* data, std::uint32_t from, std::uint32_t sectors) {
      content::Content summand;
      os_.memory().read(data, sectors * sector_bytes_, summand);
      add(sum, (t.at + from) * sector_bytes_, summand, t.factor);
    });
  for_each_stretch(job, step.memory, step.at.sectors, [&](std::byte* data, std::uint32_t from, std::uint32_t sectors) {
    os_.memory().write(data, sum.slice(from * sector_bytes_, sectors * sector_bytes_));
  });
}

/// The same if all content is in bytes, and contiguous.
void Server::compute_bytes(const Job& job, const Step& step) {
  const auto at = [&](const Slice& slice) {
    std::byte* const base = slice.own ? job.wholes.front().request->data.bytes : job.buffer;
    return base + std::uint64_t{slice.sector} * sector_bytes_;
  };
  std::byte* const sum = at(step.memory);
  {
    const os::Counted<Cost::parity_per_byte> mark;
    os_.clear(sum, step.at.sectors * sector_bytes_);
  }
  for (const Term& t : step.terms) {
    const std::uint32_t bytes = t.sectors * sector_bytes_;
    if (t.factor == 1) {
      const os::Counted<Cost::parity_per_byte> mark;
      add(sum + t.at * sector_bytes_, at(t.from), bytes, t.factor);
    } else {
      const os::Counted<Cost::second_check_per_byte> mark;
      add(sum + t.at * sector_bytes_, at(t.from), bytes, t.factor);
    }
  }
}

void Server::operation_ended(Operation& o, hal::Status status) {
  const os::Counted<Cost::array_step> mark;
  Job& job = o.job;
  --job.at_disks;
  --disks_[o.disk].commands;
  look_for_lost_power(o.disk, o.unit);
  if (status == hal::Status::ok && !o.write && !array_.failures().bad.empty()) {
    // The data read may be old by now.
    const auto m = array_.geometry().member_at(o.disk, o.sector);
    job.read_failed |= array_.failures().bad.contains(array_.geometry().whole(*m));
  }
  if (status != hal::Status::ok) {
    (o.write ? job.write_failed : job.read_failed) = true;
    if (o.write || status != hal::Status::medium_error || o.unit != array_.home(o.disk) ||
        ++disks_[o.disk].read_errors > array_.params().corrections) {
      fail(o.disk, o.unit);
    } else if (const auto m = array_.geometry().member_at(o.disk, o.sector);
               std::find(job.bad.begin(), job.bad.end(), *m) == job.bad.end()) {
      job.bad.push_back(*m);
    }
  }
  if (--job.commands[o.step] == 0) step_ended(job, o.step, true);
}

void Server::step_ended(Job& job, std::uint32_t ended, bool in_handler) {
  --job.left;
  const bool prepares = job.plan.steps[ended].kind != Step::Kind::write;
  if (prepares) --job.to_prepare;
  if (job.read_failed) {  // nothing has been written: try again without that disk, or with the unit corrected
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
    if (std::find(step.after.begin(), step.after.end(), ended) == step.after.end()) continue;
    if (--job.waits_for[s] == 0 && step.kind != Step::Kind::write) begin(job, s);
  }
  if (prepares) {
    begin_writes(job);
    drives_->submitted_all();
  }
  if (job.left > 0) return;
  if (in_handler && !job.write_failed && !job.corrects)
    return end(job);  // a request ends in the interrupt of its last command
  ready_to_end_.push_back(&job);
  work_.wake_one();
}

void Server::end(Job& job) {
  if (!job.plan.compared.empty() && !job.read_failed && mismatch(job)) job.read_failed = true;
  if (job.buffer) give_buffer(job.buffer, job.plan.buffer_sectors);
  job.buffer = nullptr;
  job.operations.clear();
  bool written = job.write && !job.corrects && !job.read_failed;
  const RowCounts rows = job.plan.rows;
  const bool spare_failed = job.purpose == Purpose::rebuild && job.write_failed;
  if (!job.plan.lost && (job.read_failed || job.write_failed || job.corrects)) {
    const bool again = job.read_failed || job.corrects;
    if (job.corrects && !job.read_failed) {
      array_.made_anew(array_.geometry().whole(job.bad.front()));
      job.bad.erase(job.bad.begin());
      counts_.corrections += !job.write_failed && !job.repaired;
    }
    job.read_failed = job.write_failed = false;
    plan(job);  // writes to failed disks are lost; are these too many?
    if (again && !job.plan.lost) {
      if (job.holds_rows || rows_.take(job)) start(job);
      else rows_.wait(job);
      return;
    }
  }
  const hal::Status status = job.plan.lost  ? (job.corrects ? hal::Status::medium_error : hal::Status::no_device)
                             : spare_failed ? hal::Status::no_device
                                            : hal::Status::ok;
  if (job.purpose == Purpose::mend || job.purpose == Purpose::rebuild) {
    const Extent unit = array_.geometry().whole(job.parts.front().unit);
    if (status == hal::Status::ok) array_.made_anew(unit);
    if (job.purpose == Purpose::mend) {
      if (status != hal::Status::ok) stale_.give_up(job.parts.front().unit);
      array_.trust(unit);
    } else if (status == hal::Status::ok && disks_[unit.disk].failed_times == job.failed_times) {
      array_.rebuilt(unit.disk, unit.sector + unit.sectors);  // from now on the unit is on the spare
      ++counts_.rows_rebuilt;
    }
  }
  written = written && status == hal::Status::ok;
  if (written) add_members(counts_.rows, rows);
  rows_.leave(job);
  const std::vector<Job::Whole> wholes = std::move(job.wholes);
  const Purpose purpose = job.purpose;
  if (purpose == Purpose::request) requests_ -= wholes.size();
  jobs_.erase(job.place);
  start_waiting();
  if (requests_ == 0) idle_.wake_all();
  if (when_ended && purpose == Purpose::request) [[unlikely]]
    when_ended(*wholes.front().request, rows);
  for (const Job::Whole& w : wholes) w.request->finished(status);
}

void Server::work_on(Member unit, Purpose purpose, AwaitedRequest& request, std::uint32_t failed_times) {
  request.sectors = array_.geometry().unit_sectors();
  Job& job = new_job();
  job.purpose = purpose;
  job.failed_times = failed_times;
  job.wholes.push_back({&request});
  job.parts = {{unit, 0, request.sectors, 0}};
  arrived_.push_back(&job);
  work_.wake_one();
}

/// Whether the checks of the row that the job has read do not match the data, and the units to make anew are known.
bool Server::mismatch(Job& job) {
  const bool scrubs = job.purpose == Purpose::scrub;
  const std::uint32_t bytes = array_.unit_bytes();
  os_.charge(Cost::parity_per_byte, static_cast<double>(job.plan.compared.size()) * bytes);
  const CheckedRow checked = check(array_.geometry(), job.plan.compared, bytes, [&](const Slice& slice) {
    content::Content unit;
    os_.memory().read(job.buffer + std::uint64_t{slice.sector} * sector_bytes_, bytes, unit);
    return unit;
  });
  counts_.rows_scrubbed += scrubs && !job.repaired;
  if (checked.differ.empty() || std::exchange(job.repaired, true)) return false;
  counts_.rows_mismatched += scrubs;
  const auto wrong = scrubs ? checked.wrong : std::nullopt;
  counts_.mismatches_undecided += scrubs && !wrong;
  if (scrubs && !wrong && !array_.params().scrub_repairs) return false;
  const std::uint64_t row = job.parts.front().unit.row;
  if (wrong) job.bad = {{row, *wrong}};
  else
    for (std::uint32_t m : checked.differ) job.bad.push_back({row, m});
  return true;
}

os::Task<hal::Status> Server::synchronise() {
  do {
    co_await maintenance_.mended();
    while (requests_ > 0) co_await idle_.wait();
    std::deque<Synchronisation> requests;  // the disks work at the same time
    for (std::uint32_t disk = 0; disk < array_.geometry().disks(); ++disk)
      if ((!array_.failures().failed[disk] || array_.failures().rebuilt[disk] > 0) &&
          drives_->to_synchronise(array_.home(disk))) {
        requests.emplace_back(os_, *this, disk);
        drives_->submit(requests.back());
      }
    for (Synchronisation& request : requests) co_await request.end();
  } while (maintenance_.mending());
  co_return array_.lost() ? hal::Status::no_device : !stale_.any_lost() ? hal::Status::ok : hal::Status::not_ready;
}

os::Task<std::vector<LostWrite>> Server::take_lost_writes() {
  co_await maintenance_.mended();
  co_return stale_.take_lost();
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

}  // namespace sunstar::io::redundant
