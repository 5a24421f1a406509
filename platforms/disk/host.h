// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "platforms/disk/faulty_drive.h"
#include "sw/io/store/disk_driver.h"
#include "sw/os/os.h"

namespace sunstar::disk_platform {

/// Drives and the firmware's drivers of them, on a node where only the drives take time.
struct Host {
  Host(const MachineParams& machine, std::uint64_t seed);

  /// How a request to a drive has ended.
  struct Done {
    Time ends{};
    Duration bus{0};
    hal::Status status = hal::Status::ok;
  };
  /// Has the first drive's driver carry out a request that comes at `at`, however often it tries.
  Done carry_out(bool write, Time at, disk::Lbn lbn, std::uint32_t sectors);
  /// The effects of faults so far, and the drivers' work because of them.
  FaultFigures faults(Time now);

  FreeNode node;
  std::deque<FaultyDrive> drives;
  os::Common common;
  os::Os os;
  io::DiskDrivers drivers;
};

}  // namespace sunstar::disk_platform
