// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/quantity.h"

namespace sunstar::node {

/// The timing of one core with interrupts, without a kernel: it computes when work given to it now will end.
///
/// Thread-level work is a queue without gaps; an interrupt that arrives meanwhile pushes its end back by exactly the
/// handler's time. Interrupts are served one after the other in order of arrival.
class ProcessorCore {
 public:
  /// Interrupt-level work of `length` raised at `now`; returns its end.
  Time interrupt(Time now, Duration length) {
    interrupt_end_ = within_horizon(std::max(now, interrupt_end_) + length);
    interrupt_busy_ += length;
    if (thread_end_ > now) thread_end_ = within_horizon(thread_end_ + length);
    return interrupt_end_;
  }

  /// Thread-level work of `length` given at `now`; returns its end, if no interrupt comes in between.
  Time execute(Time now, Duration length) {
    thread_end_ = within_horizon(std::max({now, thread_end_, interrupt_end_}) + length);
    thread_busy_ += length;
    return thread_end_;
  }

  /// The thread-level work accepted so far waits for memory: it ends no earlier than `until`.
  void wait_for_memory(Time until) {
    thread_busy_ += std::max(until - thread_end_, Duration{});
    thread_end_ = within_horizon(std::max(thread_end_, until));
  }

  /// End of all thread-level work accepted so far, as known now.
  Time thread_end() const { return thread_end_; }
  Time interrupt_end() const { return interrupt_end_; }

  /// Time before `now` spent in threads and in interrupt handlers.
  Duration thread_busy(Time now) const {
    return thread_busy_ - std::min(thread_busy_, ahead(std::max(now, interrupt_end_), thread_end_));
  }
  Duration interrupt_busy(Time now) const { return interrupt_busy_ - ahead(now, interrupt_end_); }

 private:
  static Duration ahead(Time now, Time end) { return std::max(end - now, Duration{}); }

  Time thread_end_{};
  Time interrupt_end_{};
  Duration thread_busy_{};
  Duration interrupt_busy_{};
};

}  // namespace sunstar::node
