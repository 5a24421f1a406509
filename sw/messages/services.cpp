// SPDX-License-Identifier: MIT
#include "sw/messages/services.h"

#include <cassert>

namespace sunstar::os {

void install_replies(Os& os) {
  if (os.handles(reply_handler)) return;  // a node may compute and serve
  os.on_message(reply_handler, os.costs().reply_action, [&os](hal::Message& m) {
    auto* action = from_word<ReplyAction>(m.word[5]);
    std::byte* destination = action->destination() ? action->destination() + m.word[4] : nullptr;
    const Time there = os.take(m, destination);
    os.node().network().release(m);
    os.after(there, [action] { action->complete(); });
  });
}

hal::Message reply_to(const hal::Message& request, std::byte* data, std::uint32_t bytes) {
  hal::Message m;
  m.target = request.source;
  m.handler = reply_handler;
  m.reply = true;
  m.data = data;
  m.bytes = bytes;
  m.word[4] = request.word[4];
  m.word[5] = request.word[5];
  return m;
}

void install_remote_memory(Os& os, RemoteMemory& memory) {
  const Cycles cost = os.costs().remote_memory + os.costs().message_send;
  os.on_message(memput_handler, cost, [&os, &memory](hal::Message& m) {
    assert(m.word[0] + m.bytes <= memory.bytes);
    memory.put_bytes += m.bytes;
    const hal::Message acknowledgement = reply_to(m);
    const Time there = os.take(m, memory.base + m.word[0]);
    os.node().network().release(m);
    os.send_at(there, acknowledgement);
  });
  os.on_message(memget_handler, cost, [&os, &memory](hal::Message& m) {
    assert(m.word[0] + m.word[1] <= memory.bytes);
    memory.got_bytes += m.word[1];
    const hal::Message reply = reply_to(m, memory.base + m.word[0], static_cast<std::uint32_t>(m.word[1]));
    const Time taken = os.take(m);
    os.node().network().release(m);
    os.send_at(taken, reply);
  });
}

hal::Message memput(hal::NodeId to, std::uint64_t offset, std::byte* data, std::uint32_t bytes, ReplyAction& action) {
  hal::Message m;
  m.target = to;
  m.handler = memput_handler;
  m.data = data;
  m.bytes = bytes;
  m.word[0] = offset;
  m.word[5] = to_word(&action);
  return m;
}

hal::Message memget(hal::NodeId to, std::uint64_t offset, std::uint32_t bytes, ReplyAction& action, std::uint64_t at) {
  hal::Message m;
  m.target = to;
  m.handler = memget_handler;
  m.word[0] = offset;
  m.word[1] = bytes;
  m.word[4] = at;
  m.word[5] = to_word(&action);
  return m;
}

Barrier::Barrier(std::vector<Os*> members, std::uint16_t arrive)
    : members_(std::move(members)), arrive_(arrive), release_(static_cast<std::uint16_t>(arrive + 1)) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Os& os = *members_[i];
    released_.emplace_back(os, "the others at a barrier");
    os.on_message(release_, os.costs().reply_action, [this, i, &os](hal::Message& m) {
      os.take(m);
      os.node().network().release(m);
      released_[i].wake_all();
    });
  }
  Os& root = *members_.front();
  root.on_message(arrive_, root.costs().reply_action, [this, &root](hal::Message& m) {
    root.take(m);
    root.node().network().release(m);
    arrived();
  });
}

void Barrier::arrived() {
  if (++arrived_ < members_.size()) return;
  arrived_ = 0;
  released_.front().wake_all();  // the root's thread tells the others
}

Task<> Barrier::wait(std::size_t member) {
  Os& os = *members_[member];
  if (member != 0) {
    hal::Message m;
    m.target = members_.front()->node().id();
    m.handler = arrive_;
    m.reply = true;  // always taken: whoever waits at the barrier takes nothing else
    co_await os.send(m);
    co_await released_[member].wait();
    co_return;
  }
  if (arrived_ + 1 < members_.size()) {
    ++arrived_;
    co_await released_.front().wait();
  } else {
    arrived_ = 0;
  }
  for (std::size_t i = 1; i < members_.size(); ++i) {
    hal::Message m;
    m.target = members_[i]->node().id();
    m.handler = release_;
    m.reply = true;
    co_await os.send(m);
  }
}

}  // namespace sunstar::os
