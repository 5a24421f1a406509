// SPDX-License-Identifier: MIT
#include "platforms/machine/drive_bus.h"

#include "platforms/machine/nvme_bus.h"
#include "platforms/machine/scsi_bus.h"

namespace sunstar::machine {

std::unique_ptr<DriveBus> DriveBus::create(const sc_core::sc_module_name& name, const MachineParams& machine,
                                           const BusSpec& spec, std::uint64_t seed, Timetable& timetable,
                                           const Probe& probe) {
  if (machine.has_nvme(spec)) return std::make_unique<NvmeBus>(name, machine, spec, seed, timetable, probe);
  return std::make_unique<ScsiBus>(name, machine, spec, seed, probe);
}

}  // namespace sunstar::machine
