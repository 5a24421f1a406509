// SPDX-License-Identifier: MIT
#pragma once
#include <list>

#include "sw/io/store/redundant/drives.h"
#include "sw/io/store/redundant/rows.h"

namespace sunstar::io::redundant {

/// An array at its I/O processor. A thread makes the plan of each request and computes checks; the commands go to the
/// drivers of the disks. All reads of a plan come before its writes, so that a request can be planned anew if a read
/// fails.
///
/// An unreadable unit (medium_error) is computed from the rest of its row and written again, which mends its sectors;
/// then the request goes on, as in md since Linux 2.6.15. Other requests cannot use the row meanwhile. A disk with too
/// many corrected units, or with any other error of a command, counts as failed from then on. A request ends with an
/// error if the array has lost more disks, or units of the request's row, than it can do without.
///
/// A write keeps its rows to itself until it has ended, and so does a read that computes data from several units of a
/// row; other requests for these rows wait, in order of arrival. Waiting writes of one row are carried out together, by
/// one plan, as soon as the first of them can be.
class Server final : public StoreServer, private DiskStates {
 public:
  Server(os::Os& os, std::unique_ptr<Drives> drives, Array& array, Counts& counts, const RandomStream& random);

  std::uint32_t units() const override { return array_.units(); }
  std::uint64_t sectors(std::uint32_t unit) const override { return array_.unit_sectors(unit); }
  bool prefers_rows(bool write) const override;
  std::optional<std::uint64_t> row(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const override;
  os::Task<hal::Status> synchronise() override;
  /// Waits until all stale units have been made anew or given up.
  os::Task<std::vector<LostWrite>> take_lost_writes() override;
  const Array& array() const { return array_; }
  /// For observers: called with the first request of a job that ends, before the request learns of it, and the counts
  /// of the job's rows.
  std::function<void(DiskRequest&, const RowCounts&)> when_ended;
  /// Rows with unfinished writes; at the end of a run, rows whose writes were cut short.
  std::set<std::uint64_t> open_rows() const { return rows_.open(); }

  // For Maintenance.

  /// Works on the unit, or its row, as soon as the row is free. `failed_times`: for a rebuild, the disk's failures when
  /// it began.
  void work_on(Member unit, Purpose purpose, AwaitedRequest& request, std::uint32_t failed_times);
  std::uint32_t failed_times(std::uint32_t disk) const { return disks_[disk].failed_times; }
  /// A spare is in the disk's place, with a record of its own.
  void spare_in_place(std::uint32_t disk) { disks_[disk].read_errors = disks_[disk].power_losses = 0; }
  /// Whether the array has no requests, and how many there have been.
  bool idle() const { return requests_ == 0; }
  std::uint64_t requests_seen() const { return requests_seen_; }

 private:
  friend Operation;
  class Synchronisation;

  void queue(DiskRequest& request) override;
  /// The requests may also be of several rows, each within one unit.
  void queue_row(std::span<DiskRequest* const> requests) override;
  std::uint64_t commands(std::uint32_t disk) const override { return disks_[disk].commands; }
  std::uint64_t last_sector(std::uint32_t disk) const override { return disks_[disk].last_sector; }

  os::Task<> thread();
  Job& new_job();
  void look_for_lost_power(std::uint32_t disk, std::uint32_t drive);
  bool mismatch(Job& job);
  Plan plan_of(Job& job) const;
  void fail(std::uint32_t disk, std::uint32_t drive);
  void plan(Job& job);
  bool can_gather(const Job& job) const;
  void gather(Job& job);
  bool plugged(const Job& job);
  void start(Job& job);
  void start_waiting();
  void begin(Job& job, std::uint32_t step);
  void begin_writes(Job& job);
  void compute(Job& job, std::uint32_t step);
  void compute_bytes(const Job& job, const Step& step);
  void step_ended(Job& job, std::uint32_t ended, bool in_handler);
  void operation_ended(Operation& operation, hal::Status status);
  void end(Job& job);
  template <class Visit>
  void for_each_stretch(const Job& job, const Slice& slice, std::uint32_t sectors, Visit visit) const;
  std::byte* take_buffer(std::uint32_t sectors);
  void give_buffer(std::byte* buffer, std::uint32_t sectors);

  os::Os& os_;
  const std::unique_ptr<Drives> drives_;
  Array& array_;
  const std::uint32_t sector_bytes_;
  Planner planner_;
  struct Disk {
    std::uint64_t commands = 0, last_sector = 0;  // commands in flight; the last command's sector
    std::uint32_t read_errors = 0, power_losses = 0, failed_times = 0;
    std::uint32_t failed_drive = ~0u;  // the last drive that failed in its place
  };
  std::vector<Disk> disks_;
  std::list<Job> jobs_;
  std::deque<Job*> arrived_;  // not planned yet
  Rows rows_;
  struct Computation {
    Job* job;
    std::uint32_t step;
  };
  std::deque<Computation> computations_;
  std::deque<Job*> ready_to_end_;
  std::map<std::uint32_t, std::vector<std::byte*>> buffers_;  // free buffers, by sectors
  std::uint64_t requests_ = 0, requests_seen_ = 0;            // in the array, without its own jobs; ever
  Counts& counts_;
  StaleUnits stale_;
  Maintenance maintenance_;
  os::WaitQueue work_, idle_;
};

}  // namespace sunstar::io::redundant
