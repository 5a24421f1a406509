// SPDX-License-Identifier: MIT
#include "platforms/disk/config.h"

#include <ranges>

namespace sunstar::disk_platform {

std::string drive_name(const ArrayParams& array, std::uint32_t disk) {
  return array.kind.is<NoArray>() ? "disk" : "disk" + std::to_string(disk);
}

void check(const Config& c, const std::string&, Problems& problems) {
  for (std::size_t i = 0; i < c.faults.size(); ++i) {
    const Fault& fault = c.faults[i];
    const auto struck = [&](std::uint32_t d) { return fault.at(drive_name(c.machine.array, d)); };
    if (std::ranges::any_of(std::views::iota(0u, disks_of(c.machine.array)), struck)) continue;
    problems.add(
        "faults." + std::to_string(i) + ".place",
        "is '" + fault.place + "', which is no drive: '" + drive_name(c.machine.array, 0) + "' is one, '*' means all");
  }
  const std::uint64_t sector = c.machine.disk.sector_size.count;
  const bool array = !c.machine.array.kind.is<NoArray>();
  const bool recorded = c.workload.kind.is<ArrivalsParams>() || c.workload.kind.is<TraceParams>();
  if (array && !recorded) problems.add("workload.kind", "must be arrivals or trace for an array");
  if (array && c.machine.nvme) problems.add("machine.array", "must be null; arrays are of disks");
  if (const std::uint64_t unit = c.machine.array.stripe_unit.count; array && sector > 0 && unit % sector != 0)
    problems.add("machine.array.stripe_unit", "is " + std::to_string(unit) +
                                                  "B; it must be a multiple of the drive's sector size, " +
                                                  std::to_string(sector) + "B");
  const auto* queues = c.workload.kind.if_is<QueuesParams>();
  if (queues && !c.machine.nvme)
    problems.add("machine.nvme", "is missing; a workload of the kind queues needs an NVMe drive");
  if (c.machine.nvme && !queues && !recorded)
    problems.add("workload.kind", "must be queues, arrivals or trace for an NVMe drive");
  if (queues && queues->readers == 0 && queues->write_rate.bytes_per_second == 0)
    problems.add("workload.readers", "is 0, and workload.write_rate is 0B/s: no job reads or writes");
  if (queues && c.machine.nvme) {
    const std::uint64_t block = c.machine.nvme->sector_size.count;
    for (auto [key, bytes] :
         {std::pair{"workload.read_size", queues->read_size.count}, {"workload.write_size", queues->write_size.count}})
      if (bytes % block != 0 || bytes > c.machine.nvme->capacity.count)
        problems.add(key, "is " + std::to_string(bytes) + "B; it must be a multiple of the drive's sector size, " +
                              std::to_string(block) + "B, and fit on the drive");
    for (auto [key, depth] :
         {std::pair{"workload.read_depth", queues->read_depth}, {"workload.write_depth", queues->write_depth}})
      if (depth >= c.machine.nvme->queue_depth)
        problems.add(key, "is " + std::to_string(depth) + "; it must be less than machine.nvme.queue_depth, " +
                              std::to_string(c.machine.nvme->queue_depth));
  }
  const auto* load = c.workload.kind.if_is<SyntheticParams>();
  if (!load) return;
  for (auto [key, bytes] :
       {std::pair{"workload.size", load->size.count}, {"workload.alignment", load->alignment.count}})
    if (sector > 0 && bytes % sector != 0)
      problems.add(key, "is " + std::to_string(bytes) + "B; it must be a multiple of the drive's sector size, " +
                            std::to_string(sector) + "B");
}

}  // namespace sunstar::disk_platform
