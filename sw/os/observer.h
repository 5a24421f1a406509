// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "models/core/critical_path.h"
#include "models/node/hal.h"

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

}  // namespace sunstar::os
