// SPDX-License-Identifier: MIT
#pragma once
#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "sw/messages/endpoint.h"
#include "sw/requests/access.h"

namespace sunstar::file_systems {

/// What the software of every node knows when it starts: the machine's nodes, and where the files lie on their disks.
/// What the applications do, it learns by messages alone.
struct System {
  messages::Protocol& protocol;
  io::Nodes& nodes;
  io::Volume& volume;
  requests::Recorder& record;  ///< notes what has been done; no node reads it
};

}  // namespace sunstar::file_systems
