// SPDX-License-Identifier: MIT
#pragma once
#include "models/kernel/sc_time_bridge.h"

namespace sunstar {

/// Serves many parts with one timed kernel event. Each part has an alarm, set to one time or to none; the timetable
/// keeps the alarms in order and asks the kernel only for the earliest. That costs less than a kernel event for each
/// part (figures: docs/performance.md), and postponing an alarm, as an interrupt postpones the work of a processor,
/// costs no event at all.
///
/// All parts of a machine use it; a model from elsewhere has events of its own.
class Timetable : public TimedModule {
 public:
  class Alarm {
   public:
    /// Called at the time of the alarm; the alarm is off by then.
    virtual void ring() = 0;

   protected:
    explicit Alarm(Timetable& timetable) : table_(timetable), place_(timetable.add(*this)) {}
    Alarm(const Alarm&) = delete;
    ~Alarm() = default;
    /// Sets the alarm to `when`, not before now, in place of any earlier setting. Time::max() means never.
    void set(Time when) { table_.set(place_, when); }

   private:
    Timetable& table_;
    std::uint32_t place_;
  };

  /// An alarm that calls a function of its owner.
  template <class Owner, void (Owner::*Ring)()>
  class Call final : private Alarm {
   public:
    Call(Timetable& timetable, Owner& owner) : Alarm(timetable), owner_(owner) {}
    using Alarm::set;

   private:
    void ring() override { (owner_.*Ring)(); }
    Owner& owner_;
  };

  explicit Timetable(const sc_core::sc_module_name& name);

  /// From now on, while nothing else is pending before the next alarm, the alarm rings ahead of the kernel's time
  /// (alarm_time in sc_time_bridge.h) without another kernel event; results are the same
  /// (docs/decisions/0011-timetable-runs-ahead.md). sc_start(t) would not stop it at t, so alarms at `until` or later
  /// are left to the kernel. Beside foreign modules it never runs ahead.
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
  void start_of_simulation() override;
  void ring();
  void ask_kernel();
  bool others_may_run(Time kernel);

  // A tournament: the leaves are the alarms, every node above them the earlier of its two children, the root is node 1.
  // Of two alarms at the same time the alarm created first wins, so their order does not depend on history.
  std::vector<Entry> tree_;
  std::uint32_t leaves_ = 1;
  std::vector<Alarm*> alarms_;
  std::uint32_t ringing_ = none;
  Time ahead_until_ = Time::min();
  bool among_foreigners_ = false;
  Time asked_ = Time::max();  // when the kernel will call
  sc_core::sc_event event_;
  Time looked_at_ = Time::max();  // when others_may_run() last looked, and how many times were noted then
  std::uint64_t looked_count_ = 0;
};

}  // namespace sunstar
