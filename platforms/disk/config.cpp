// SPDX-License-Identifier: MIT
#include "platforms/disk/config.h"

namespace sunstar::disk_platform {

std::string drive_name(const ArrayParams& array, std::uint32_t disk) {
  return array.kind.is<NoArray>() ? "disk" : "disk" + std::to_string(disk);
}

namespace {

void check_jobs(const std::vector<JobParams>& jobs, const nvme::DriveParams& drive, Problems& problems) {
  const std::uint64_t sector = drive.sector_size.count, capacity = drive.capacity.count;
  if (jobs.empty()) problems.add("workload.jobs", "is empty: no job reads or writes");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobParams& job = jobs[i];
    const std::string path = "workload.jobs." + std::to_string(i);
    const auto bytes = [&](const std::string& key, Bytes is, std::uint64_t most) {
      if (is.count % sector == 0 && is.count <= most) return;
      problems.add(json_path(path, key), "is ", is.count, "B; it must be a multiple of the drive's sector size, ",
                   sector, "B, and at most ", most, "B");
    };
    bytes("offset", job.offset, capacity);
    const std::uint64_t rest = capacity - std::min(capacity, job.offset.count);
    bytes("span", job.span, rest);
    if (job.sizes.empty()) problems.add(json_path(path, "sizes"), "is empty; it must have at least one size");
    for (std::size_t s = 0; s < job.sizes.size(); ++s)
      bytes("sizes." + std::to_string(s) + ".size", job.sizes[s].size, job.span.count ? job.span.count : rest);
    if (job.depth >= drive.queue_depth)
      problems.add(json_path(path, "depth"), "is ", job.depth, "; it must be less than machine.nvme.queue_depth, ",
                   drive.queue_depth);
    if (job.places == Places::pareto && job.skew >= 1)
      problems.add(json_path(path, "skew"), "is at least 1; for Pareto's law it must be a share of the places");
  }
}

}  // namespace

void check(const Config& c, const std::string&, Problems& problems) {
  for (std::size_t i = 0; i < c.faults.size(); ++i) {
    const Fault& fault = c.faults[i];
    std::uint32_t d = 0;
    while (d < disks_of(c.machine.array) && !fault.at(drive_name(c.machine.array, d))) ++d;
    if (d < disks_of(c.machine.array)) continue;
    problems.add("faults." + std::to_string(i) + ".place", "is '", fault.place, "', which is no drive: '",
                 drive_name(c.machine.array, 0), "' is one, '*' means all");
  }
  const std::uint64_t sector = c.machine.disk.sector_size.count;
  const bool array = !c.machine.array.kind.is<NoArray>();
  const bool recorded = c.workload.kind.is<ArrivalsParams>() || c.workload.kind.is<TraceParams>();
  if (array && !recorded) problems.add("workload.kind", "must be arrivals or trace for an array");
  if (array && c.machine.nvme) problems.add("machine.array", "must be null; arrays are of disks");
  if (const std::uint64_t unit = c.machine.array.stripe_unit.count; array && sector > 0 && unit % sector != 0)
    problems.add("machine.array.stripe_unit", "is ", unit, "B; it must be a multiple of the drive's sector size, ",
                 sector, "B");
  const auto* queues = c.workload.kind.if_is<QueuesParams>();
  if (queues && !c.machine.nvme)
    problems.add("machine.nvme", "is missing; a workload of the kind queues needs an NVMe drive");
  if (c.machine.nvme && !queues && !recorded)
    problems.add("workload.kind", "must be queues, arrivals or trace for an NVMe drive");
  if (queues && c.machine.nvme) check_jobs(queues->jobs, *c.machine.nvme, problems);
  const auto* load = c.workload.kind.if_is<SyntheticParams>();
  if (!load) return;
  for (auto [key, bytes] :
       {std::pair{"workload.size", load->size.count}, {"workload.alignment", load->alignment.count}})
    if (sector > 0 && bytes % sector != 0)
      problems.add(key, "is ", bytes, "B; it must be a multiple of the drive's sector size, ", sector, "B");
}

}  // namespace sunstar::disk_platform
