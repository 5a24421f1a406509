// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <queue>
#include <systemc>

#include "models/core/quantity.h"

// The kernel and Sunstar both count time in picoseconds (sc_set_time_resolution(1, SC_PS), once, before elaboration).
namespace sunstar {

inline sc_core::sc_time to_sc(Duration d) {
  if (d == Duration{}) return sc_core::SC_ZERO_TIME;  // frequent, and from_value() is a call into the library
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(d.count()));
}
inline Duration from_sc(const sc_core::sc_time& t) { return Duration{static_cast<std::int64_t>(t.value())}; }

/// The kernel's time, without the call into the library that sc_time_stamp() makes: every event asks for it several
/// times.
inline Time kernel_now() { return Time{from_sc(sc_core::sc_get_curr_simcontext()->time_stamp())}; }

/// What timetables and the parts that call the kernel know of each other's times. There is one, as the kernel has one
/// current time; nobody reaches it but the three friends.
class KernelTimes {
  friend class Timetable;
  friend Time now();
  friend void notify_at(sc_core::sc_event& event, Time when);

  /// Notifies the event at `when`, which is not before now(), without noting the time: a timetable's own event.
  static void notify(sc_core::sc_event& event, Time when) { event.notify(to_sc(within_horizon(when) - kernel_now())); }
  /// Whether another part's event is or was due at `t`, the kernel's current time.
  static bool due_at(Time t) {
    while (!noted_.empty() && noted_.top() < t) noted_.pop();
    return !noted_.empty() && noted_.top() == t;
  }

  /// The time of the alarm that a timetable is calling, which may be ahead of the kernel's time (temporal decoupling,
  /// IEEE 1666-2011, 9.2); Time::max() while none is called. Every message reads the time some twenty times, and this
  /// variable is quicker to read than the kernel's time.
  static inline Time alarm_ = Time::max();
  /// The times for which parts other than timetables have set their events. A timetable that runs ahead must know
  /// whether another process is to run at the kernel's current time: the kernel reports pending events, but not
  /// processes that are runnable already.
  static inline std::priority_queue<Time, std::vector<Time>, std::greater<>> noted_;
  static inline std::uint64_t count_ = 0;  ///< times noted so far
};

/// The caller's current simulated time. Delays in transport calls count from it.
inline Time now() { return KernelTimes::alarm_ != Time::max() ? KernelTimes::alarm_ : kernel_now(); }

/// Notifies the event at `when`, which is not before now().
inline void notify_at(sc_core::sc_event& event, Time when) {
  KernelTimes::noted_.push(when);
  ++KernelTimes::count_;
  KernelTimes::notify(event, when);
}

/// A module with processes that know of timetables: they read the time from now() and set their events with
/// notify_at(). A process of any other module is foreign: it has the kernel's time, and a timetable beside it does not
/// run ahead of that.
class TimedModule : public sc_core::sc_module {
 protected:
  explicit TimedModule(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace sunstar
