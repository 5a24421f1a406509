// SPDX-License-Identifier: MIT
#pragma once
#include <systemc>

namespace sunstar {

/// A module with processes that know of timetables: they read the time from now() and set their events with notify_at()
/// (sc_time_bridge.h). A process of any other module is foreign: it has the kernel's time, and a timetable beside it
/// does not run ahead of that.
class TimedModule : public sc_core::sc_module {
 protected:
  explicit TimedModule(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace sunstar
