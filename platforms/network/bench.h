// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <systemc>

#include "models/kernel/halt.h"
#include "models/kernel/timetable.h"
#include "models/network/cube/cube_network.h"
#include "models/network/message_monitor.h"
#include "platforms/kit/run/watching.h"
#include "platforms/network/measurement.h"
#include "platforms/network/source.h"
#include "platforms/network/terminals.h"

namespace sunstar::traffic {

/// Synthetic traffic is measured for at most so many times workload.measured.
inline constexpr int most_windows = 10;

/// A network with terminals for nodes.
class Bench : public sc_core::sc_module {
  Duration cycle_;

 public:
  /// Calls `progress` with the share of the longest time that the run may take. Throws ConfigError for a trace that
  /// cannot be read.
  Bench(const sc_core::sc_module_name& name, const Config& config, std::uint64_t seed, kit::Watching& watching,
        std::function<void(double)> progress = {});

  /// Runs until `when`, or until all measured messages have arrived if that is asked for. Throws SimulationError for a
  /// deadlock.
  void run(Time when, bool until_drained = false);
  Measurement measurement;

 private:
  Timetable timetable_;
  std::unique_ptr<Source> source_;

 public:
  // Before the network: what is created in a cycle is there when the network looks at that cycle.
  Terminals terminals;
  std::unique_ptr<network::CubeNetwork> network;

 private:
  void arrived(const Terminals::Arrival& a);
  void halt();

  Halt halt_{"halt"};
  std::unique_ptr<network::MessageMonitor> monitor_;
  bool stop_when_drained_ = false;
  std::function<void(double)> progress_;
  Time told_{};
  Duration step_{};
};

}  // namespace sunstar::traffic
