// SPDX-License-Identifier: MIT
#include "sw/messages/peers.h"

#include "sw/messages/endpoint.h"

namespace sunstar::messages {

Peers::Peers(Endpoint& endpoint, const Protocol& protocol)
    : endpoint_(endpoint), protocol_(protocol), os_(endpoint.os), alarm_(endpoint.os, [this] { look(); }) {
  protocol_.are_you_there.on_arrival<os::Cost::remote_memory>(endpoint.os, [this](hal::Message& m) {
    const hal::Message answer = protocol_.here.message(m.source, {endpoint_.os.incarnation()});
    endpoint_.os.send_at(endpoint_.os.receive(m), answer);
  });
  protocol_.here.on_arrival<os::Cost::reply_action>(endpoint.os, [this](hal::Message& m) {
    const hal::NodeId node = m.source;
    const std::uint32_t incarnation = Kind<Protocol::Here>::header(m).incarnation;
    endpoint_.os.receive(m);
    answered(node, incarnation);
  });
  protocol_.nobody.on_arrival<os::Cost::reply_action>(endpoint.os, [this](hal::Message& m) {
    const hal::NodeId node = m.source;
    endpoint_.os.receive(m);
    if (!peers_[node].gone) lose(node);
  });
}

Peers::Peer& Peers::wait_for(hal::NodeId node) {
  Peer& peer = peers_[node];
  if (!peer.waited_for()) {
    peer.asked = peer.heard = endpoint_.os.now();
    peer.unanswered = 0;
  }
  ++waits_;
  if (alarm_.due() == Time::max()) alarm_.set(endpoint_.os.now() + endpoint_.os.watched_peers()->heartbeat);
  return peer;
}

void Peers::waited(std::uint64_t ended) {
  waits_ -= ended;
  if (waits_ == 0) alarm_.cancel();
}

// It is tried again after the time that it takes to find out.
bool Peers::gone(Peer& peer) const {
  const os::Watched& params = *endpoint_.os.watched_peers();
  if (peer.gone && endpoint_.os.now() - peer.heard > 2 * (params.missed + 1) * params.heartbeat) peer.gone = false;
  return peer.gone;
}

bool Peers::can_answer(hal::NodeId node) {
  if (gone(peers_[node])) return false;
  ++wait_for(node).replies;
  return true;
}

void Peers::answered(hal::NodeId node) {
  Peer& peer = peers_[node];
  peer.asked = peer.heard = endpoint_.os.now();
  peer.unanswered = 0;
  --peer.replies;
  waited(1);
}

bool Peers::can_watch(hal::NodeId node, Waiter& waiter) {
  if (gone(peers_[node])) return false;
  wait_for(node).waiters.push_back(&waiter);
  return true;
}

void Peers::forget(hal::NodeId node, Waiter& waiter) {
  auto& waiters = peers_[node].waiters;
  const auto found = std::ranges::find(waiters, &waiter);
  if (found == waiters.end()) return;
  waiters.erase(found);
  waited(1);
}

bool Peers::has_lost(hal::NodeId node) const {
  const auto found = peers_.find(node);
  return found != peers_.end() && found->second.was_lost;
}

void Peers::answered(hal::NodeId node, std::uint32_t incarnation) {
  Peer& peer = peers_[node];
  // It has been started anew, and has forgotten earlier requests.
  const bool anew = peer.incarnation != incarnation;
  peer.incarnation = incarnation;
  if (anew) return lose(node);
  peer.gone = false;
  peer.heard = endpoint_.os.now();
  peer.unanswered = 0;
}

void Peers::look() {
  os::Os& os = endpoint_.os;
  const os::Watched& params = *os.watched_peers();
  std::vector<hal::NodeId> silent;
  for (auto& [node, peer] : peers_) {
    if (!peer.waited_for()) continue;
    if (peer.unanswered >= params.missed || os.now() - peer.asked >= params.patience) {
      silent.push_back(node);
    } else if (os.now() - peer.heard >= params.heartbeat) {
      ++peer.unanswered;
      os.charge_handler({{os::Cost::interrupt}, {os::Cost::message_send}});
      os.send_at(os.handler_end(), protocol_.are_you_there.message(node, {}));
    }
  }
  for (const hal::NodeId node : silent) lose(node);
  for (auto& [node, peer] : peers_)
    if (peer.waited_for()) return alarm_.set(os.now() + params.heartbeat);
}

void Peers::lose(hal::NodeId node) {
  Peer& peer = peers_[node];
  peer.gone = peer.was_lost = true;
  peer.heard = endpoint_.os.now();
  ++losses_;
  endpoint_.os.note_gone(node);
  endpoint_.os.forget(node);
  waited(std::exchange(peer.replies, 0) + peer.waiters.size());
  const auto waiters = std::exchange(peer.waiters, {});
  endpoint_.give_up(node);
  for (Waiter* waiter : waiters) waiter->lost(node);
}

}  // namespace sunstar::messages
