// SPDX-License-Identifier: MIT
#pragma once
#include "models/node/hal.h"
#include "sw/os/counted.h"
#include "sw/os/observer.h"
#include "sw/os/thread.h"

namespace sunstar::os {

/// An executive as its observer sees it: the running thread, the request that the running code works for, and what
/// happens. Without an observer, this costs a branch that is always the same.
class Observed {
 public:
  /// From now on, until the executive ends, it tells the observer what happens; with `paths_only`, no more than what
  /// leads from one event to the next, and it numbers no requests.
  void observe(Observer& observer, bool paths_only = false) {
    observer_ = &observer;
    watcher_ = paths_only ? nullptr : &observer;
  }
  /// The request that the running thread or handler works for. A thread inherits it from its creator. A thread that
  /// works for none begins one with each message that asks for something.
  hal::RequestId request() const { return request_; }
  /// From now on the running thread works for that request.
  void serve(hal::RequestId request) {
    if (watcher()) [[unlikely]] {
      request_ = current_->request_ = request;
      watcher_->serves(*current_, request);
    }
  }
  /// From now on the running thread works for a request of its own.
  void begin_request() {
    if (watcher()) [[unlikely]]
      serve(++requests_);
  }
  void note(const char* what, std::uint64_t file, std::uint64_t block) {
    if (watcher()) [[unlikely]]
      watcher_->notes(what, file, block);
  }
  void note_gone(hal::NodeId node) {
    if (watcher()) [[unlikely]]
      watcher_->gives_up(node);
  }
  Thread& current() { return *current_; }

 protected:
  explicit Observed(hal::RequestId& requests) : requests_(requests) {}
  /// Null if nobody follows paths or watches; null if nobody watches. Nothing watches while instructions are counted.
  Observer* observer() const { return counting ? nullptr : observer_; }
  Observer* watcher() const { return counting ? nullptr : watcher_; }
  void works_for(hal::RequestId request) {
    const NotOnTheMachine mark;
    request_ = request;
  }
  void give_request(const hal::Message& m) {
    if (watcher()) [[unlikely]] {
      m.request = request_ || m.reply ? request_ : ++requests_;
      if (current_) watcher_->sends(*current_, m.request);
    }
  }
  void handler_begins(const char* name, hal::RequestId request) {
    if (observer()) [[unlikely]] {
      works_for(request);
      observer_->interrupt_begins(name, request);
    }
  }
  void handler_ends(Time end) {
    if (watcher()) [[unlikely]] {
      works_for(0);
      watcher_->interrupt_ends(end);
    }
  }

  Observer *observer_ = nullptr, *watcher_ = nullptr;
  hal::RequestId& requests_;  // numbered so far in the machine
  hal::RequestId request_ = 0;
  Thread* current_ = nullptr;  // its code is running now
};

}  // namespace sunstar::os
