// SPDX-License-Identifier: MIT
#include "platforms/disk/host.h"

#include <limits>
#include <optional>

namespace sunstar::disk_platform {
namespace {

/// Instructions in a cycle of a processor on which firmware takes no time.
constexpr double any_number = std::numeric_limits<double>::infinity();

struct OneRequest final : io::DiskRequest {
  std::optional<hal::Status> how;
  void finished(hal::Status status) override { how = status; }
};

}  // namespace

Host::Host(const std::vector<FaultyDrive*>& its_drives, const std::string& order, const io::DriverParams& params,
           bool fails)
    : drives(its_drives),
      node({drives.begin(), drives.end()}),
      common(os::Costs{}, {}, any_number),
      os(node, common),
      drivers(os, order, params) {
  common.things_fail = fails;
  for (FaultyDrive* drive : drives) drive->attach(node);
}

Host::Done Host::carry_out(bool write, Time at, disk::Lbn lbn, std::uint32_t sectors) {
  const Duration bus_before = drives.front()->bus();
  OneRequest request;
  request.write = write;
  request.sector = lbn;
  request.sectors = sectors;
  node.run_until(at);
  drivers.submit(request);
  while (!request.how) node.call_next();
  return {node.now(), drives.front()->bus() - bus_before, *request.how};
}

FaultFigures Host::faults(Time now) const {
  FaultFigures all;
  for (FaultyDrive* drive : drives) drive->add_figures(now, all);
  for (const auto& driver : drivers) {
    const io::DiskDriver::Troubles& met = driver->troubles();
    all.failed_commands += met.errors;
    all.retries += met.retries;
    all.aborts += met.aborts;
    all.resets += met.resets;
    all.failed_requests += met.lost;
    all.drives_offline += driver->offline();
  }
  return all;
}

}  // namespace sunstar::disk_platform
