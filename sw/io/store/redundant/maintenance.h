// SPDX-License-Identifier: MIT
#pragma once
#include <list>

#include "sw/io/store/redundant/stale_units.h"
#include "sw/io/store/request.h"
#include "sw/os/os.h"

namespace sunstar::io::redundant {

class Server;
struct Job;

/// The purpose of a job. All but requests are the array's own jobs, for one unit or its row.
enum class Purpose : std::uint8_t { request, rebuild, mend, scrub, resync };

/// A command to a disk, for a step of a job.
struct Operation final : DiskRequest {
  Operation(Server& s, Job& j, std::uint32_t n, std::uint32_t d) : server(s), job(j), step(n), disk(d) {}
  void finished(hal::Status status) override;
  Server& server;
  Job& job;
  std::uint32_t step, disk;  // of the geometry; `unit` is the drive in its place
};

/// A request, or several writes carried out together, with the plan and its progress.
struct Job {
  struct Whole {
    DiskRequest* request;
    std::uint32_t own = 0;  ///< offset of its data in the job's data, in sectors
    std::vector<Part> parts{};
  };
  std::vector<Whole> wholes;  // by `own`
  bool write = false;
  Purpose purpose = Purpose::request;
  bool repaired = false;           // a scrub has found the wrong units and made them anew
  std::uint32_t failed_times = 0;  // failures of the rebuilt disk up to the start of the rebuild
  std::vector<Part> parts;         // of all of them
  std::vector<Member> bad;         // units that cannot be read
  bool corrects = false;           // the plan writes the first bad unit anew
  Time plugged_until{};
  Plan plan;
  std::uint64_t changes = 0;  // Array::changes() before the plan was made
  std::byte* buffer = nullptr;
  std::vector<std::uint32_t> commands;   // by step: commands that have not ended
  std::vector<std::uint32_t> waits_for;  // by step: steps
  std::vector<bool> begun;               // by step
  std::size_t to_prepare = 0;            // reads and computations that have not ended
  std::size_t left = 0;                  // steps that have not ended
  std::size_t at_disks = 0;              // commands in flight
  bool holds_rows = false;
  bool read_failed = false, write_failed = false;
  std::deque<Operation> operations;
  std::list<Job>::iterator place;  // in the server's list
  std::uint64_t number = 0;        // among the jobs that have waited for rows

  /// Sorts the parts of gathered writes by unit: adjoining parts become one part, together in the job's data.
  void lay_out();
};

/// An array's own work, unit by unit, beside its requests: threads that let the server work on rows.
///
/// A failed disk is rebuilt on a spare, row by row from the first on: N-1 reads and a write. The server is done with a
/// row when it leaves it, so that requests find the row on the spare from then on. A row that cannot be rebuilt ends
/// the rebuild, and the disk stays failed. A rebuild goes on until the run ends or, with `finish`, to its own end.
///
/// Stale units are made anew at once. A scrub reads row after row (store.h), mends unreadable units, and compares
/// checks.
class Maintenance {
 public:
  Maintenance(os::Os& os, Array& array, StaleUnits& stale, Counts& counts, Server& server);
  void start();

  void disk_failed() { failed_.wake_all(); }
  /// There may be new stale units.
  void look_for_stale();
  bool mending() const { return mending_; }
  /// Waits until all stale units have been made anew or given up.
  os::Task<> mended();

 private:
  os::Task<> rebuild_failed();
  os::Task<> rebuild(std::uint32_t disk);
  os::Task<> mend();
  os::Task<> scrub();
  os::Task<> pause(Throttle& throttle, std::uint64_t bytes, bool finish);

  os::Os& os_;
  Array& array_;
  StaleUnits& stale_;
  Counts& counts_;
  Server& server_;
  std::vector<bool> given_up_;  // by disk: cannot be rebuilt
  std::uint64_t seen_ = 0;      // requests
  bool rebuilding_ = false, mending_ = false;
  os::WaitQueue failed_, mended_;
};

}  // namespace sunstar::io::redundant
