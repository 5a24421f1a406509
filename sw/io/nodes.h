// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <vector>

#include "sw/io/disk_driver.h"
#include "sw/io/volume.h"
#include "sw/messages/endpoint.h"

namespace sunstar::io {

/// A node that does I/O. Its disk drivers run from the start, whatever file system runs on it.
struct IoNode {
  IoNode(messages::Endpoint& e, const std::string& queue_order) : endpoint(e), drivers(e.os, queue_order) {}
  messages::Endpoint& endpoint;
  DiskDrivers drivers;
};

/// The nodes of a machine as its file system sees them; a node that computes and does I/O is in both lists.
struct Nodes {
  std::vector<messages::Endpoint*> compute;  ///< in order
  std::deque<IoNode> io;

  /// The driver of the disk at that place of a volume.
  DiskDriver& driver(const DiskPlace& place) { return io[place.io_processor].drivers[place.device]; }

  /// What all disks together have done.
  struct Totals {
    std::uint64_t reads = 0, writes = 0;
    Time last_completion{};  ///< when an I/O processor last saw a disk command end
  };
  Totals totals() const {
    Totals all;
    for (const IoNode& node : io)
      for (const auto& driver : node.drivers) {
        all.reads += driver->reads();
        all.writes += driver->writes();
        all.last_completion = std::max(all.last_completion, driver->last_completion());
      }
    return all;
  }
};

}  // namespace sunstar::io
