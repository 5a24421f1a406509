// SPDX-License-Identifier: MIT
#include "sw/file_systems/traditional_caching/client.h"

namespace sunstar::file_systems::traditional_caching {

Client::Client(System& system, const io::cached::Messages& messages, const Params& params, workload::Team& team,
               std::uint32_t processor)
    : system_(system),
      team_(team),
      processor_(processor),
      endpoint_(*system.nodes.compute[processor]),
      blocks_(system.nodes, system.caller(processor), messages, params.strided) {
  if (selects(*system.job.workload, team.number())) records_.emplace(system, blocks_, params, team, processor);
}

os::Task<> Client::program() {
  if (records_) {
    co_await workload::make_collectives(
        system_.job, endpoint_.os, team_, processor_,
        [this](const workload::Collective& collective, std::uint32_t) { return records_->carry_out(collective); });
  } else {
    co_await workload::make_calls(
        system_.job, endpoint_.os, team_, processor_,
        [this](const workload::Access& call, requests::Calls& calls) { return blocks_.call(call, calls); });
  }
  const bool last = co_await team_.ends_run(processor_);
  if (!last) co_return;
  co_await blocks_.sync();
  system_.job.record.finish(endpoint_.os.now());
}

}  // namespace sunstar::file_systems::traditional_caching
