// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/registry/fabrics.h"
#include "platforms/kit/type_of.h"
#include "platforms/machine/assembly/params.h"
#include "platforms/machine/report/results.h"
#include "sw/registry/file_systems.h"
#include "sw/registry/workloads.h"

// The types of a machine's sections are made once, each in a source of platforms/machine/run/types: making one costs
// the compiler seconds.
namespace sunstar::kit {

extern template const Type& type_of<disk::DriveParams>();
extern template const Type& type_of<scsi::BusParams>();
extern template const Type& type_of<node::NodeParams>();
extern template const Type& type_of<os::Costs>();
extern template const Type& type_of<os::SocketChoice>();
extern template const Type& type_of<std::vector<machine::NodeSpec>>();
extern template const Type& type_of<machine::MachineParams>();
extern template const Type& type_of<network::Fabrics>();
extern template const Type& type_of<file_systems::FileSystemParams>();
extern template const Type& type_of<workload::WorkloadParams>();
extern template const Type& type_of<machine::Result>();

}  // namespace sunstar::kit
