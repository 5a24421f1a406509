// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "sw/os/interrupt_entry.h"

namespace sunstar::os {

class Alarm;

/// Calls functions at later times, on the cores that have asked for it.
class Timers : public InterruptEntry {
 public:
  /// Calls `action` at `t`; at once if `t` is the end of the handler that is running, whose time is charged already.
  /// Where instructions are counted, it always is.
  template <class Action>
  void after(Time t, Action&& action) {
    if (counting || (t <= handler_end_ && handler_end_ > now())) action();
    else call_at(t, std::forward<Action>(action));
  }
  /// Calls `action` at `t`, unless the executive stops before, or the run ends.
  void after_if_on(Time t, std::function<void()> action) { call_at(t, std::move(action), Stage::timer, false); }
  /// Sleeps until `t`; returns at once if `t` has passed.
  Task<> sleep_until(Time t);
  /// The run is over, and nothing is under way: timers of alarms that are not set are forgotten.
  void forget_timers();

 protected:
  struct Call final : hal::Callback, boost::intrusive::list_base_hook<> {
    explicit Call(Timers& its_timers) : timers(its_timers) {}
    void run() override { timers.due(*this); }

    Timers& timers;
    std::function<void()> action;
    bool counts = true;          // whether it counts as activity
    hal::RequestId request = 0;  // of the code that asked for it
    Stage wait = Stage::memory;
    std::uint32_t core = 0;  // of the code that asked for it
    Path* path = nullptr;    // for the observer
  };

  using InterruptEntry::InterruptEntry;
  virtual ~Timers();
  Call& call_at(Time t, std::function<void()> action, Stage wait = Stage::memory, bool counts = true);
  void cancel_alarms();

 private:
  friend class Alarm;
  void due(Call& call);
  /// Does not make a call that does not count.
  void forget(Call& call);
  void give_back(Call& call);

  std::vector<Alarm*> alarms_;
  std::vector<Call*> spare_calls_;
  boost::intrusive::list<Call> calls_;
};

/// Calls an action when a limit of waiting has passed. It is moved on far more often than it goes off, so moving it on
/// costs nothing: the timer looks again when the old time has come. It must live as long as the executive. Firmware
/// that is counted meets no limits.
class Alarm {
 public:
  Alarm(Timers& timers, std::function<void()> action) : timers_(timers), action_(std::move(action)) {
    timers.alarms_.push_back(this);
  }
  Alarm(const Alarm&) = delete;

  void set(Time t) {
    if (counting || timers_.off()) return;
    if (due_ == Time::max()) timers_.activity_.begin();
    due_ = t;
    if (asked_ <= t) return;
    asked_ = t;
    call_ = &timers_.call_at(
        t, [this, t] { passed(t); }, Stage::timer, false);
  }
  void cancel() {
    if (std::exchange(due_, Time::max()) != Time::max()) timers_.activity_.end();
  }
  Time due() const { return due_; }
  /// Forgets the call if the alarm is not set.
  void forget_timer() {
    if (due_ != Time::max() || asked_ == Time::max()) return;
    asked_ = Time::max();
    timers_.forget(*call_);
  }

 private:
  void passed(Time t) {
    if (asked_ != t) return;  // an earlier one has been asked for since
    asked_ = Time::max();
    if (due_ == Time::max()) return;
    if (due_ > timers_.now()) return set(due_);
    cancel();
    action_();
  }

  Timers& timers_;
  std::function<void()> action_;
  Time due_ = Time::max();        // when it is to go off; max: never
  Time asked_ = Time::max();      // when the timer calls next; max: it does not
  Timers::Call* call_ = nullptr;  // that call
};

}  // namespace sunstar::os
