// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <systemc>

#include "models/kernel/start_and_halt.h"
#include "models/kernel/timetable.h"
#include "models/network/fabric.h"
#include "models/network/message_monitor.h"
#include "platforms/network/measurement.h"
#include "platforms/network/source.h"
#include "platforms/network/terminals.h"

namespace sunstar::traffic {

/// Synthetic traffic is measured for at most this many times workload.measured.
inline constexpr int most_windows = 10;

/// A network with terminals in place of nodes.
class Bench : public sc_core::sc_module {
  network::Pace pace_;

 public:
  /// Reports to `progress` how much of the run's longest possible time has passed. Throws ConfigError for a trace that
  /// cannot be read and for a fault that strikes nothing.
  Bench(const sc_core::sc_module_name& name, const Config& config, std::uint64_t seed, const Probe& probe,
        std::function<void(double, std::string_view)> progress = {});

  /// Runs until `when` or, with `until_drained`, until all measured messages have arrived if that is earlier. Throws
  /// SimulationError for a deadlock.
  void run(Time when, bool until_drained = false);
  Measurement measurement;

 private:
  Timetable timetable_;
  std::unique_ptr<Source> source_;

 public:
  // Declared before the network, so that a cycle's new messages are there when the network looks at that cycle.
  Terminals terminals;
  std::unique_ptr<network::Fabric> network;

 private:
  void add_faults(const Config& config, std::uint64_t seed, const Probe& probe);
  void arrived(const Terminals::Arrival& a);
  void end_if_finished();
  void halt();

  Halt halt_{"halt"};
  std::unique_ptr<network::MessageMonitor> monitor_;
  bool stop_when_drained_ = false;
  std::function<void(double, std::string_view)> progress_;
  Time told_{};
  Duration step_{};
};

}  // namespace sunstar::traffic
