// SPDX-License-Identifier: MIT
#include "sw/io/cached/client.h"

#include <vector>

namespace sunstar::io::cached {

os::Task<> Client::sync() {
  messages::Endpoint& endpoint = striped_.caller().endpoint;
  std::vector<messages::ReplyAction> replies;
  for (std::size_t i = 0; i < nodes_.io.size(); ++i) replies.emplace_back(endpoint);
  for (std::size_t i = 0; i < nodes_.io.size(); ++i)
    co_await endpoint.os.send(messages_.sync.message(nodes_.io[i].endpoint.id(), {replies[i].expect()}));
  for (auto& reply : replies)
    while (reply.outstanding()) co_await reply.arrival();
}

}  // namespace sunstar::io::cached
