// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/kernel/probe.h"
#include "models/scsi/bus.h"
#include "models/scsi/command_monitor.h"
#include "models/scsi/initiator.h"
#include "models/scsi/target.h"
#include "platforms/machine/params.h"

namespace sunstar::machine {

/// One SCSI bus with its drives.
class DiskBus : public sc_core::sc_module {
 public:
  DiskBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed,
          const Probe& probe);

  void bind(scsi::Initiator& initiator);

  scsi::Bus bus;
  std::unique_ptr<scsi::CommandMonitor> monitor;  ///< only if there is a probe
  std::vector<std::unique_ptr<scsi::Target>> disks;

 private:
  void report(const Probe&);
};

}  // namespace sunstar::machine
