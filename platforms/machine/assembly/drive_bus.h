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

/// One SCSI bus with its drives.
class ScsiBus final : public DriveBus {
 public:
  ScsiBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed,
          Timetable& timetable, const Probe& probe);

  void connect(node::Node& node, std::uint32_t number) override;
  void register_statistics(StatisticSet& set) override;
  scsi::BusFaults* faults() override { return &bus.faults(); }
  std::string instance() const override { return bus.name(); }
  double bytes_per_second() const override { return bus.params().data_rate.bytes_per_second; }
  std::uint64_t monitored_bytes() const override { return monitor->data_bytes(); }
  std::uint64_t reported_bytes() const override { return bus.data_bytes(); }

 private:
  void report(const Probe&);

  scsi::Bus bus;
  std::unique_ptr<scsi::CommandMonitor> monitor;  // only if there is a probe
  std::vector<std::unique_ptr<scsi::Target>> disks;
};

/// NVMe drives, each on a PCI Express link of its own.
class NvmeBus final : public DriveBus {
 public:
  NvmeBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed,
          Timetable& timetable, const Probe& probe);

  void connect(node::Node& node, std::uint32_t adapter) override;
  void register_statistics(StatisticSet& set) override;
  std::string instance() const override { return name(); }
  double bytes_per_second() const override;
  std::uint64_t monitored_bytes() const override;
  std::uint64_t reported_bytes() const override;

 private:
  std::vector<std::unique_ptr<nvme::Controller>> controllers_;
  std::vector<std::unique_ptr<node::BusMonitor>> monitors_;  // only if there is a probe
};

}  // namespace sunstar::machine
