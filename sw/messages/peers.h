// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <vector>

#include "sw/os/os.h"

namespace sunstar::messages {

class Endpoint;
class Protocol;

/// Which other nodes a node takes for gone. While it waits for a silent node, it asks "are you there?" once a
/// heartbeat; the other's interrupt handler answers. A node that has not answered several times in a row is gone, and
/// all its expected replies have failed. So a node that is slow can be told from one that is dead, and only a wait
/// costs messages. On machines that trust their nodes (PeerChoice) it does nothing.
///
/// A node that is gone may come back: after a while the next request to it is tried again. Late answers are dropped
/// (Expectations). A node that was started again says so, or refuses messages: it is gone, too, and its programs do not
/// come back.
class Peers {
 public:
  class Waiter {
   public:
    virtual void lost(hal::NodeId) = 0;

   protected:
    ~Waiter() = default;
  };

  Peers(Endpoint& endpoint, const Protocol& protocol);

  /// Whether any node can be taken for gone.
  bool can_lose() const { return !os::counting && os_.watched_peers().has_value(); }
  /// This node asks `node` for a reply. Returns false if the node is gone, so that nothing will come.
  bool expects(hal::NodeId node) { return !can_lose() || can_answer(node); }
  /// A reply of the node has come.
  void came(hal::NodeId node) {
    if (can_lose()) [[unlikely]]
      answered(node);
  }

  /// Calls `waiter` if the node is lost from now on. Returns false if it is lost already. No-op where no node can be
  /// lost.
  bool watch(hal::NodeId node, Waiter& waiter) { return !can_lose() || can_watch(node, waiter); }
  void unwatch(hal::NodeId node, Waiter& waiter) {
    if (can_lose()) [[unlikely]]
      forget(node, waiter);
  }

  /// Whether this node has ever taken the other one for gone.
  bool was_lost(hal::NodeId node) const { return losses_ > 0 && has_lost(node); }
  /// How often it has taken another one for gone.
  std::uint64_t losses() const { return losses_; }

 private:
  struct Peer {
    std::uint32_t replies = 0;  // that it owes
    std::vector<Waiter*> waiters;
    Time asked{};  // since when it waits
    Time heard{};
    std::uint32_t unanswered = 0;
    std::uint32_t incarnation = 1;  // how often it has been started, as it says
    bool gone = false, was_lost = false;
    bool waited_for() const { return replies > 0 || !waiters.empty(); }
  };
  bool can_answer(hal::NodeId node);
  bool can_watch(hal::NodeId node, Waiter& waiter);
  void forget(hal::NodeId node, Waiter& waiter);
  bool has_lost(hal::NodeId node) const;
  void answered(hal::NodeId node);
  Peer& wait_for(hal::NodeId node);
  void waited(std::uint64_t ended);
  bool gone(Peer& peer) const;
  void look();
  void lose(hal::NodeId node);
  void answered(hal::NodeId node, std::uint32_t incarnation);

  Endpoint& endpoint_;
  const Protocol& protocol_;
  os::Os& os_;
  os::Alarm alarm_;
  boost::container::flat_map<hal::NodeId, Peer> peers_;
  std::uint64_t waits_ = 0;  // replies and waiters of all peers
  std::uint64_t losses_ = 0;
};

}  // namespace sunstar::messages
