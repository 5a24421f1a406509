// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/client_server.h"
#include "sw/io/cached/client.h"
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

/// Makes all calls of the processor in the workload, one by one or strided.
inline os::Task<> make_calls(System& system, io::cached::Client& blocks, workload::Team& team, std::uint32_t processor,
                             bool strided) {
  os::Os& os = system.nodes.compute[processor]->os;
  if (strided)
    return workload::make_calls(
        system.job, os, team, processor,
        [&blocks](const workload::Access& call, requests::Calls& calls) { return blocks.call(call, calls); });
  return workload::make_calls(system.job, os, team, processor,
                              [&blocks](const workload::Access& call) { return blocks.call(call); });
}

}  // namespace sunstar::file_systems
