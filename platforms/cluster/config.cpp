// SPDX-License-Identifier: MIT
#include "platforms/cluster/config.h"

#include "models/network/ethernet/ethernet_network.h"

namespace sunstar::cluster {

machine::Blueprint draw(const Config& config, Problems& problems) {
  const network::EthernetParams& network = config.machine.network;
  machine::Blueprint drawn = machine::draw(
      config.machine, machine::Places::by_number(network.ports, "network.ports"),
      [network](const sc_core::sc_module_name& name, std::uint64_t seed, Timetable& timetable) {
        return std::make_unique<network::EthernetNetwork>(name, network, seed, &timetable);
      },
      config.run.seed, "machine", problems, MachineParams());
  drawn.sockets = config.machine.sockets;
  return drawn;
}

namespace {

/// The drive `ata_20gb` of the catalogue.
disk::DriveParams ata_disk() {
  using std::chrono::microseconds, std::chrono::nanoseconds;
  disk::DriveParams d;
  d.name = "20 GB ATA disk";
  d.source =
      "a 5400-rpm ATA disk of 2000 with one platter of 20 GB: 40.5 MB/s at the outer edge, 9.5 ms mean seek, 2 MB "
      "buffer, as data sheets of that class say; zones, skews and short seeks are assumed (docs/sunstar-cluster.md)";
  d.heads = 2;
  d.rpm = 5400;
  d.zones.clear();
  for (std::uint32_t sectors = 880; sectors > 480; sectors -= 57) {
    disk::Zone zone;
    zone.cylinders = 3491;
    zone.sectors_per_track = sectors;
    zone.track_skew = zone.cylinder_skew = 0;
    d.zones.push_back(zone);
  }
  d.track_skew_time = microseconds(1100);
  d.cylinder_skew_time = microseconds(1500);
  d.regions.clear();
  d.seek.short_constant = microseconds(900);
  d.seek.short_root = microseconds(104);
  d.seek.short_limit = 3000;
  d.seek.long_constant = microseconds(5250);
  d.seek.long_slope = nanoseconds(456);
  d.head_switch = microseconds(1000);
  for (Duration* overhead :
       {&d.overheads.read_hit_after_read, &d.overheads.read_hit_after_write, &d.overheads.read_miss_after_read,
        &d.overheads.read_miss_after_write, &d.overheads.write_hit_after_read, &d.overheads.write_hit_after_write,
        &d.overheads.write_miss_after_read, &d.overheads.write_miss_after_write})
    *overhead = microseconds(200);
  d.buffer_size = 2_MiB;
  d.segments = 8;
  d.write_segments = 2;
  d.write_buffer = 256_KiB;
  d.immediate_reporting = disk::ImmediateReporting::always;
  return d;
}

}  // namespace

// docs/sunstar-cluster.md says where each value comes from.
MachineParams::MachineParams() {
  compute_processors = 6;
  io_processors = 6;
  disks = 6;
  combined = 6;
  disk = ata_disk();
  bus.data_rate = 66_MBps;
  node.clock = {800e6};
  node.memory_bandwidth = 600_MBps;
  node.message_header = 40_B;
  costs.copy_per_byte = Cycles{2.7};
  costs.clear_per_byte = Cycles{1.35};
  network.input_fifo = 4096;
  sockets.segment = 1460_B;
  sockets.window = 32_KiB;
  sockets.socket_write = Cycles{4000};
  sockets.socket_read = Cycles{8000};
  sockets.segment_send = Cycles{4800};
  sockets.segment_receive = Cycles{8000};
  sockets.send_per_byte = Cycles{3.5};
  sockets.receive_per_byte = Cycles{3.5};
  sockets.acknowledgement = Cycles{4000};
}

Config::Config() {
  file_system.kind = file_systems::pvfs::Params{};
  file_system.block_size = 64_KiB;
  file_system.queue_order = "cyclical-scan";
  workload.kind = workload::SharingParams{};
}

void check(const Config& config, const std::string&, Problems& problems) {
  const machine::Blueprint b = draw(config, problems);
  machine::check_faults(config.faults, b.compute_processors(), "faults", problems);
}

}  // namespace sunstar::cluster
