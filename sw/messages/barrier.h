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
///
/// A member may say a word, which costs nothing. All learn it, or `differ` if the others have said other words.
class Barrier {
 public:
  Barrier(std::vector<Endpoint*> members, Numbers& numbers);
  using Said = std::uint32_t;
  static constexpr Said nothing = 0, differ = std::numeric_limits<Said>::max();
  /// Returns when all members that are there have called it, and what they have said.
  os::Task<Said> wait(std::size_t member, Said said = nothing);
  /// The first member that is not gone, as far as `member` knows.
  std::size_t first(std::size_t member) const;
  std::vector<std::uint32_t> gone(std::size_t member) const;

 private:
  using Round = std::uint64_t;
  struct Word {
    std::uint32_t member;
    Said said;
    Round round;
  };
  struct Node final : Peers::Waiter {
    Node(Barrier& b, Endpoint& e) : barrier(b), endpoint(e) {}
    void lost(hal::NodeId node) override;

    Barrier& barrier;
    Endpoint& endpoint;
    std::vector<std::size_t> members;
    Round released = 0;   // the last round that is over,
    Said said = nothing;  // and what was said there
    // Of the first node:
    std::vector<char> gone;      // by node
    std::vector<Round> arrived;  // by member: the last round that it has told this node of,
    std::vector<Said> words;     // and what it said there
    std::vector<char> watched;   // by node
    Round over = 0;              // the last round at which all members were,
    Said together = nothing;     // and what they have said
    Round latest = 0;            // the last round at which a member was,
    std::size_t late = 0;        // and how many members have not come to it
  };
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// Tells a node that it has been taken for gone; asks it at which rounds its members are.
  static constexpr Round every = std::numeric_limits<Round>::max(), where = every - 1;

  void release(const Node& node);
  os::Task<> release_all(Node& first);
  std::size_t first_node(const Node& node) const;
  void arrived(Node& at, const Word& word);
  void look(Node& at);
  void send(Node& from, std::size_t to, Round round);
  Word word(std::size_t member) const { return {static_cast<std::uint32_t>(member), said_[member], rounds_[member]}; }
  Word release_word(const Node& from, Round round) const {
    return {static_cast<std::uint32_t>(from.members.front()), from.said, round};
  }
  void say_where(const Node& node, hal::NodeId to);

  std::vector<Endpoint*> members_;
  std::vector<std::unique_ptr<Node>> nodes_;  // beginning with the first member's
  std::vector<std::size_t> node_of_;          // by member
  const Kind<Word> arrive_, release_;
  std::vector<os::WaitQueue> released_;
  std::vector<Round> rounds_;  // by member: at which it is, or was last,
  std::vector<Said> said_;     // and what it says there
};

}  // namespace sunstar::messages
