// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/system.h"
#include "sw/io/cached/server.h"

namespace sunstar::file_systems {

/// A server that is a cache of blocks. The file system's `Params` have the member `cache`.
template <class Params>
struct CacheServer : io::cached::Server {
  CacheServer(System& system, const io::cached::Messages& messages, const Params& params, std::uint32_t io_processor)
      : io::cached::Server(system.nodes, system.volume, messages, params.cache, system.record, io_processor) {}
};

}  // namespace sunstar::file_systems
