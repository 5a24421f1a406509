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
  Maintenance(os::Os& os, Array& array, Doubts& doubts, Counts& counts, Server& server);
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

  os::Os& os_;
  Array& array_;
  Doubts& doubts_;
  Counts& counts_;
  Server& server_;
  std::vector<bool> given_up_;  // by disk: cannot be rebuilt
  std::uint64_t seen_ = 0;      // requests
  bool rebuilding_ = false, mending_ = false;
  os::WaitQueue failed_, mended_;
};

}  // namespace sunstar::io::redundant
