// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/io/store/redundant/array.h"
#include "sw/io/store/redundant/counts.h"
#include "sw/io/store/redundant/doubts.h"
#include "sw/io/store/redundant/job.h"
#include "sw/os/os.h"

namespace sunstar::io::redundant {

/// What an array does beside its requests, unit by unit: threads that have the server work on rows.
///
/// A failed disk is rebuilt on a spare, row by row from the first on: N-1 reads and a write. The server is done with a
/// row when it leaves it, so that requests find the row on the spare from then on. A row that cannot be rebuilt ends
/// it, and the disk stays failed. It goes on until the run ends or, with `finish`, to its own end.
///
/// What is in doubt is made anew at once. A scrub reads row after row as store.h says, mends units that cannot be read,
/// and compares checks.
class Maintenance {
 public:
  /// The server, as these threads see it.
  class Rows {
   public:
    /// Does that with the unit, or its row, as soon as nobody else has the row. `failed_times`: of a rebuild, how often
    /// the disk had failed when it began.
    virtual void work_on(Member unit, Purpose purpose, AwaitedRequest& request, std::uint32_t failed_times) = 0;
    /// How often the disk has failed.
    virtual std::uint32_t failed_times(std::uint32_t disk) const = 0;
    /// A spare is in the disk's place, with a record of its own.
    virtual void spare_in_place(std::uint32_t disk) = 0;
    /// Whether there are requests, and how many there have been.
    virtual bool idle() const = 0;
    virtual std::uint64_t requests_seen() const = 0;

   protected:
    ~Rows() = default;
  };

  Maintenance(os::Os& os, Array& array, Doubts& doubts, Counts& counts, Rows& rows);
  void start();

  void disk_failed() { failed_.wake_all(); }
  /// There may be something in doubt.
  void look_for_doubts();
  bool mending() const { return mending_; }
  /// Waits until all that is in doubt has been made anew or given up.
  os::Task<> mended();

 private:
  os::Task<> rebuild_failed();
  os::Task<> rebuild(std::uint32_t disk);
  os::Task<> mend();
  os::Task<> scrub();
  os::Task<> pause(Throttle& throttle, std::uint64_t bytes);
  std::uint64_t unit_bytes() const;

  os::Os& os_;
  Array& array_;
  Doubts& doubts_;
  Counts& counts_;
  Rows& rows_;
  std::vector<bool> given_up_;  // by disk: cannot be rebuilt
  std::uint64_t seen_ = 0;      // requests
  bool rebuilding_ = false, mending_ = false;
  os::WaitQueue failed_, mended_;
};

}  // namespace sunstar::io::redundant
