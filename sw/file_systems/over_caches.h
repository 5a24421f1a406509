// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/client_server.h"
#include "sw/io/cached/server.h"

namespace sunstar::file_systems {

/// The parts of a file system whose I/O processors are caches of blocks: a `Kind` derives from it and adds Client and
/// what else ClientServer asks for. `Parameters` has the member `cache`.
template <class Parameters>
struct WithCaches {
  using Params = Parameters;
  using Messages = io::cached::Messages;
  struct Server : io::cached::Server {
    Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
        : io::cached::Server(system.nodes, system.volume, messages, params.cache, io_processor) {}
  };
};

/// A file system whose I/O processors are caches of blocks.
template <class Kind>
class OverCaches : public ClientServer<Kind> {
 public:
  using ClientServer<Kind>::ClientServer;
  void add_statistics(StatisticSet& set) override {
    for (auto& server : this->servers()) server->add_statistics(set);
  }
};

}  // namespace sunstar::file_systems
