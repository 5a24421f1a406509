// SPDX-License-Identifier: MIT
#include <optional>
#include <string>

#include "models/core/error.h"
#include "sw/file_systems/cache_server.h"
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/traditional_caching/record_reader.h"

namespace sunstar::file_systems::traditional_caching {
namespace {

/// A compute processor: makes its calls one by one, or distributes records by their bytes.
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const io::cached::Messages& messages, const Params& params, workload::Team& team,
         std::uint32_t processor)
      : ComputeProcessor(run, team, processor), blocks_(run.nodes, run.caller(processor), messages, params.strided) {
    if (selects(*run.job.workload, team.number())) records_.emplace(run, blocks_, params, team, processor);
  }

  os::Task<> run() {
    if (records_)
      return make_collectives(
          [this](const workload::Collective& collective, std::uint32_t) { return records_->carry_out(collective); },
          [this](const workload::Collective& collective, const workload::Gone&) {
            return records_->missing(collective);
          });
    return make_calls(
        [this](const requests::Access& call, requests::Calls& calls) { return blocks_.call(call, calls); });
  }
  os::Task<> sync() { return blocks_.sync(); }

 private:
  io::cached::Client blocks_;
  std::optional<RecordReader> records_;  // if the workload distributes records by their bytes
};

/// A traditional parallel file system (TR94-226, section 4): compute processors request contiguous chunks, block by
/// block; I/O processors cache blocks. docs/file-systems/traditional-caching.md follows one call.
using TraditionalCaching = ClientServer<Params, io::cached::Messages, CacheServer<Params>, Client>;

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  const workload::Workload& work = *run.job.workload;
  if (params.records != RecordReading::own_records) require_whole_records(run);
  else
    for (const workload::Collective& c : work.collectives())
      if (c.selection && c.selection->function != requests::Selection::Function::cyclic) {
        const std::string function = work.path(c.team) + ".function";
        throw ConfigError(
            "file_system.records is own-records, but no processor knows its own records if their bytes decide (" +
            function + "); choose cyclic-blocks or contiguous-share, or " + function + "=cyclic.");
      }
  return std::make_unique<TraditionalCaching>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // Of a compute processor: records that it distributes, or a strided request.
  const std::uint64_t distributing = 2 * sizes.block_bytes;
  return io::cached::memory(params.cache, sizes.compute_processors, sizes.disks_of_node, sizes.block_bytes) +
         distributing;
}

}  // namespace sunstar::file_systems::traditional_caching
