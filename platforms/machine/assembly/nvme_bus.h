// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "models/node/node_bus.h"
#include "models/nvme/controller.h"
#include "platforms/machine/assembly/drive_bus.h"

namespace sunstar::machine {

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
