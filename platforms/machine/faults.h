// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/faults/strikes.h"
#include "models/core/problems.h"
#include "models/disk/fault_effects.h"
#include "models/node/node_faults.h"
#include "models/scsi/bus_faults.h"
#include "platforms/machine/blueprint.h"

// What goes wrong with a machine during a run.
namespace sunstar::machine {

/// One fault: a place, an effect, a trigger, and how often or how long.
struct Fault {
  std::string place;
  OneOf<disk::MediumError, disk::RecoveredError, disk::Slow, disk::Hang, disk::Dead, disk::PowerLoss, disk::Corruption,
        scsi::ParityError, scsi::BusHang, scsi::BusReset, node::Stop, node::Pause>
      effect;
  faults::Trigger trigger;
  std::uint32_t times = 0;
  Duration lasts{};
};
BOOST_DESCRIBE_STRUCT(Fault, (), (place, effect, trigger, times, lasts))
inline std::vector<Param> parameters(const Fault*) {
  return {
      {"place",
       "the part: a drive (iop0_scsi0.disk1), a bus (iop0_scsi0), a node (cp3, iop0); * and ? stand for any "
       "characters, and "
       "then each part that fits has the fault, by itself"},
      {"effect", "what goes wrong there"},
      {"trigger", "when it begins"},
      {"times",
       "how many operations it strikes; 0: one, or without limit if the effect is a state of the part, such as dead",
       "0", "4000000000"},
      {"lasts", "for how long from its beginning; 0s: for good", "0s", "1000000s"}};
}

/// The parts of a machine that may have faults, by name.
enum class PartKind : std::uint8_t { drive, bus, node };
struct Part {
  PartKind kind;
  std::string name;
  std::uint32_t number;  ///< of a node
};
std::vector<Part> parts(const Blueprint& blueprint);
/// Where an effect strikes.
PartKind kind_of(const Fault& fault);
/// Whether a fault is at a part.
bool strikes(const Fault& fault, const Part& part);
/// How often and how long it strikes.
faults::Extent extent(const Fault& fault);

/// When a node's fault begins: at its time, or one drawn for the part.
Time begin(const Fault& fault, std::uint64_t seed, const std::string& stream);

/// Adds the faults that strike no part of the machine to `problems`.
void check_faults(const std::vector<Fault>& faults, const Blueprint& blueprint, const std::string& path,
                  Problems& problems);

}  // namespace sunstar::machine
