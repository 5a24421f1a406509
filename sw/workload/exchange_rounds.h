// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/durations.h"
#include "sw/messages/exchange.h"
#include "sw/workload/job.h"

namespace sunstar::workload {

/// The rounds of an application that exchanges messages instead of using files, and what they took.
struct ExchangeRounds {
  messages::Schedule schedule;
  std::uint32_t rounds = 1;  ///< of each process
  Duration compute{}, period{};

  /// How long rounds took, or parts of them.
  struct Times {
    Durations all;
    Duration sum{};
    void add(Duration d) {
      all.add(d);
      sum += d;
    }
  };
  Times round;                 ///< from its start, before computing, until the last message is there
  Times communication;         ///< without computing
  std::uint64_t messages = 0;  ///< that have arrived
  /// What a process waits for before it computes in a round, and, with `round` = rounds, what it does after the last.
  std::function<os::Task<>(std::size_t member, std::uint32_t round, os::Os& os)> before{};
};

/// The program of processor `p` of such an application; `team` has the exchange. It computes, exchanges messages and
/// waits for the next period, and ends when all processors of its team have made their rounds.
os::Task<> exchange_messages(Job& job, os::Os& os, Team& team, std::uint32_t p);

}  // namespace sunstar::workload
