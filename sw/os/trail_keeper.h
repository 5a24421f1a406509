// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>

#include "models/core/trail.h"
#include "sw/os/counted.h"

namespace sunstar::os {

/// An executive's part in the trails of its machine (models/core/trail.h): what runs on the processor goes on with the
/// trail of what woke it, or of what had the processor before. Does nothing unless the run is to be explained.
class TrailKeeper {
 public:
  explicit TrailKeeper(Trails* trails) : trails_(trails) {}
  Trails* trails() const { return trails_; }
  /// The node's computing counts for that stage.
  void set_up(const std::string& node, Stage computing) {
    if (!trails_) return;
    computing_ = computing;
    ready_queue_ = &trails_->queue(node + ".ready_threads");
    handler_queue_ = &trails_->queue(node + ".interrupts");
  }

  /// What runs now wakes a thread, or computes from now on.
  void mark(Trail& thread) const {
    const NotOnTheMachine apart;
    if (trails_) [[unlikely]]
      thread = trails_->current;
  }
  /// It has computed until now.
  void computed(const Trail& thread, Time now) const {
    const NotOnTheMachine apart;
    if (!trails_) [[likely]]
      return;
    trails_->current = thread;
    trails_->lead_on(now, computing_);
  }
  /// A ready thread gets the processor. If it had to wait, it goes on because what ran there before is done.
  void dispatched(const Trail& thread, Time now) const {
    const NotOnTheMachine apart;
    if (!trails_) [[likely]]
      return;
    ready_queue_->add(now - thread.at);
    if (thread.at >= now) trails_->current = thread;
  }
  /// An interrupt comes; the handler before it ends, or ended, at `busy_until`.
  void interrupted(Time now, Time busy_until) {
    const NotOnTheMachine apart;
    if (!trails_) [[likely]]
      return;
    if (busy_until > now) {
      handler_queue_->add(busy_until - now);
      computed(handler_, now);
    }
    handler_ = trails_->current;
  }
  /// Something is to be done at `t`; the handler that is running ends at `handler_end`.
  void deferred(Trail& action, Time now, Time t, Time handler_end) const {
    const NotOnTheMachine apart;
    if (!trails_) [[likely]]
      return;
    action = trails_->current;
    if (handler_end > now) trails_->advance(action, std::min(t, handler_end), computing_);
  }
  /// It is done now, after waiting.
  void resumed(const Trail& action, Time now, Stage wait) const {
    const NotOnTheMachine apart;
    if (!trails_) [[likely]]
      return;
    trails_->current = action;
    trails_->lead_on(now, wait);
  }

 private:
  Trails* trails_;
  Stage computing_ = Stage::combined_processor;
  Trail handler_;  // of the handler that came last, at its interrupt
  QueueTimes *ready_queue_ = nullptr, *handler_queue_ = nullptr;
};

}  // namespace sunstar::os
