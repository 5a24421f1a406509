// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <variant>
#include <vector>

#include "models/core/critical_path.h"
#include "models/core/fifo.h"
#include "sw/os/run_queue.h"

namespace sunstar::os {

/// A primitive and how often it is carried out.
struct Charge {
  Cost cost;
  double times = 1;
};

/// Brings the interrupts of a node to its cores. A core of which a handler runs begins no thread and takes no other
/// interrupt, which waits. A message that another one's handler keeps waiting takes no interrupt of its own. An only
/// core's handlers run at once, one after the other, and the processor makes their times follow each other: nobody sees
/// their effects before.
class InterruptEntry : public RunQueue {
 public:
  /// When the interrupt handler that is running ends: its effects happen then.
  Time handler_end() const { return handler_end_; }
  /// Makes the running handler longer by these charges.
  void charge_handler(std::initializer_list<Charge> charges) {
    const NotOnTheMachine mark;
    Cycles sum{};
    for (const Charge& c : charges) {
      const auto i = static_cast<std::size_t>(c.cost);
      sum += cycles_[i] * c.times;
      handlers_kind_->tally[i] += c.times;
    }
    lengthen_handler(sum);
  }

 protected:
  InterruptEntry(hal::Node& node, Common& common);
  ~InterruptEntry() = default;

  void interrupt(hal::Message& m) {
    Line& line = lines_[spread_ ? (m.source + m.stream) % lines_.size() : 0];
    if (several() && line.core->handles) [[unlikely]]
      wait(line, &m);
    else take(line, m, !counting && now() < line.messages_end);
  }
  void interrupt(hal::BlockCommand& c) {
    Line& line = lines_[spread_ ? c.core : 0];
    if (several() && line.core->handles) [[unlikely]]
      wait(line, &c);
    else take(line, c, false);
  }
  /// The code of a handler, which calls begin_handler() first.
  virtual void handle(hal::Message&) = 0;
  virtual void handle(hal::BlockCommand&) = 0;
  /// Nobody handles it: the node has lost its power.
  virtual void lose(hal::Message&) = 0;
  virtual void lose(hal::BlockCommand&) = 0;
  void begin_handler(const char* name, hal::RequestId request, Cycles cost);
  void lengthen_handler(Cycles c) { handler_end_ = processor().lengthen_interrupt(c); }
  /// The code of a handler or a timer has run, and threads begin. If there are several cores, this one is busy with the
  /// handler until its end.
  void leave_handler() {
    if (several()) [[unlikely]]
      keep_busy();
    release_threads();
  }

  std::uint64_t interrupts_ = 0;

 private:
  using Arrived = std::variant<hal::Message*, hal::BlockCommand*>;
  struct Waiting {
    Arrived interrupt;
    Time since;
  };
  /// Of one core.
  struct Line final : hal::Callback {
    void run() override { entry->handler_ended(*this); }

    InterruptEntry* entry = nullptr;
    Core* core = nullptr;
    bool handled_message = false;  // by the last handler
    Time messages_end{};           // until then an only core's handler of a message finds those that arrive
    Time end{};                    // of the handler
    Path* path = nullptr;          // for the observer
    Fifo<Waiting> waiting;
  };

  template <class What>
  void take(Line& line, What& what, bool found);
  void wait(Line& line, Arrived arrived);
  void keep_busy();
  void handler_ended(Line& line);

  const bool spread_;
  bool found_ = false;  // the interrupt of the message before it has found what is handled
  std::vector<Line> lines_;
};

}  // namespace sunstar::os
