// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/faults.h"
#include "models/core/problems.h"
#include "models/disk/drive_faults.h"
#include "models/network/fabric.h"
#include "models/node/node_params.h"
#include "models/scsi/bus_params.h"
#include "platforms/machine/assembly/blueprint.h"

// Faults of a machine during a run.
namespace sunstar::machine {

using FaultEffects = OneOf<disk::MediumError, disk::RecoveredError, disk::Slow, disk::Hang, disk::Dead, disk::PowerLoss,
                           disk::Corruption, scsi::ParityError, scsi::BusHang, scsi::BusReset, node::Stop, node::Reboot,
                           node::Pause, network::MessageLost, network::MessageCorrupted, network::MessageDuplicated,
                           network::MessageDelayed, network::LinkDown, network::RouterDown, network::PortDown>;
struct Fault : faults::FaultOf<FaultEffects> {};
BOOST_DESCRIBE_STRUCT(Fault, (faults::FaultOf<FaultEffects>), ())
inline std::vector<Param> parameters(const Fault*) {
  return {{"place",
           "the part: a drive (iop0_scsi0.disk1, or iop0_pcie0.disk1 of NVMe drives), a SCSI bus (iop0_scsi0), a node "
           "(cp3, iop0), a port or router of the network (network.router7), a link (network.router7.up0); * and ? "
           "stand for any characters, and then each part that fits has the fault, by itself"}};
}

/// The parts of a machine that may have faults, by name.
enum class PartKind : std::uint8_t { drive, bus, node, port, router, link };
struct Part {
  PartKind kind;
  std::string name;
  std::uint32_t number;  ///< of a node, a port or its router; a link's channel
};
/// Links only with the fabric, which names them.
std::vector<Part> parts(const Blueprint& blueprint, const network::Fabric* fabric = nullptr);
/// The kind of part that an effect strikes; for messages, ports first.
PartKind kind_of(const Fault& fault);
/// The parts that a fault strikes. An effect on messages strikes ports or, if the place fits none, links.
std::vector<Part> struck_by(const Fault& fault, const std::vector<Part>& all);

/// Whether a node may stop because of it, or others take it for gone.
bool cuts_off_nodes(const Fault& fault);

/// Adds the faults that strike no part of the machine to `problems`. Without its fabric, possible faults of links pass.
void check_faults(const std::vector<Fault>& faults, const Blueprint& blueprint, const std::string& path,
                  Problems& problems, const network::Fabric* fabric = nullptr);

}  // namespace sunstar::machine
