// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/client.h"

#include <algorithm>

namespace sunstar::file_systems::disk_directed {

Client::Client(System& system, const Messages& messages, messages::Barrier& barrier, std::uint32_t processor)
    : system_(system),
      messages_(messages),
      barrier_(barrier),
      processor_(processor),
      endpoint_(*system.nodes.compute[processor]) {
  endpoint_.offer(system.job.memory[processor]);
  for (std::size_t i = 0; i < system.nodes.io.size(); ++i) replies_.emplace_back(endpoint_);
}

os::Task<> Client::main() {
  os::Os& os = endpoint_.os;
  workload::Job& job = system_.job;
  const auto& collectives = job.workload->collectives();
  co_await os.sleep_until(Time{job.delay(processor_)});
  for (std::uint32_t c = 0; c < collectives.size(); ++c) {
    const Time wanted = std::max(os.now() + collectives[c].think, Time{collectives[c].not_before});
    if (wanted > os.now()) co_await os.sleep_until(wanted);
    const Time start = os.now();
    job.record.begin(start);
    os.charge(os::Cost::file_call);
    co_await barrier_.wait(processor_);  // all buffers are ready
    if (processor_ == 0) co_await request(c);
    co_await barrier_.wait(processor_);  // all data are there
    if (processor_ == 0) job.record.end(start, os.now());
  }
  if (processor_ == 0) job.record.finish(os.now());
}

os::Task<> Client::request(std::uint32_t collective) {
  for (std::size_t i = 0; i < replies_.size(); ++i) {
    const hal::NodeId server = system_.nodes.io[i].endpoint.id();
    co_await endpoint_.os.send(messages_.collective.message(server, {collective, 0, replies_[i].expect()}));
  }
  for (auto& reply : replies_)
    while (reply.outstanding()) co_await reply.arrival();
}

}  // namespace sunstar::file_systems::disk_directed
