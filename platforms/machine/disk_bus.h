// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/kernel/event_log.h"
#include "models/kernel/timeline.h"
#include "models/kernel/wave_file.h"
#include "models/scsi/bus.h"
#include "models/scsi/command_monitor.h"
#include "models/scsi/initiator.h"
#include "models/scsi/target.h"
#include "platforms/machine/params.h"

namespace sunstar::machine {

/// What records a machine's run; it must outlive the simulation.
struct Watchers {
  WaveFile* waves = nullptr;
  Timeline* timeline = nullptr;
  EventLog* log = nullptr;
  Trails* trails = nullptr;
  bool files() const { return waves || timeline || log; }
  bool any() const { return files() || trails; }
};

/// One SCSI bus with its drives.
class DiskBus : public sc_core::sc_module {
 public:
  DiskBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed,
          const Watchers& watchers);

  void bind(scsi::Initiator& initiator);

  scsi::Bus bus;
  std::unique_ptr<scsi::CommandMonitor> monitor;  ///< only if there are watchers
  std::vector<std::unique_ptr<scsi::Target>> disks;

 private:
  std::vector<std::string> drive_names() const;
  void record(Timeline& timeline);
  void log(EventLog& log);
};

}  // namespace sunstar::machine
