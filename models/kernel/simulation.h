// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar {

/// Makes a T that lives until the process ends and is never destroyed. A simulation is the last work of its process,
/// and the kernel searches all ports for each destroyed one: destroying a torus of 256 x 256 routers would take longer
/// than building it.
template <class T, class... Arguments>
T& never_destroyed(Arguments&&... arguments) {
  static auto* const all = new std::vector<std::unique_ptr<T>>;  // reachable, so that no leak is reported
  return *all->emplace_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
}

/// sc_start() with these arguments. The kernel turns an exception of a process into a report; start() turns the report
/// into a SimulationError with the exception's own sentence.
template <class... Arguments>
void start_kernel(const Arguments&... arguments) {
  try {
    sc_core::sc_start(arguments...);
  } catch (const sc_core::sc_report& report) {
    throw SimulationError(report.get_msg());
  }
}

/// Pauses the simulation at the time at which here() was called. The pause is an event of the kernel, so a timetable
/// that runs ahead of the kernel does not pass it.
struct Halt : TimedModule {
  explicit Halt(const sc_core::sc_module_name& name) : TimedModule(name) {
    SC_HAS_PROCESS(Halt);
    SC_METHOD(halt);
    sensitive << event;
    dont_initialize();
  }
  void here() { notify_at(event, now()); }
  void halt() { sc_core::sc_pause(); }
  sc_core::sc_event event;
};

}  // namespace sunstar
