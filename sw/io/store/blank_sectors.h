// SPDX-License-Identifier: MIT
#pragma once
#include <boost/icl/interval_set.hpp>
#include <map>

#include "models/core/statistics.h"
#include "sw/io/store/request.h"

namespace sunstar::io {

/// The sectors at an I/O processor that a file's blocks have, but that nothing has been written to: a file system knows
/// them by its maps of extents, as ext4 and XFS do. They are zeros, and a read of nothing else needs no drive.
class BlankSectors {
 public:
  BlankSectors(os::Os& os, std::uint32_t sector_bytes) : os_(os), sector_bytes_(sector_bytes) {}

  void add(std::uint32_t unit, std::uint64_t sector, std::uint64_t sectors) {
    units_[unit].add(Ranges::interval_type::right_open(sector, sector + sectors));
  }
  /// Takes a read of such sectors alone, and ends it. The sectors of a write are blank no more, even if it fails.
  bool takes(DiskRequest& request);
  void add_statistics(StatisticSet& set) {
    set.counter(os_.node().name() + ".blank_reads",
                "reads of sectors of new files that nothing had been written to: "
                "they need no drive",
                "1", reads_);
  }

 private:
  using Ranges = boost::icl::interval_set<std::uint64_t>;
  os::Task<> end(DiskRequest& request);

  os::Os& os_;
  const std::uint32_t sector_bytes_;
  std::map<std::uint32_t, Ranges> units_;
  std::uint64_t reads_ = 0;
};

}  // namespace sunstar::io
