// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "platforms/disk/faulty_drive.h"
#include "sw/io/store/disk_driver.h"
#include "sw/os/os.h"

namespace sunstar::disk_platform {

/// Instructions in a cycle of a processor on which firmware takes no time.
inline constexpr double any_number = std::numeric_limits<double>::infinity();

struct OneRequest final : io::DiskRequest {
  std::optional<hal::Status> how;
  void finished(hal::Status status) override { how = status; }
};

inline std::deque<FaultyDrive> drives_of(const MachineParams& machine, std::uint64_t seed, FreeNode& node) {
  std::deque<FaultyDrive> drives;
  const disk::DriveParams drive = machine.disk.placed(disk::RigCounts::alone);
  const ArrayParams& array = machine.array;
  for (std::uint32_t d = 0; d < disks_of(array); ++d) {
    const bool alike = array.kind.is<NoArray>() || array.spindles == ArraySpindles::synchronised;
    const std::string name = "machine.disk" + (alike ? "" : std::to_string(d));
    drives.emplace_back(node, drive, disk::random_start(drive, seed, name),
                        machine.bus_rate.time_for(drive.sector_size.count), machine.driver.timeout);
  }
  return drives;
}

/// Drives and the firmware's drivers of them, on a node where only the drives take time.
struct Host {
  Host(const MachineParams& machine, std::uint64_t seed)
      : drives(drives_of(machine, seed, node)),
        common(os::Costs{}, {}, any_number),
        os(node, common),
        drivers(os, machine.array.queue_order, machine.driver) {}

  struct Done {
    Time ends{};
    Duration bus{0};
    hal::Status status = hal::Status::ok;
  };

  /// Has the first drive's driver carry out a request that comes at `at`, however often it tries.
  Done carry_out(bool write, Time at, disk::Lbn lbn, std::uint32_t sectors) {
    const Duration bus_before = drives.front().bus();
    OneRequest request;
    request.write = write;
    request.sector = lbn;
    request.sectors = sectors;
    node.run_until(at);
    drivers.submit(request);
    while (!request.how) node.call_next();
    return {node.now(), drives.front().bus() - bus_before, *request.how};
  }

  /// The effects of faults so far, and the drivers' work because of them.
  FaultFigures faults(Time now) {
    FaultFigures all;
    for (FaultyDrive& drive : drives) drive.add_figures(now, all);
    for (const auto& driver : drivers) {
      const io::DiskDriver::Troubles& met = driver->troubles();
      all.failed_commands += met.errors;
      all.retries += met.retries;
      all.aborts += met.aborts;
      all.resets += met.resets;
      all.failed_requests += met.lost;
      all.drives_offline += met.offline;
    }
    return all;
  }

  FreeNode node;
  std::deque<FaultyDrive> drives;
  os::Common common;
  os::Os os;
  io::DiskDrivers drivers;
};

}  // namespace sunstar::disk_platform
