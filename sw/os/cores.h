// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <variant>

#include "models/core/critical_path.h"
#include "models/core/fifo.h"
#include "models/node/hal.h"
#include "sw/os/os.h"
#include "sw/os/thread.h"

namespace sunstar::os {

/// What the executive of a node with several cores does otherwise than with one.
///
/// A thread that is ready gets an idle core, the last one first, because the first takes the most interrupts; or it
/// waits in the one queue of threads that are ready. It keeps its core until all that it has charged is computed, even
/// if it waits or has ended. A core of which a handler runs takes no other interrupt, which waits, and begins no
/// thread. What a thread or a handler wakes becomes ready when the stretch, or the handler, has ended. Moving from one
/// core to another costs nothing: the cores have no caches. Copies share the memory: a stretch does not end before the
/// bytes that it copies have passed.
class Cores {
 public:
  explicit Cores(Os& os);
  Cores(const Cores&) = delete;

  /// What runs now runs on that core.
  void turn_to(std::uint32_t core);
  std::uint32_t now_on() const { return at_->number; }

  // In the place of what the executive does with one core:
  void execute(Thread& t, Cycles c);
  void dispatch();
  void spawn_at(Time t, Task<> body, ThreadKind& kind);
  void message_arrived(hal::Message& m);
  void block_done(hal::BlockCommand& c);
  /// Whether the thread becomes ready later.
  bool keep(Thread& t, bool last);

 private:
  friend class Os;
  using Interrupt = std::variant<hal::Message*, hal::BlockCommand*>;
  struct Waiting {
    Interrupt interrupt;
    Time since;
  };
  struct Core final : hal::Callback {
    Core(Cores& c, hal::Processor& p, std::uint32_t n) : cores(c), processor(p), number(n) {}
    void run() override { cores.stretch_ended(*this); }

    struct HandlerEnd final : hal::Callback {
      explicit HandlerEnd(Core& c) : core(c) {}
      void run() override { core.cores.handler_ended(core); }
      Core& core;
    } when_handler_ends{*this};

    Cores& cores;
    hal::Processor& processor;
    const std::uint32_t number;
    Thread* thread = nullptr;     // for which it is busy
    std::uint32_t stretches = 0;  // that have ended
    Time memory_busy{};           // with what the thread copies
    ThreadQueue woken, woken_by_handler;
    bool handles = false;          // a handler runs
    bool handled_message = false;  // it has been for a message
    Time handler_end{};
    Path* path = nullptr;  // for the observer
    Fifo<Waiting> waiting;
  };

  void step(Thread& t);
  void stretch_ended(Core& core);
  void handler_ended(Core& core);
  void interrupt(Core& core, Interrupt what);
  void serve(Core& core, Interrupt what, bool waited);
  void leave_handler();
  void ready(ThreadQueue& woken);
  Core* idle();
  Core& of_source(hal::NodeId source) { return cores_[spread_ ? source % cores_.size() : 0]; }

  Os& os_;
  const bool spread_;
  std::deque<Core> cores_;
  Core* at_;
};

}  // namespace sunstar::os
