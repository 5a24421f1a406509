// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/disk/faulty_drive.h"
#include "platforms/disk/free_node.h"
#include "sw/io/store/disk_driver.h"
#include "sw/os/os.h"

namespace sunstar::disk_platform {

/// The firmware's drivers of some drives, on a node where only the drives take time.
struct Host {
  /// `order`: a driver's queue_order. `fails`: whether drives have faults. The drives must outlive it.
  Host(const std::vector<FaultyDrive*>& drives, const std::string& order, const io::DriverParams& params, bool fails);

  /// How a request to a drive has ended.
  struct Done {
    Time ends{};
    Duration bus{0};
    hal::Status status = hal::Status::ok;
  };
  /// Has the first drive's driver carry out a request that comes at `at`, however often it tries.
  Done carry_out(bool write, Time at, disk::Lbn lbn, std::uint32_t sectors);
  /// What faults have done until now, and the drivers about them.
  FaultFigures faults(Time now) const;

  const std::vector<FaultyDrive*> drives;
  FreeNode node;
  os::Common common;
  os::Os os;
  io::DiskDrivers drivers;
};

}  // namespace sunstar::disk_platform
