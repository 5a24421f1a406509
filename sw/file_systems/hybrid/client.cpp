// SPDX-License-Identifier: MIT
#include "sw/file_systems/hybrid/client.h"

namespace sunstar::file_systems::hybrid {

os::Task<> Client::program() {
  if (team_.calls()) {
    co_await workload::make_calls(
        system_.job, os_, team_, processor_,
        [this](const workload::Access& call, requests::Calls& calls) { return blocks_.call(call, calls); });
  } else {
    co_await direct_.make_collectives();
  }
  const bool last = co_await team_.ends_run(processor_);
  if (!last) co_return;
  co_await blocks_.sync();
  system_.job.record.finish(os_.now());
}

}  // namespace sunstar::file_systems::hybrid
