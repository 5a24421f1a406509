// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <vector>

#include "sw/io/store/redundant/array.h"
#include "sw/os/os.h"

namespace sunstar::io::redundant {

/// An array at its I/O processor. A thread makes the plan of each request and computes checks; the commands go to the
/// drivers of the disks. Nothing is written before all that the plan reads has been read, so that a request one of
/// whose reads fails can be planned anew without the disk. A disk that ends a command with anything but `ok` counts as
/// failed from then on. A request ends with an error if more disks have failed than the array can do without.
///
/// A write keeps the rows that it changes to itself until it has ended, and so does a read that computes data from
/// several units of a row; whoever needs one of these rows waits, in order of arrival.
class Server final : public StoreServer, private DiskStates {
 public:
  Server(os::Os& os, DiskDrivers& drivers, Array& array, const RandomStream& random);
  ~Server() override;

  std::uint32_t units() const override { return array_.units().count(); }
  std::uint64_t sectors(std::uint32_t unit) const override { return array_.unit_sectors(unit); }
  void submit(DiskRequest& request) override;
  os::Task<hal::Status> synchronise() override;

 private:
  struct Job;
  struct Operation;
  class Synchronisation;

  std::uint64_t commands(std::uint32_t disk) const override;
  std::uint64_t last_sector(std::uint32_t disk) const override { return last_sector_[disk]; }
  os::Task<> thread();
  void plan(Job& job);
  bool takes_rows(Job& job);
  void leave_rows(Job& job);
  void start(Job& job);
  void start_waiting();
  void begin(Job& job, std::uint32_t step);
  void compute(Job& job, std::uint32_t step);
  void step_ended(Job& job, std::uint32_t step, bool in_handler);
  void operation_ended(Operation& operation, hal::Status status);
  void end(Job& job);
  std::byte* memory_of(const Job& job, const Slice& slice) const;
  std::byte* take_buffer(std::uint32_t sectors);
  void give_buffer(std::byte* buffer, std::uint32_t sectors);

  os::Os& os_;
  DiskDrivers& drivers_;
  Array& array_;
  const std::uint32_t sector_bytes_;
  Planner planner_;
  std::vector<std::uint64_t> under_way_, last_sector_;  // by disk
  std::list<Job> jobs_;
  std::deque<Job*> arrived_;                  // not planned yet
  std::deque<Job*> waiting_;                  // for rows
  std::map<std::uint64_t, const Job*> rows_;  // that a job keeps to itself
  struct Computation {
    Job* job;
    std::uint32_t step;
  };
  std::deque<Computation> computations_;
  std::deque<Job*> ready_to_end_;
  std::map<std::uint32_t, std::vector<std::byte*>> buffers_;  // free ones, by sectors
  os::WaitQueue work_, idle_;
};

/// Bytes of memory that a server of an array of that many disks needs, with requests of at most `block_bytes`.
std::uint64_t server_memory(std::uint64_t disks, std::uint64_t requests, std::uint64_t block_bytes);

}  // namespace sunstar::io::redundant
