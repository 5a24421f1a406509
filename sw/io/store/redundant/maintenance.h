// SPDX-License-Identifier: MIT
#pragma once
#include "sw/io/store/redundant/job.h"
#include "sw/io/store/redundant/stale_units.h"
#include "sw/os/os.h"

namespace sunstar::io::redundant {

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
  os::Task<> pause(Throttle& throttle, std::uint64_t bytes);

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
