// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sw/io/store/redundant/array.h"
#include "sw/io/store/redundant/drives.h"
#include "sw/os/os.h"

namespace sunstar::io::redundant {

/// What servers have done.
struct Counts {
  RowCounts rows;                 ///< of writes that have ended well
  std::uint64_t corrections = 0;  ///< units that could not be read and were computed and written again
  std::uint64_t drives_failed = 0, rows_rebuilt = 0, rebuilds = 0, rebuilds_complete = 0;
  Duration rebuilding{};             ///< until complete, the longest
  std::uint64_t units_doubted = 0;   ///< that may have lost data with a drive's power
  std::uint64_t units_given_up = 0;  ///< of these, that could not be made anew from the others of their rows
  std::uint64_t rows_scrubbed = 0;
  std::uint64_t rows_mismatched = 0;       ///< rows whose checks were not what the data ask for
  std::uint64_t mismatches_undecided = 0;  ///< of these, where nothing told which unit was wrong
  Counts& operator+=(const Counts& other);
};

/// An array at its I/O processor. A thread makes the plan of each request and computes checks; the commands go to the
/// drivers of the disks. Nothing is written before all that the plan reads has been read, so that a request one of
/// whose reads fails can be planned anew.
///
/// A unit that cannot be read (medium_error) is computed from the others of its row and written again, which mends its
/// sectors; then the request goes on, as in md since Linux 2.6.15. Its row is kept from others meanwhile. A disk of
/// which too many units had to be corrected, or that ends a command with any other error, counts as failed from then
/// on. A request ends with an error if more disks have failed, or units of its row cannot be read, than the array can
/// do without.
///
/// A write keeps the rows that it changes to itself until it has ended, and so does a read that computes data from
/// several units of a row; whoever needs one of these rows waits, in order of arrival. Writes of one row that wait are
/// carried out together, by one plan, as soon as the first of them can be.
///
/// A second thread rebuilds a failed disk on a spare, row by row from the first on: N-1 reads and a write. It is done
/// with a row when it leaves it, so that requests find the row on the spare from then on. A row that cannot be rebuilt
/// ends it, and the disk stays failed. It goes on until the run ends or, with `finish`, to its own end.
///
/// What a disk has written since it last put all on the medium is in doubt once it has been without power. The units
/// count as bad until each has been made anew of the others of its row and written. Where too many of a row are in
/// doubt, they are given up: they are trusted again, the row's missing data are among the lost writes, and its checks
/// are made to fit what is there. A disk that loses its power too often has failed. All this the server knows from its
/// memory; if that is lost, too, nobody does it.
///
/// A scrub reads row after row as store.h says, mends units that cannot be read, and compares checks. With two checks
/// it finds out which unit is wrong, if it is one, and makes it anew; with one check, or a copy, nothing tells.
class Server final : public StoreServer, private DiskStates {
 public:
  Server(os::Os& os, std::unique_ptr<Drives> drives, Array& array, const RandomStream& random);
  ~Server() override;

  std::uint32_t units() const override { return array_.units().count(); }
  std::uint64_t sectors(std::uint32_t unit) const override { return array_.unit_sectors(unit); }
  void submit(DiskRequest& request) override;
  bool prefers_rows(bool write) const override;
  std::optional<std::uint64_t> row(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const override;
  void submit_row(std::span<DiskRequest* const> requests) override;
  os::Task<hal::Status> synchronise() override;
  /// Waits until all that is in doubt has been made anew or given up.
  os::Task<std::vector<LostWrite>> take_lost_writes() override;
  const Array& array() const { return array_; }
  const Counts& counts() const { return counts_; }
  /// Rows that it has begun to write and not ended; at the end of a run, those that it was writing when it stopped.
  std::set<std::uint64_t> open_rows() const;

 private:
  struct Job;
  struct Operation;
  class Synchronisation;

  std::uint64_t commands(std::uint32_t disk) const override;
  std::uint64_t last_sector(std::uint32_t disk) const override { return last_sector_[disk]; }
  os::Task<> thread();
  os::Task<> rebuild_failed();
  os::Task<> rebuild(std::uint32_t disk);
  os::Task<> scrub();
  os::Task<> mend();
  os::Task<> pause(Throttle& throttle, std::uint64_t bytes);
  Job& add_upkeep(AwaitedRequest& row, Member unit);
  void look_for_lost_power(std::uint32_t disk, std::uint32_t drive);
  void give_up(const Extent& unit);
  void note_lost(std::uint64_t row);
  bool fits(std::uint64_t row) const;
  bool give_up_doubts(std::uint64_t row);
  bool mismatch(Job& job);
  std::optional<std::uint32_t> wrong_member(const Job& job, const std::vector<content::Content>& syndromes) const;
  Plan plan_of(Job& job) const;
  void fail(std::uint32_t disk, std::uint32_t drive);
  void plan(Job& job);
  bool can_gather(const Job& job) const;
  void gather(Job& job);
  static void lay_out(Job& job);
  bool plugged(const Job& job) const;
  bool takes_rows(Job& job);
  void leave_rows(Job& job);
  void start(Job& job);
  void start_waiting();
  void begin(Job& job, std::uint32_t step);
  void compute(Job& job, std::uint32_t step);
  void compute_bytes(const Job& job, const Step& step);
  void step_ended(Job& job, std::uint32_t step, bool in_handler);
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
  std::vector<std::uint64_t> under_way_, last_sector_;  // by disk
  std::list<Job> jobs_;
  std::deque<Job*> arrived_;                  // not planned yet
  std::deque<Job*> waiting_;                  // for rows, planned
  bool look_for_rows_ = false;                // of those that wait
  std::map<std::uint64_t, const Job*> rows_;  // that a job keeps to itself
  struct Computation {
    Job* job;
    std::uint32_t step;
  };
  std::deque<Computation> computations_;
  std::deque<Job*> ready_to_end_;
  std::map<std::uint32_t, std::vector<std::byte*>> buffers_;              // free ones, by sectors
  std::uint64_t requests_ = 0, requests_seen_ = 0;                        // in the array, without rebuilds; ever
  std::uint64_t rebuild_saw_ = 0;                                         // of those
  std::vector<std::uint32_t> read_errors_, power_losses_, failed_times_;  // by disk
  std::vector<std::uint32_t> failed_drive_;                               // by disk: the last in its place that failed
  std::vector<bool> given_up_;                                            // by disk: cannot be rebuilt
  bool rebuilding_ = false, mending_ = false;
  std::deque<Member> doubted_;        // to be made anew
  std::deque<std::uint64_t> resync_;  // rows whose checks must be made anew; the first one may be under way
  std::vector<LostWrite> lost_writes_;
  Counts counts_;
  os::WaitQueue work_, idle_, failed_, mended_;
};

/// Bytes of memory that a server of an array of that many disks needs, with requests, and stripe units, of at most
/// `unit_bytes`.
std::uint64_t server_memory(std::uint64_t disks, std::uint64_t requests, std::uint64_t unit_bytes);

}  // namespace sunstar::io::redundant
