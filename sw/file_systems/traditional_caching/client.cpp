// SPDX-License-Identifier: MIT
#include "sw/file_systems/traditional_caching/client.h"

namespace sunstar::file_systems::traditional_caching {

os::Task<> Client::main() {
  const auto request = [this](const io::BlockPart& part, bool write, const messages::ReplyTo& reply) {
    const os::Counted<os::Cost::message_send> mark;
    const BlockRequest asked{part.file, part.bytes, part.offset, reply};
    return write ? messages_.write.message(part.server, asked, part.memory, part.bytes)
                 : messages_.read.message(part.server, asked);
  };
  co_await workload::make_calls(system_.job, endpoint_.os, barrier_, processor_,
                                [&](const workload::Access& access) { return striped_.call(access, request); });
  if (processor_ != 0) co_return;
  co_await sync();
  system_.job.record.finish(endpoint_.os.now());
}

os::Task<> Client::sync() {
  std::vector<messages::ReplyAction> replies;
  for (std::size_t i = 0; i < system_.nodes.io.size(); ++i) replies.emplace_back(endpoint_);
  for (std::size_t i = 0; i < system_.nodes.io.size(); ++i)
    co_await endpoint_.os.send(messages_.sync.message(system_.nodes.io[i].endpoint.id(), {replies[i].expect()}));
  for (auto& reply : replies)
    while (reply.outstanding()) co_await reply.arrival();
}

}  // namespace sunstar::file_systems::traditional_caching
