// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/disk/storage_device.h"
#include "models/kernel/probe.h"
#include "models/node/node.h"
#include "models/node/node_bus.h"
#include "models/node/nvme_host.h"
#include "models/nvme/controller.h"
#include "models/scsi/bus.h"
#include "models/scsi/command_monitor.h"
#include "models/scsi/target.h"
#include "platforms/machine/assembly/params.h"

namespace sunstar::machine {

/// A bus of a node with its drives, of one technology. Each technology is a class derived from it.
class DriveBus : public sc_core::sc_module {
 public:
  /// The drives by their numbers on the bus.
  const std::vector<disk::StorageDevice*>& drives() const { return drives_; }
  /// Connects the bus with the node's adapter of that number, and adds the drives to the node.
  virtual void connect(node::Node& node, std::uint32_t adapter) = 0;
  virtual void register_statistics(StatisticSet& set) = 0;
  /// The faults of the bus itself; null if it has none.
  virtual scsi::BusFaults* faults() { return nullptr; }
  /// The name of its statistics, and bytes a second that it carries from one drive.
  virtual std::string instance() const = 0;
  virtual double bytes_per_second() const = 0;
  /// Bytes that any monitors on its sockets have counted, and bytes that it reports.
  virtual std::uint64_t monitored_bytes() const = 0;
  virtual std::uint64_t reported_bytes() const = 0;

 protected:
  explicit DriveBus(const sc_core::sc_module_name& name) : sc_module(name) {}
  std::vector<disk::StorageDevice*> drives_;
};

inline disk::DriveStart start_of(const disk::DriveType& type, const MachineParams& machine, std::uint64_t seed,
                                 const char* name) {
  disk::DriveStart start = disk::random_start(type.params, seed, name);
  if (machine.first_cylinder == FirstCylinder::block_zero)
    start.cylinder = type.mechanics.geometry().address(0).track.cylinder;
  if (machine.spindles == Spindles::synchronised) start.spindle_phase = RandomStream(seed, "spindles").uniform();
  return start;
}

class ScsiBus final : public DriveBus {
 public:
  ScsiBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec,
          disk::DriveTypes& types, std::uint64_t seed, Timetable& timetable, const Probe& probe)
      : DriveBus(name), bus("bus", machine.bus, spec.drive_count(), timetable) {
    for (const DriveGroup& group : spec.drives)
      for (std::uint32_t i = 0; i < group.count; ++i) {
        const disk::SharedDriveType& type = types.of(machine.disk_of(group).placed(disk::RigCounts::everywhere));
        const std::string leaf = "disk" + std::to_string(disks.size());
        const std::string full = std::string(this->name()) + "." + leaf;
        disks.push_back(std::make_unique<scsi::Target>(leaf.c_str(), type, start_of(*type, machine, seed, full.c_str()),
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

  void connect(node::Node& node, std::uint32_t number) override {
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

  void register_statistics(StatisticSet& set) override {
    bus.register_statistics(set);
    for (auto& disk : disks) disk->register_statistics(set);
  }

  scsi::BusFaults* faults() override { return &bus.faults(); }
  std::string instance() const override { return bus.name(); }
  double bytes_per_second() const override { return bus.params().data_rate.bytes_per_second; }
  std::uint64_t monitored_bytes() const override { return monitor->data_bytes(); }
  std::uint64_t reported_bytes() const override { return bus.data_bytes(); }

 private:
  // The tracks: the bus first, and then for each drive its commands and, below them, its heads.
  void report(const Probe& probe) {
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

  scsi::Bus bus;
  std::unique_ptr<scsi::CommandMonitor> monitor;  // only if there is a probe
  std::vector<std::unique_ptr<scsi::Target>> disks;
};

/// NVMe drives, each on a PCI Express link of its own.
class NvmeBus final : public DriveBus {
 public:
  NvmeBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed,
          Timetable& timetable, const Probe& probe)
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

  void connect(node::Node& node, std::uint32_t adapter) override {
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

  void register_statistics(StatisticSet& set) override {
    for (auto& drive : controllers_) drive->register_statistics(set);
  }
  std::string instance() const override { return name(); }
  double bytes_per_second() const override {
    return controllers_.front()->device().drive().params().link.data_rate().bytes_per_second;
  }

  std::uint64_t monitored_bytes() const override {
    return sum(monitors_, [](const auto& monitor) { return monitor->bytes(); });
  }

  std::uint64_t reported_bytes() const override {
    return sum(controllers_, [](const auto& drive) { return drive->bytes(); });
  }

 private:
  std::vector<std::unique_ptr<nvme::Controller>> controllers_;
  std::vector<std::unique_ptr<node::BusMonitor>> monitors_;  // only if there is a probe
};

}  // namespace sunstar::machine
