// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <vector>

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

}  // namespace sunstar::messages
