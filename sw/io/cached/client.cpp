// SPDX-License-Identifier: MIT
#include "sw/io/cached/client.h"

#include <vector>

namespace sunstar::io::cached {

os::Task<> Client::make_calls(workload::Team& team, bool strided) {
  if (!strided)
    return workload::make_calls(job_, endpoint_.os, team, processor_,
                                [this](const workload::Access& access) { return call(access); });
  strided_.emplace(nodes_, volume_, job_, request_.messages, processor_);
  return workload::make_calls(
      job_, endpoint_.os, team, processor_,
      [this](const workload::Access& access, workload::Calls& calls) { return strided_->call(access, calls); });
}

os::Task<> Client::sync() {
  std::vector<messages::ReplyAction> replies;
  for (std::size_t i = 0; i < nodes_.io.size(); ++i) replies.emplace_back(endpoint_);
  for (std::size_t i = 0; i < nodes_.io.size(); ++i)
    co_await endpoint_.os.send(request_.messages.sync.message(nodes_.io[i].endpoint.id(), {replies[i].expect()}));
  for (auto& reply : replies)
    while (reply.outstanding()) co_await reply.arrival();
}

}  // namespace sunstar::io::cached
