// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "models/node/hal.h"

namespace sunstar::os {

class Thread;

/// Sees what happens on one executive, as it happens, and changes nothing. Names live as long as the executive.
///
/// Threads: created, ready; then over and over runs, waits, ready; at last ends. A thread's code takes no time: it runs
/// from runs() until the end of the last stretch before it waits.
class Observer {
 public:
  /// The thread gets into the queue of those that are ready. A new one has `watched_as` 0.
  virtual void ready(Thread&) = 0;
  virtual void runs(Thread&) = 0;
  /// `what` it waits for; null if it gives way to others and is ready again at once.
  virtual void waits(Thread&, const char* what) = 0;
  virtual void ends(Thread&) = 0;
  /// A running thread sends a message, which belongs to that request.
  virtual void sends(Thread&, hal::RequestId) = 0;
  /// What a running thread does from now on belongs to another request.
  virtual void serves(Thread&, hal::RequestId) = 0;
  /// An interrupt has come in. Its handler runs when those before it have ended, and ends at `end`.
  virtual void interrupt_begins(const char* name, hal::RequestId) = 0;
  virtual void interrupt_ends(Time end) = 0;
  /// Something happens to a block of a file, such as a hit in a cache.
  virtual void notes(const char* what, std::uint64_t file, std::uint64_t block) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace sunstar::os
