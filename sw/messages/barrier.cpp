// SPDX-License-Identifier: MIT
#include "sw/messages/barrier.h"

namespace sunstar::messages {

Barrier::Barrier(std::vector<Endpoint*> members, Numbers& numbers)
    : members_(std::move(members)), arrive_(numbers, Taken::always), release_(numbers, Taken::always) {
  released_.reserve(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    os::Os& os = members_[i]->os;
    released_.emplace_back(os, "the others at a barrier");
    release_.on_arrival(os, {os::Cost::reply_action}, [this, i, &os](hal::Message& m) {
      const os::Counted<os::Cost::reply_action> mark;
      os.take(m);
      os.node().network().release(m);
      released_[i].wake_all();
    });
  }
  os::Os& root = members_.front()->os;
  arrive_.on_arrival(root, {os::Cost::reply_action}, [this, &root](hal::Message& m) {
    const os::Counted<os::Cost::reply_action> mark;
    root.take(m);
    root.node().network().release(m);
    arrived();
  });
}

void Barrier::arrived() {
  if (++arrived_ < members_.size()) return;
  arrived_ = 0;
  released_.front().wake_all();  // the root's thread then releases the others
}

// A full FIFO does not hold up a barrier's messages: their handlers release them at once.
os::Task<> Barrier::wait(std::size_t member) {
  os::Os& os = members_[member]->os;
  if (member != 0) {
    co_await os.send(arrive_.message(members_.front()->id(), {}));
    co_await released_[member].wait();
    co_return;
  }
  if (arrived_ + 1 < members_.size()) {
    ++arrived_;
    co_await released_.front().wait();
  } else {
    arrived_ = 0;
  }
  for (std::size_t i = 1; i < members_.size(); ++i) co_await os.send(release_.message(members_[i]->id(), {}));
}

}  // namespace sunstar::messages
