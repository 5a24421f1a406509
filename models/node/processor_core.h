// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/quantity.h"

namespace sunstar::node {

/// The timing of one processor with interrupts, without a kernel: it answers when work given to it now will end.
///
/// Thread-level work is a queue without gaps; an interrupt that arrives meanwhile pushes its end back by exactly the
/// handler's time. Interrupts are served one after the other in order of arrival.
class ProcessorCore {
 public:
  /// Interrupt-level work of `length` raised at `now`; returns its end.
  Time interrupt(Time now, Duration length) {
    interrupt_end_ = std::max(now, interrupt_end_) + length;
    interrupt_busy_ += length;
    if (thread_end_ > now) thread_end_ += length;
    return interrupt_end_;
  }

  /// Thread-level work of `length` given at `now`; returns its end, if no interrupt comes in between.
  Time execute(Time now, Duration length) {
    thread_end_ = std::max({now, thread_end_, interrupt_end_}) + length;
    thread_busy_ += length;
    return thread_end_;
  }

  /// End of all thread-level work accepted so far, as known now.
  Time thread_end() const { return thread_end_; }
  Time interrupt_end() const { return interrupt_end_; }

  Duration thread_busy() const { return thread_busy_; }
  Duration interrupt_busy() const { return interrupt_busy_; }

 private:
  Time thread_end_{};
  Time interrupt_end_{};
  Duration thread_busy_{};
  Duration interrupt_busy_{};
};

}  // namespace sunstar::node
