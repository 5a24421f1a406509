// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "sw/requests/recorder.h"

namespace sunstar::io {

/// An application on a compute processor as its requests to the I/O processors see it. At most one request is
/// outstanding for each disk (TR94-226, section 4), so all disks can work for one call.
struct Caller {
  struct Slot {
    messages::ReplyAction replies;
    hal::NodeId server;
  };

  /// `m`: the application's buffer on the processor.
  Caller(Nodes& nodes, const Volume& v, std::uint32_t p, messages::RemoteMemory& m, requests::Recorder& r)
      : volume(v), processor(p), endpoint(*nodes.compute[p]), memory(m), record(r) {
    for (const DiskPlace& place : volume.disks())
      slots.push_back({messages::ReplyAction(endpoint), nodes.io[place.io_processor].endpoint.id()});
  }
  /// The slot for requests that concern the block.
  Slot& slot(std::uint64_t block) { return slots[volume.disk_of(block)]; }

  const Volume& volume;
  const std::uint32_t processor;
  messages::Endpoint& endpoint;
  messages::RemoteMemory& memory;
  requests::Recorder& record;
  std::vector<Slot> slots;  ///< by disk
};

}  // namespace sunstar::io
