// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sw/io/nodes.h"
#include "sw/io/volume.h"

namespace sunstar::io {

/// What a compute processor keeps for a disk: the request that is outstanding there, and the node that serves it.
struct DiskSlot {
  messages::ReplyAction replies;
  hal::NodeId server;
};

/// A slot for each disk of the volume.
inline std::vector<DiskSlot> disk_slots(Nodes& nodes, const Volume& volume, messages::Endpoint& endpoint) {
  std::vector<DiskSlot> slots;
  for (const DiskPlace& place : volume.disks())
    slots.push_back({messages::ReplyAction(endpoint), nodes.io[place.io_processor].endpoint.id()});
  return slots;
}

}  // namespace sunstar::io
