// SPDX-License-Identifier: MIT
// A drive's interface, and the rig on which it was measured, in a machine and alone.
#include "models/disk/direct.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using disk::RigCounts;

namespace {

/// Seconds that a machine of one drive takes to read 4 MiB, with that bus.
double elapsed(const disk::DriveParams& drive, Bandwidth bus) {
  machine::Config config;
  config.machine.compute_processors = config.machine.io_processors = config.machine.disks = 1;
  config.machine.bus.data_rate = bus;
  config.machine.disk = drive;
  config.file_system.kind = file_systems::disk_directed::Params{};
  config.workload.kind.as<workload::PatternParams>().file_size = 4_MiB;
  return test::run_each({config, config}).front().at("elapsed_s").as_double();
}

/// Time from issue to status of a read of 100 sectors out of the buffer, with a bus of 80 MB/s.
Duration hit(const disk::DriveParams& params) {
  disk::Drive drive(params, {});
  const Duration pace = Bandwidth{80e6}.time_for(params.sector_size.count);
  const Time idle = disk::complete(drive, false, Time{}, 0, 1, pace).status + 1000_ms;
  return disk::complete(drive, false, idle, 1, 100, pace).status - idle;
}

}  // namespace

TEST_CASE("the rig sets the pace of a drive alone, and of a machine only if it is to count there") {
  disk::DriveParams drive;
  drive.rig.read_sector = 500_us;  // 1 MB/s, less than the heads pass
  disk::DriveParams without = drive;
  without.rig = {};
  const double fast = elapsed(without, 10_MBps);
  CHECK(elapsed(drive, 10_MBps) == fast);
  drive.rig.counts = RigCounts::nowhere;
  CHECK(elapsed(drive, 10_MBps) == fast);
  CHECK(hit(drive.placed(RigCounts::alone)) == hit(without));
  drive.rig.counts = RigCounts::everywhere;
  CHECK(elapsed(drive, 10_MBps) > 4.19);  // 4 MiB at 1 MB/s
  CHECK(hit(drive.placed(RigCounts::alone)) - hit(without) == 100 * (500_us - 6'400_ns));
  drive.rig.counts = RigCounts::alone;
  CHECK(hit(drive.placed(RigCounts::alone)) - hit(without) == 100 * (500_us - 6'400_ns));
}

TEST_CASE("of bus and interface, the slower one sets the pace") {
  disk::DriveParams drive;
  const double by_bus = elapsed(drive, 1_MBps);
  CHECK(elapsed(drive, 10_MBps) < by_bus / 1.5);
  drive.interface.data_rate = 1_MBps;
  CHECK(elapsed(drive, 10_MBps) == Approx(by_bus).epsilon(0.01));
  CHECK(elapsed(drive, 1_MBps) == by_bus);
  drive.interface.data_rate = 20_MBps;
  CHECK(hit(drive) - hit({}) == 100 * (25'600_ns - 6'400_ns));
}
