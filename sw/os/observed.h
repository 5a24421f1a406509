// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "models/core/critical_path.h"
#include "models/node/hal.h"
#include "sw/os/counted.h"
#include "sw/os/thread.h"

namespace sunstar::os {

class Thread;

/// Sees what happens on one executive, as it happens, and changes nothing. Names live as long as the executive.
///
/// Threads: created, ready; then over and over runs, waits, ready; at last ends. A thread's code takes no time: it runs
/// from runs() until the end of the last stretch before it waits.
///
/// An observer that only follows paths sees threads become ready, run and compute, interrupts begin, and what is
/// deferred and resumed (Os::observe).
class Observer {
 public:
  /// The thread joins the queue of ready threads. A new one has `watched_as` 0.
  virtual void ready(Thread&) {}
  virtual void runs(Thread&) {}
  /// The running thread begins a stretch of computing, and has ended it.
  virtual void computes(Thread&) {}
  virtual void computed(Thread&) {}
  /// `what` it waits for; null if it gives way to others and is ready again at once.
  virtual void waits(Thread&, const char* /*what*/) {}
  virtual void ends(Thread&) {}
  /// A running thread sends a message, which belongs to that request.
  virtual void sends(Thread&, hal::RequestId) {}
  /// What a running thread does from now on belongs to another request.
  virtual void serves(Thread&, hal::RequestId) {}
  /// An interrupt has come in. Its handler runs when those before it have ended (Os::handler_end()), and ends at `end`.
  virtual void interrupt_begins(const char* /*name*/, hal::RequestId) {}
  virtual void interrupt_ends(Time /*end*/) {}
  /// The interrupt that follows has waited for the handler before it, on a node with several cores.
  virtual void interrupt_waited(Duration) {}
  /// Something is to be done at `t`; and now it is, after waiting. `path`: for the observer's own use.
  virtual void defers(Path*& /*path*/, Time /*t*/) {}
  virtual void resumes(Path*& /*path*/, Stage /*wait*/) {}
  /// Something happens to a block of a file, such as a hit in a cache.
  virtual void notes(const char* /*what*/, std::uint64_t /*file*/, std::uint64_t /*block*/) {}
  /// It takes another node for gone.
  virtual void gives_up(hal::NodeId) {}

 protected:
  ~Observer() = default;
};

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
