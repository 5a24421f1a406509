// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sw/messages/endpoint.h"

namespace sunstar::messages {

/// Who sends what to whom in a round of an exchange: all messages have the same length. A process sends its messages of
/// a step, one after the other, then waits for those that it gets in that step, then comes to the next step. Tags,
/// below `tags`, tell the messages apart that a process sends in a round.
struct Schedule {
  struct Message {
    std::uint32_t peer = 0, tag = 0;
  };
  struct Step {  // NOLINT(bugprone-exception-escape): moving its messages allocates nothing
    boost::container::small_vector<Message, 6> sends, receives;
    bool combines = false;  ///< a process combines its own data with each message that it gets, as a sum does
  };
  std::uint32_t members = 1, steps = 0, tags = 0;
  std::uint32_t bytes = 0;     ///< of a message
  std::uint64_t messages = 0;  ///< of all members in a round
  std::function<Step(std::uint32_t member, std::uint32_t step)> step;
};

/// Every process of a periodic grid sends `bytes` to the next and to the previous one in each dimension: the first and
/// the last are neighbours. In a dimension of two both are the same process, which gets two messages; in a dimension of
/// one there is nobody. `grid`: processes in each dimension; the last dimension is that of consecutive processes.
Schedule neighbours(std::vector<std::uint32_t> grid, std::uint32_t bytes);
/// Every process sends `bytes` to every other, the next one first.
Schedule all_to_all(std::uint32_t members, std::uint32_t bytes);
/// All processes learn the combination of `bytes` of each by recursive doubling: in step i each exchanges its whole
/// vector with the process whose number differs in bit i. If the number of processes is no power of two, as many as
/// there are too many first give their vectors to their neighbours, and get the result from them at the end (Thakur,
/// Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005).
Schedule allreduce(std::uint32_t members, std::uint32_t bytes);
/// The same round a ring: in each of 2 (n - 1) steps a process sends an n-th of a vector, rounded up, to the next one.
/// The first half of the steps combines, the second half passes on.
Schedule allreduce_ring(std::uint32_t members, std::uint32_t bytes);

/// Messages with data among a fixed group of processes, each on a node of its own, round after round by a schedule: an
/// exchange with neighbours, or a collective such as an allreduce. Nobody acknowledges a message, and a message of a
/// later step or round may come early.
///
/// A process's messages of a round have contents of their own, which are checked when they arrive; a wrong byte, or a
/// message that comes twice or is none of the schedule's, ends the run by a SimulationError. A member that waits for a
/// message watches its sender (Peers): the messages of a node that is gone are missing, and the round goes on without
/// them.
class Exchange {
 public:
  /// `number` tells the contents of several exchanges of a run apart.
  Exchange(const std::vector<Endpoint*>& members, Schedule schedule, std::uint32_t number, Numbers& numbers);

  /// The member sends schedule.bytes from here, and gets as many behind them. Called before its first round.
  void use(std::size_t member, std::byte* buffer) { members_[member]->buffer = buffer; }

  /// Messages of a round that a member has got, and those that will not come.
  struct Got {
    std::uint64_t messages = 0, missing = 0;
  };
  /// The member's next round; returns when it has sent its messages and all of its own are there.
  os::Task<Got> round(std::size_t member);
  /// The member makes no more rounds. Throws SimulationError if a message has come that it did not wait for.
  void ends(std::size_t member) const;

 private:
  /// The message's number among those that all members send in all rounds.
  struct Header {
    std::uint64_t number;
  };
  struct Member final : Peers::Waiter {
    Member(const Exchange& all, Endpoint& e) : exchange(all), endpoint(e), woken(e.os, "a message of an exchange") {}
    void lost(hal::NodeId node) override {
      gone.insert(node);
      woken.wake_all();
    }
    void came(std::uint64_t number);
    const Exchange& exchange;
    Endpoint& endpoint;
    os::WaitQueue woken;
    std::byte* buffer = nullptr;
    std::uint64_t rounds = 0;
    std::uint64_t awaited = none;                      // the number of the message that it waits for
    boost::unordered_flat_set<std::uint64_t> arrived;  // the numbers of messages whose data are there
    boost::unordered_flat_set<hal::NodeId> gone;
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  os::Task<bool> wait(Member& me, std::uint64_t number, hal::NodeId from);
  void arrived(Member& me, hal::Message& m);
  void check(const Member& at, std::uint64_t number, const content::Content& data) const;
  /// What all messages of that round and sender hold.
  content::Content content(std::uint64_t number) const;
  [[noreturn]] void fail(std::uint64_t number, const Member& at, const std::string& what) const;

  const Schedule schedule_;
  const Kind<Header> message_;
  const content::Source source_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace sunstar::messages
