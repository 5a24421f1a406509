// SPDX-License-Identifier: MIT
#include "sw/messages/barrier.h"

#include <boost/unordered/unordered_flat_map.hpp>

namespace sunstar::messages {

Barrier::Barrier(std::vector<Endpoint*> members, Numbers& numbers)
    : members_(std::move(members)),
      arrive_(numbers, "barrier: arrived", Taken::always),
      release_(numbers, "barrier: released", Taken::always) {
  released_.reserve(members_.size());
  boost::unordered_flat_map<hal::NodeId, std::size_t> place;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    os::Os& os = members_[i]->os;
    released_.emplace_back(os, "the others at a barrier");
    const auto [at, is_new] = place.emplace(members_[i]->id(), nodes_.size());
    const std::size_t n = at->second;
    if (is_new) nodes_.push_back({members_[i]->id(), {}});
    nodes_[n].members.push_back(i);
    if (!is_new || n == 0) continue;
    release_.on_arrival<os::Cost::reply_action>(os, [this, n, &os](hal::Message& m) {
      os.receive(m);
      release(nodes_[n]);
    });
  }
  os::Os& root = members_.front()->os;
  arrive_.on_arrival<os::Cost::reply_action>(root, [this, &root](hal::Message& m) {
    root.receive(m);
    arrived();
  });
}

void Barrier::arrived() {
  if (++arrived_ < members_.size()) return;
  arrived_ = 0;
  released_.front().wake_all();  // the root's thread then releases the others
}

void Barrier::release(const Node& node) {
  for (const std::size_t member : node.members) released_[member].wake_all();
}

// A full FIFO does not hold up a barrier's messages: their handlers release them at once.
os::Task<> Barrier::wait(std::size_t member) {
  os::Os& os = members_[member]->os;
  const hal::NodeId root = members_.front()->id();
  if (member != 0) {
    if (members_[member]->id() == root) arrived();
    else co_await os.send(arrive_.message(root, {}));
    co_await released_[member].wait();
    co_return;
  }
  if (arrived_ + 1 < members_.size()) {
    ++arrived_;
    co_await released_.front().wait();
  } else {
    arrived_ = 0;
  }
  release(nodes_.front());
  for (std::size_t n = 1; n < nodes_.size(); ++n) co_await os.send(release_.message(nodes_[n].id, {}));
}

}  // namespace sunstar::messages
