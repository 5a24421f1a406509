// SPDX-License-Identifier: MIT
#pragma once
#include <limits>

#include "sw/messages/endpoint.h"

namespace sunstar::messages {

/// A barrier over the network among a fixed group of processes: every member reports to the first one, which then
/// releases all others. Members on the same node share its messages.
///
/// The barrier goes on without the members of nodes that are gone. A waiting member watches the first member, and the
/// first member watches the members that have not come yet. If the first is gone, the next one takes its place, and
/// asks the others where they are: the first may have released some of them. A node that is there although others have
/// taken it for gone stops itself.
class Barrier {
 public:
  Barrier(std::vector<Endpoint*> members, Numbers& numbers);
  /// Returns when all members that are there have called it.
  os::Task<> wait(std::size_t member);
  /// The first member that is not gone, as far as `member` knows.
  std::size_t first(std::size_t member) const;
  /// The members that `member` knows to be gone.
  std::vector<std::uint32_t> gone(std::size_t member) const;

 private:
  using Round = std::uint64_t;
  struct Word {
    std::uint32_t member;
    Round round;
  };
  /// A node and what it knows.
  struct Node final : Peers::Waiter {
    Node(Barrier& b, Endpoint& e) : barrier(b), endpoint(e) {}
    void lost(hal::NodeId node) override;

    Barrier& barrier;
    Endpoint& endpoint;
    std::vector<std::size_t> members;
    Round released = 0;  // the last round that is over
    // Of the first node:
    std::vector<char> gone;      // by node
    std::vector<Round> arrived;  // by member: the last round that it has told this node of
    std::vector<char> watched;   // by node
    Round over = 0;              // the last round at which all members were
    Round latest = 0;            // the last round at which a member was,
    std::size_t late = 0;        // and how many members have not come to it
  };
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// Tells a node that it has been taken for gone; asks it at which rounds its members are.
  static constexpr Round every = std::numeric_limits<Round>::max(), where = every - 1;

  void release(const Node& node);
  os::Task<> release_all(Node& first);
  std::size_t first_node(const Node& node) const;
  void arrived(Node& at, std::size_t member, Round round);
  void look(Node& at);
  void send(Node& from, std::size_t to, Round round);
  void say_where(const Node& node, hal::NodeId to);

  std::vector<Endpoint*> members_;
  std::vector<std::unique_ptr<Node>> nodes_;  // beginning with the first member's
  std::vector<std::size_t> node_of_;          // by member
  const Kind<Word> arrive_, release_;
  std::vector<os::WaitQueue> released_;
  std::vector<Round> rounds_;  // by member: at which it is, or was last
};

}  // namespace sunstar::messages
