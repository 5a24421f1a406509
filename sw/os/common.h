// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "models/node/hal.h"
#include "sw/os/counted.h"
#include "sw/os/params.h"

namespace sunstar::os {

/// Counts what is under way among the executives of one machine: stretches of computing, timers that threads wait for,
/// limits of waiting, messages under way, and disk commands that have not ended. Sleeping daemons do not count, so a
/// machine in which only daemons wake up can be told from one that makes progress.
class Activity {
 public:
  void begin() {
    const NotOnTheMachine mark;
    ++pending_, idle_sleeps_ = 0;
  }
  /// The same for the computing of a daemon, which alone is no progress.
  void begin_of_daemon() { ++pending_; }
  void end() {
    const NotOnTheMachine mark;
    if (--pending_ == 0 && retired_) when_quiet();
  }
  bool none() const { return pending_ == 0; }

  /// A daemon goes to sleep while nothing is under way. Returns false once that has happened too often in a row: then
  /// no daemon will bring what the other threads wait for.
  bool may_sleep_again() { return ++idle_sleeps_ < most_idle_sleeps; }

  /// The run is over: from now on, a daemon that goes to sleep is not woken again, so that the simulation can end.
  void retire_daemons() {
    retired_ = true;
    if (none()) when_quiet();
  }
  bool retired() const { return retired_; }
  /// Called when the run is over and nothing is under way (any more).
  std::function<void()> when_quiet = [] {};

 private:
  static constexpr std::uint64_t most_idle_sleeps = 100'000;
  std::uint64_t pending_ = 0, idle_sleeps_ = 0;
  bool retired_ = false;
};

/// What the executives of one machine have in common. It outlives them.
struct Common {
  /// `issue_width`: how many instructions a cycle the processors complete; the costs hold for one. Those of sockets are
  /// measured times.
  explicit Common(const Costs& costs, const std::optional<SocketParams>& its_sockets = {}, double issue_width = 1)
      : cycles(its_sockets ? its_sockets->added_to(costs.table(issue_width)) : costs.table(issue_width)),
        sockets(its_sockets) {}

  const CostTable cycles;
  const std::optional<SocketParams> sockets;  ///< if messages go through sockets
  Activity activity;
  hal::RequestId requests = 0;           ///< numbered so far
  std::optional<Watched> peers;          ///< if nodes notice that others are gone
  std::optional<Acknowledged> delivery;  ///< if the network may lose messages; set before executives are made
  /// Takes the power from a node that others have taken for gone, so that it does no harm.
  std::function<void(hal::NodeId)> fence = [](hal::NodeId) {};
};

}  // namespace sunstar::os
