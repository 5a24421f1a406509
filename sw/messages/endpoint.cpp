// SPDX-License-Identifier: MIT
#include "sw/messages/endpoint.h"

#include <cassert>
#include <utility>

namespace sunstar::messages {

Endpoint::Endpoint(os::Os& o, const Protocol& protocol) : os(o), protocol_(protocol), id_(o.node().id()) {
  protocol_.reply.on_arrival(os, {os::Cost::reply_action}, [this](hal::Message& m) {
    const os::Counted<os::Cost::reply_action> mark;
    const ReplyTo& to = Kind<ReplyTo>::header(m);
    ReplyAction* const action = actions_[to.action];
    assert(action && action->outstanding());
    const Time there = os.take(m, action->destination() ? action->destination() + to.at : nullptr);
    os.node().network().release(m);
    os.after(there, [action] { action->complete(); });
  });
}

void Endpoint::offer(RemoteMemory& memory) {
  protocol_.memput.on_arrival(os, {os::Cost::remote_memory}, [this, &memory](hal::Message& m) {
    const os::Counted<os::Cost::remote_memory> mark;
    const auto& put = Kind<Protocol::Put>::header(m);
    assert(put.offset + m.bytes <= memory.bytes);
    memory.put_bytes += m.bytes;
    const hal::Message acknowledgement = reply(m.source, put.reply);
    const Time there = os.take(m, memory.base + put.offset);
    os.node().network().release(m);
    os.send_at(there, acknowledgement);
  });
  protocol_.memget.on_arrival(os, {os::Cost::remote_memory}, [this, &memory](hal::Message& m) {
    const os::Counted<os::Cost::remote_memory> mark;
    const auto& get = Kind<Protocol::Get>::header(m);
    assert(get.offset + get.bytes <= memory.bytes);
    memory.got_bytes += get.bytes;
    const hal::Message answer =
        reply(m.source, get.reply, memory.base + get.offset, static_cast<std::uint32_t>(get.bytes));
    const Time taken = os.take(m);
    os.node().network().release(m);
    os.send_at(taken, answer);
  });
}

hal::Message Endpoint::memput(hal::NodeId to, std::uint64_t offset, std::byte* data, std::uint32_t bytes,
                              const ReplyTo& answer) const {
  const os::Counted<os::Cost::message_send> mark;
  return protocol_.memput.message(to, {offset, 0, answer}, data, bytes);
}

hal::Message Endpoint::memget(hal::NodeId to, std::uint64_t offset, std::uint32_t bytes, const ReplyTo& answer) const {
  const os::Counted<os::Cost::message_send> mark;
  return protocol_.memget.message(to, {offset, bytes, answer});
}

hal::Message Endpoint::reply(hal::NodeId source, const ReplyTo& to, std::byte* data, std::uint32_t bytes) const {
  const os::CountedUnlessInside<os::Cost::message_send> mark;
  return protocol_.reply.message(source, to, data, bytes);
}

ReplyAction::ReplyAction(Endpoint& endpoint) : endpoint_(&endpoint), waiters_(endpoint.os, "replies") {
  if (endpoint.free_.empty()) {
    number_ = static_cast<std::uint32_t>(endpoint.actions_.size());
    endpoint.actions_.push_back(this);
  } else {
    number_ = endpoint.free_.back();
    endpoint.free_.pop_back();
    endpoint.actions_[number_] = this;
  }
}

ReplyAction::ReplyAction(ReplyAction&& other) noexcept
    : endpoint_(std::exchange(other.endpoint_, nullptr)),
      waiters_(std::move(other.waiters_)),
      destination_(other.destination_),
      number_(other.number_),
      outstanding_(other.outstanding_) {
  endpoint_->actions_[number_] = this;
}

ReplyAction::~ReplyAction() {
  // If the executive is being destroyed, and this unfinished thread with it, the endpoint may already be gone.
  if (!endpoint_ || waiters_.ending()) return;
  endpoint_->actions_[number_] = nullptr;
  endpoint_->free_.push_back(number_);
}

}  // namespace sunstar::messages
