// SPDX-License-Identifier: MIT
#include "platforms/machine/disk_bus.h"

#include <string>

#include "models/core/random.h"

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

DiskBus::DiskBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec,
                 std::uint64_t seed, const Watchers& watchers)
    : sc_module(name), bus("bus", machine.bus, spec.drive_count()) {
  for (const DriveGroup& group : spec.drives)
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const disk::DriveParams& params = group.disk ? *group.disk : machine.disk;
      const std::string leaf = "disk" + std::to_string(disks.size());
      const std::string full = std::string(this->name()) + "." + leaf;
      disks.push_back(std::make_unique<scsi::Target>(
          leaf.c_str(), params, start_of(params, machine, seed, full.c_str()), machine.bus.disconnect_threshold));
    }
  if (watchers.any())
    monitor = std::make_unique<scsi::CommandMonitor>("monitor", static_cast<std::uint32_t>(disks.size()));
  for (std::size_t i = 0; i < disks.size(); ++i) {
    if (monitor) {
      bus.targets[i].bind(monitor->from_bus[i]);
      monitor->to_target[i].bind(disks[i]->socket);
    } else {
      bus.targets[i].bind(disks[i]->socket);
    }
    if (watchers.waves) disks[i]->trace(*watchers.waves);
  }
  if (watchers.trails) {
    std::vector<const scsi::Target*> targets;
    for (auto& disk : disks) {
      disk->explain();
      targets.push_back(disk.get());
    }
    monitor->explain(*watchers.trails, this->name(), std::move(targets));
  }
  if (watchers.waves) bus.trace(*watchers.waves);
  if (watchers.timeline) record(*watchers.timeline);
  if (watchers.log) log(*watchers.log);
}

std::vector<std::string> DiskBus::drive_names() const {
  std::vector<std::string> names;
  for (const auto& disk : disks) names.emplace_back(disk->basename());
  return names;
}

// The bus first, and then for each drive its commands and, below them, its heads.
void DiskBus::record(Timeline& timeline) {
  const std::uint32_t group = timeline.group(name());
  std::vector<Timeline::Track> commands;
  std::vector<Timeline::Counter> rates;
  const Timeline::Track tenures = timeline.track(group, "bus: who has it", 0, bus.name());
  for (std::uint32_t i = 0; i < disks.size(); ++i) {
    const std::string instance = disks[i]->name(), leaf = disks[i]->basename();
    commands.push_back(timeline.track(group, leaf + ": commands", 2 * i + 1, instance));
    disks[i]->record(timeline, timeline.track(group, leaf + ": heads", 2 * i + 2, instance));
    rates.push_back(timeline.rate(group, leaf + ": bytes a second", instance));
  }
  bus.record(timeline, tenures, drive_names());
  monitor->record(timeline, commands, timeline.rate(group, "bus: bytes a second", bus.name()), rates);
}

void DiskBus::log(EventLog& log) {
  bus.log(log, drive_names());
  std::vector<EventLog::Instance> targets;
  for (const auto& disk : disks) {
    disk->log(log);
    targets.push_back(log.instance(disk->name()));
  }
  monitor->log(log, std::move(targets));
}

void DiskBus::bind(scsi::Initiator& initiator) {
  if (monitor) {
    initiator.socket.bind(monitor->from_initiator);
    monitor->to_bus.bind(bus.initiator);
  } else {
    initiator.socket.bind(bus.initiator);
  }
}

}  // namespace sunstar::machine
