// SPDX-License-Identifier: MIT
#include "platforms/machine/assembly/drive_bus.h"

#include "models/node/nvme_host.h"

namespace sunstar::machine {
namespace {
disk::DriveStart start_of(const disk::DriveParams& params, const MachineParams& machine, std::uint64_t seed,
                          const char* name) {
  disk::DriveStart start = disk::random_start(params, seed, name);
  if (machine.first_cylinder == FirstCylinder::block_zero)
    start.cylinder = disk::Geometry(params).address(0).track.cylinder;
  if (machine.spindles == Spindles::synchronised) start.spindle_phase = RandomStream(seed, "spindles").uniform();
  return start;
}
}  // namespace

ScsiBus::ScsiBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec,
                 std::uint64_t seed, Timetable& timetable, const Probe& probe)
    : DriveBus(name), bus("bus", machine.bus, spec.drive_count(), timetable) {
  for (const DriveGroup& group : spec.drives)
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const disk::DriveParams params = machine.disk_of(group).placed(disk::RigCounts::everywhere);
      const std::string leaf = "disk" + std::to_string(disks.size());
      const std::string full = std::string(this->name()) + "." + leaf;
      disks.push_back(std::make_unique<scsi::Target>(leaf.c_str(), params,
                                                     start_of(params, machine, seed, full.c_str()),
                                                     machine.bus.disconnect_threshold, timetable));
      drives_.push_back(disks.back().get());
    }
  if (probe) monitor = std::make_unique<scsi::CommandMonitor>("monitor", static_cast<std::uint32_t>(disks.size()));
  for (std::size_t i = 0; i < disks.size(); ++i) {
    if (monitor) {
      bus.targets[i].bind(monitor->from_bus[i]);
      monitor->to_target[i].bind(disks[i]->socket);
    } else {
      bus.targets[i].bind(disks[i]->socket);
    }
  }
  if (probe) report(probe);
}

// The tracks: the bus first, and then for each drive its commands and, below them, its heads.
void ScsiBus::report(const Probe& probe) {
  const std::string group = name();
  const Timeline::Track tenures = probe.track(group, "bus: who has it", 0, bus.name());
  for (std::uint32_t i = 0; i < disks.size(); ++i) {
    scsi::Target& disk = *disks[i];
    const auto track = [&](const char* what, std::uint32_t place) {
      return probe.track(group, disk.basename() + std::string(what), place, disk.name());
    };
    monitor->probe(probe, i, disk, track(": commands", 2 * i + 1), group);
    disk.probe(probe, track(": heads", 2 * i + 2));
  }
  monitor->probe(probe, bus.name(), group);
  if (probe.files()) bus.probe(probe, tenures);
}

void ScsiBus::connect(node::Node& node, std::uint32_t number) {
  auto& adapter = static_cast<node::HostAdapter&>(*node.host_adapters[number]);
  scsi::Initiator& initiator = adapter.initiator;
  if (monitor) {
    initiator.socket.bind(monitor->from_initiator);
    monitor->to_bus.bind(bus.initiator);
  } else {
    initiator.socket.bind(bus.initiator);
  }
  for (std::uint32_t t = 0; t < disks.size(); ++t)
    node.add_block_device(adapter.device(t, disks[t]->sectors(), disks[t]->sector_size(), disks[t]->reports_early()));
}

void ScsiBus::register_statistics(StatisticSet& set) {
  bus.register_statistics(set);
  for (auto& disk : disks) disk->register_statistics(set);
}

NvmeBus::NvmeBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec,
                 std::uint64_t seed, Timetable& timetable, const Probe& probe)
    : DriveBus(name) {
  constexpr std::uint32_t tracks = 1 << 16;  // of a drive
  for (const DriveGroup& group : spec.drives)
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const std::size_t number = controllers_.size();
      auto& drive = *controllers_.emplace_back(std::make_unique<nvme::Controller>(
          ("disk" + std::to_string(number)).c_str(), machine.nvme_of(group), seed, timetable));
      drives_.push_back(&drive.device());
      if (!probe) continue;
      drive.probe(probe, this->name(), static_cast<std::uint32_t>(number) * tracks);
      monitors_.push_back(std::make_unique<node::BusMonitor>(("monitor" + std::to_string(number)).c_str()));
    }
}

void NvmeBus::connect(node::Node& node, std::uint32_t adapter) {
  auto& host = static_cast<node::NvmeHost&>(*node.host_adapters[adapter]);
  for (std::uint32_t i = 0; i < controllers_.size(); ++i) {
    nvme::Controller& drive = *controllers_[i];
    host.doorbells[i].bind(drive.doorbells);
    if (monitors_.empty()) {
      drive.memory.bind(host.memory[i]);
    } else {
      drive.memory.bind(monitors_[i]->from_master);
      monitors_[i]->to_bus.bind(host.memory[i]);
    }
    const nvme::Device& device = drive.device();
    const nvme::DriveParams& params = device.drive().params();
    const std::uint32_t queues = std::min(node.cores(), params.queues);
    drive.connect(host.host(), queues);
    node.add_block_device(host.device(i, device.sectors(), device.sector_size(), queues, params.queue_depth));
  }
}

void NvmeBus::register_statistics(StatisticSet& set) {
  for (auto& drive : controllers_) drive->register_statistics(set);
}

double NvmeBus::bytes_per_second() const {
  return controllers_.front()->device().drive().params().link.data_rate().bytes_per_second;
}

std::uint64_t NvmeBus::monitored_bytes() const {
  std::uint64_t all = 0;
  for (const auto& monitor : monitors_) all += monitor->bytes();
  return all;
}

std::uint64_t NvmeBus::reported_bytes() const {
  std::uint64_t all = 0;
  for (const auto& drive : controllers_) all += drive->bytes();
  return all;
}

}  // namespace sunstar::machine
