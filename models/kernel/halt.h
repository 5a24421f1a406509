// SPDX-License-Identifier: MIT
#pragma once
#include <systemc>

#include "models/kernel/sc_time_bridge.h"
#include "models/kernel/timed_module.h"

namespace sunstar {

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
