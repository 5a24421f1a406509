// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/disk_directed/client.h"
#include "sw/file_systems/hybrid/params.h"
#include "sw/io/cached/client.h"
#include "sw/io/cached/server.h"

// Caches and disk-directed I/O side by side, coherent with each other. docs/file-systems/hybrid.md describes them.
namespace sunstar::file_systems::hybrid {
namespace {

struct Messages {
  explicit Messages(messages::Numbers& numbers) : cached(numbers), direct(numbers) {}
  const io::cached::Messages cached;
  const disk_directed::Messages direct;
};

/// An I/O processor: a cache for calls and buffers for collectives.
class Server {
 public:
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
      : cached_(system, messages.cached, params, io_processor),
        direct_(system, messages.direct, params, io_processor, &cached_.guard()) {}
  void add_statistics(StatisticSet& set) { cached_.add_statistics(set); }

 private:
  io::cached::Server cached_;
  disk_directed::Server direct_;
};

/// A compute processor: makes its calls through the caches, or takes part in the collectives of its application.
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor)
      : ComputeProcessor(run, team, processor),
        blocks_(run.nodes, run.caller(processor), messages.cached, params.strided),
        direct_(run, messages.direct, params, team, processor) {}

  os::Task<> run() {
    if (!team_.calls()) return direct_.run();
    return make_calls(
        [this](const requests::Access& call, requests::Calls& calls) { return blocks_.call(call, calls); });
  }
  os::Task<> sync() { return blocks_.sync(); }

 private:
  io::cached::Client blocks_;
  disk_directed::Client direct_;
};

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  require_whole_records(run);
  return std::make_unique<ClientServer<Params, Messages, Server, Client>>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  return disk_directed::memory(params, sizes) +
         io::cached::memory(params.cache, sizes.compute_processors, sizes.disks_of_node, sizes.block_bytes) +
         2 * sizes.block_bytes;  // of a compute processor: a strided request
}

}  // namespace sunstar::file_systems::hybrid
