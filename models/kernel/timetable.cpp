// SPDX-License-Identifier: MIT
#include "models/kernel/timetable.h"

#include <algorithm>

namespace sunstar {

namespace {

/// The time until another process has work in the kernel.
Duration until_pending() {
  const auto ps = sc_core::sc_time_to_pending_activity().value();
  return ps > static_cast<std::uint64_t>(Duration::max().count()) ? Duration::max()
                                                                  : Duration{static_cast<std::int64_t>(ps)};
}

/// Whether one of these objects, or an object below one, is a process of a module that knows nothing of timetables.
bool has_foreign_process(const std::vector<sc_core::sc_object*>& objects) {
  return std::ranges::any_of(objects, [](const sc_core::sc_object* object) {
    const bool process = dynamic_cast<const sc_core::sc_process_b*>(object) != nullptr;
    return (process && !dynamic_cast<const TimedModule*>(object->get_parent_object())) ||
           has_foreign_process(object->get_child_objects());
  });
}

}  // namespace

Timetable::Timetable(const sc_core::sc_module_name& name) : TimedModule(name), tree_(2) {
  SC_HAS_PROCESS(Timetable);
  SC_METHOD(ring);
  sensitive << event_;
  dont_initialize();
}

void Timetable::start_of_simulation() { among_foreigners_ = has_foreign_process(sc_core::sc_get_top_level_objects()); }

std::uint32_t Timetable::add(Alarm& alarm) {
  const auto place = static_cast<std::uint32_t>(alarms_.size());
  alarms_.push_back(&alarm);
  if (place == leaves_) {
    const std::vector<Entry> before(tree_.begin() + leaves_, tree_.end());
    leaves_ *= 2;
    tree_.assign(2 * std::size_t{leaves_}, {});
    for (std::uint32_t i = 0; i < place; ++i) set(i, before[i].when);
  }
  set(place, Time::max());
  return place;
}

void Timetable::set(std::uint32_t alarm, Time when) {
  tree_[leaves_ + alarm] = {when, alarm};
  if (alarm == ringing_) return;  // ring() plays it when the alarm has rung
  play(alarm);
  if (ringing_ == none) ask_kernel();
}

void Timetable::play(std::uint32_t alarm) {
  Entry winner = tree_[leaves_ + alarm];
  for (std::uint32_t node = leaves_ + alarm; node > 1; node /= 2) {
    const Entry other = tree_[node ^ 1];
    const Duration right{node & 1};                      // of two equals the left one wins
    const bool lost = other.when - right < winner.when;  // no branch, which the processor could not predict
    winner.when = lost ? other.when : winner.when;
    winner.alarm = lost ? other.alarm : winner.alarm;
    tree_[node / 2] = winner;
  }
}

void Timetable::ring() {
  asked_ = Time::max();
  const Time start = kernel_now();
  // Pending events change only when a part notes a time: the kernel need not be asked before every alarm.
  std::uint64_t noted = KernelTimes::count_;
  Duration pending = until_pending();
  struct Over {  // restores even if an alarm throws
    ~Over() { KernelTimes::alarm_ = Time::max(); }
  } over;
  for (Time t = start;; t = tree_[1].when) {
    KernelTimes::alarm_ = t;
    while (tree_[1].when <= t) {
      ringing_ = tree_[1].alarm;
      tree_[leaves_ + ringing_].when = Time::max();
      alarms_[ringing_]->ring();
      play(ringing_);
    }
    if (tree_[1].when >= ahead_until_ || among_foreigners_) break;  // or no alarm is set
    if (t == start && others_may_run(start)) {
      // Others may be runnable in this evaluation: let them run, then look again.
      ringing_ = none;
      event_.notify(sc_core::SC_ZERO_TIME);
      asked_ = start;
      return;
    }
    if (noted != KernelTimes::count_) {
      noted = KernelTimes::count_;
      pending = until_pending();
    }
    // Other parts' events come first, even at the same time: they may have been set earlier.
    if (pending <= tree_[1].when - start) break;
  }
  ringing_ = none;
  ask_kernel();
}

/// Whether another part may have to run at the kernel's time: an event is due then that was not known at the last call.
bool Timetable::others_may_run(Time kernel) {
  if (!KernelTimes::due_at(kernel)) return false;
  const bool looked = looked_at_ == kernel && looked_count_ == KernelTimes::count_;
  looked_at_ = kernel;
  looked_count_ = KernelTimes::count_;
  return !looked;
}

// If the earliest alarm is postponed, the kernel calls too early; ring() then asks it again. Without any alarm, the
// kernel need not go on.
void Timetable::ask_kernel() {
  const Time when = tree_[1].when;
  if (when == Time::max()) event_.cancel();
  else if (when < asked_) KernelTimes::notify(event_, when);
  else return;
  asked_ = when;
}

}  // namespace sunstar
