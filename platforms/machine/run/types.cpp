// SPDX-License-Identifier: MIT
#include "platforms/machine/run/config.h"

namespace sunstar::kit {

template const Type& type_of<disk::DriveParams>();
template const Type& type_of<scsi::BusParams>();
template const Type& type_of<node::NodeParams>();
template const Type& type_of<os::Costs>();
template const Type& type_of<os::SocketChoice>();
template const Type& type_of<std::vector<machine::NodeSpec>>();
template const Type& type_of<machine::MachineParams>();
template const Type& type_of<network::Fabrics>();
template const Type& type_of<file_systems::FileSystemParams>();
template const Type& type_of<workload::WorkloadParams>();
template const Type& type_of<machine::Result>();

}  // namespace sunstar::kit
