// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "sw/io/store/store.h"
#include "sw/messages/endpoint.h"

namespace sunstar::io {

/// A node that does I/O. Its disk drivers and its part of the store run from the start, under any file system.
struct IoNode {
  IoNode(messages::Endpoint& e, Store& s, std::uint32_t io_processor, const std::string& queue_order,
         const DriverParams& driver)
      : number(io_processor),
        endpoint(e),
        drivers(e.os, queue_order, driver),
        store(s.serve(io_processor, e, drivers)) {}
  const std::uint32_t number;
  messages::Endpoint& endpoint;
  DiskDrivers drivers;  ///< for the store and for observers; a file system knows the store only
  StoreServer& store;
};

/// The nodes of a machine as its file system sees them; a node that computes and does I/O is in both lists.
struct Nodes {
  std::vector<messages::Endpoint*> compute;  ///< in order
  std::deque<IoNode> io;

  void add_io(messages::Endpoint& endpoint, Store& store, const std::string& queue_order,
              const DriverParams& driver = {}) {
    io.emplace_back(endpoint, store, static_cast<std::uint32_t>(io.size()), queue_order, driver);
  }

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
