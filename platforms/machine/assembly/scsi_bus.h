// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "models/scsi/bus.h"
#include "models/scsi/command_monitor.h"
#include "models/scsi/target.h"
#include "platforms/machine/assembly/drive_bus.h"

namespace sunstar::machine {

/// One SCSI bus with its drives.
class ScsiBus final : public DriveBus {
 public:
  ScsiBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed,
          const Probe& probe);

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

}  // namespace sunstar::machine
