// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/faults/fault.h"
#include "models/core/problems.h"
#include "models/disk/fault_effects.h"
#include "models/scsi/bus_faults.h"
#include "platforms/machine/blueprint.h"

// What goes wrong with a machine during a run.
namespace sunstar::machine {

/// A compute processor stops: its program ends, nothing leaves it any more, and its memory is lost.
struct Stop {
  static constexpr std::string_view kind = "stop";
  static constexpr std::string_view help = "a compute processor stops: its program ends and its memory is lost";
  static constexpr bool lasting = true;
  bool operator==(const Stop&) const = default;
};
BOOST_DESCRIBE_STRUCT(Stop, (), ())
inline std::vector<Param> parameters(const Stop*) { return {}; }

using FaultEffects = OneOf<disk::MediumError, disk::RecoveredError, disk::Slow, disk::Hang, disk::Dead, disk::PowerLoss,
                           disk::Corruption, scsi::ParityError, scsi::BusHang, scsi::BusReset, Stop>;
struct Fault : faults::FaultOf<FaultEffects> {};
BOOST_DESCRIBE_STRUCT(Fault, (faults::FaultOf<FaultEffects>), ())
inline std::vector<Param> parameters(const Fault*) {
  return {{"place",
           "the part: a drive (iop0_scsi0.disk1), a bus (iop0_scsi0), a node (cp3); * and ? stand for any characters, "
           "and then each part that fits has the fault, by itself"}};
}

/// The parts of a machine that may have faults, by name.
enum class PartKind : std::uint8_t { drive, bus, compute_processor };
struct Part {
  PartKind kind;
  std::string name;
  std::uint32_t number;  ///< of a compute processor
};
std::vector<Part> parts(const Blueprint& blueprint);
/// Where an effect strikes.
PartKind kind_of(const Fault& fault);
/// Whether a fault is at a part.
bool strikes(const Fault& fault, const Part& part);

/// Adds the faults that strike no part of the machine to `problems`.
void check_faults(const std::vector<Fault>& faults, const Blueprint& blueprint, const std::string& path,
                  Problems& problems);

}  // namespace sunstar::machine
