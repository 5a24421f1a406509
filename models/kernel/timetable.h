// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/core/quantity.h"

namespace sunstar {

/// One timed kernel event for many parts. Each part has an alarm, set to one time or to none; the timetable keeps the
/// alarms in order and asks the kernel for the earliest only. That costs less than a kernel event each (figures:
/// docs/performance.md), and an alarm that is put off, as an interrupt does to the work of a processor, costs no event
/// at all.
///
/// For the parts that every message passes through; the others have events of their own.
class Timetable : public sc_core::sc_module {
 public:
  class Alarm {
   public:
    /// Called at the time the alarm was set to, which is off by then.
    virtual void ring() = 0;

   protected:
    explicit Alarm(Timetable& timetable) : table_(timetable), place_(timetable.add(*this)) {}
    Alarm(const Alarm&) = delete;
    ~Alarm() = default;
    /// Replaces what the alarm was set to. Not before now; Time::max() is never.
    void set(Time when) { table_.set(place_, when); }

   private:
    Timetable& table_;
    std::uint32_t place_;
  };

  explicit Timetable(const sc_core::sc_module_name& name);

  /// From now on, while nothing else is pending before the next alarm, that rings without another kernel event, ahead
  /// of the kernel's time (local_lead in sc_time_bridge.h): about half the kernel's events of a run are saved.
  /// sc_start(t) would not stop it at t; an alarm at `until` or later is left to the kernel. Parts with events of their
  /// own set them by notify_at() and take the time from now().
  void run_ahead(Time until = Time::max()) { ahead_until_ = until; }

 private:
  /// An alarm, or the earliest of those below a node of the tree.
  struct Entry {
    Time when = Time::max();
    std::uint32_t alarm = 0;
  };

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t add(Alarm&);
  void set(std::uint32_t alarm, Time when);
  void play(std::uint32_t alarm);
  void ring();
  void ask_kernel();
  bool others_may_run(Time kernel);

  // A tournament: the leaves are the alarms, every node above them the earlier of its two children, the root is node 1.
  // Of two at the same time the one that was made first wins, so their order does not depend on history.
  std::vector<Entry> tree_;
  std::uint32_t leaves_ = 1;
  std::vector<Alarm*> alarms_;
  std::uint32_t ringing_ = none;
  Time ahead_until_ = Time::min();
  Time asked_ = Time::max();  // when the kernel will call
  sc_core::sc_event event_;
  Time looked_at_ = Time::max();  // when others_may_run() was asked last, and how many times were noted then
  std::uint64_t looked_count_ = 0;
};

}  // namespace sunstar
