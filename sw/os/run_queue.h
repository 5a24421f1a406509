// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/node/hal.h"
#include "sw/os/accounts.h"
#include "sw/os/common.h"
#include "sw/os/counted.h"
#include "sw/os/observed.h"
#include "sw/os/task.h"
#include "sw/os/thread.h"

namespace sunstar::os {

/// Some work of a core that runs threads: its first, its second, ... piece.
struct Work {
  std::uint32_t core = 0, number = 0;
};

/// The threads of one node, and the cores that run them. The threads that are ready wait in one queue. An idle core
/// takes the first of them; the last core goes first, because the first takes the most interrupts. Moving from one core
/// to another costs nothing: the cores have no caches.
///
/// A thread runs until it waits. It keeps its core until the core has computed its charges, even if it waits or has
/// ended. What a stretch of computing or a handler wakes becomes ready at its end, and a stretch does not end before
/// the bytes that it copies have passed. An only core needs no events for that: until the end, nobody sees what its
/// code has done. So the next thread's code runs at once, and the core computes what both have charged in one stretch;
/// its copies do not wait for the memory.
class RunQueue : public Accounts, public Observed {
 public:
  RunQueue(const RunQueue&) = delete;

  hal::Node& node() { return node_; }
  Time now() const {
    const NotOnTheMachine mark;
    return node_.now();
  }

  struct ThreadOptions {
    bool urgent = false;  ///< for devices, such as a driver: gets a core before all other threads
    bool daemon = false;  ///< serves other threads as long as there are any: a run neither waits for its end nor goes
                          ///< on because of it
  };
  /// Creates a thread that is ready at once.
  void spawn(Task<> body, ThreadKind& kind, ThreadOptions options) { start(create(std::move(body), kind, options)); }
  void spawn(Task<> body, const char* name) { spawn(std::move(body), kind(name), ThreadOptions{}); }
  void spawn(Task<> body, const char* name, ThreadOptions options) { spawn(std::move(body), kind(name), options); }

  /// Waits until the processor has computed all charges.
  auto settle() {
    struct Settle {
      RunQueue& queue;
      bool await_ready() const noexcept { return queue.debt_.count == 0; }
      void await_suspend(std::coroutine_handle<> h) { queue.begin_stretch(h); }
      void await_resume() noexcept {}
    };
    return Settle{*this};
  }
  /// Lets ready threads run first; an urgent thread lets urgent ones run first. Threads are not preempted: a thread
  /// that computes or sends for long gives way now and then.
  auto give_way() {
    struct GiveWay {
      RunQueue& queue;
      bool await_ready() const noexcept { return queue.nothing_before_it(); }
      void await_suspend(std::coroutine_handle<> h) {
        const Counted<Cost::thread_switch> mark;
        Thread& t = queue.current();
        queue.block(t, h, nullptr);
        queue.make_ready(t, true);
      }
      void await_resume() noexcept {}
    };
    return GiveWay{*this};
  }

  /// An urgent thread goes before the others, and before other urgent ones unless it is to be the `last` of them.
  void make_ready(Thread& t, bool last = false);
  /// Whether the running thread has to give way to no ready thread.
  bool nothing_before_it() const { return (ready_.empty() && at_->woken.empty()) || is_first(); }
  std::uint32_t core() const { return at_->number; }
  /// What has been charged to the running thread so far, whether a core has computed it, and to go on when it has.
  Work charged_work() const { return current_ && debt_.count > 0 ? Work{at_->number, at_->stretches + 1} : Work{}; }
  bool computed(Work work) const {
    const Core& core = cores_[work.core];
    return core.stretches >= work.number || &core == at_;
  }
  void wait_until_computed(Work work, std::coroutine_handle<> h);

  /// Adds one line for every thread that waits, for the report of a deadlock.
  void describe_waiting(std::vector<std::string>& lines) const;
  bool idle() const { return all_.empty(); }
  /// Number of threads that are ready but not running.
  std::size_t ready_threads() const { return ready_.size(); }
  /// Whether the node is without power.
  bool off() const { return !counting && off_; }
  /// Whether the executive is being destroyed, and its unfinished threads with it: what they hold must not be handed
  /// on.
  bool ending() const { return ending_; }

 protected:
  struct Core final : hal::Callback {
    void run() override { queue->stretch_ended(*this); }

    RunQueue* queue = nullptr;
    hal::Processor* processor = nullptr;
    std::uint32_t number = 0;
    Thread* thread = nullptr;     // for which it is busy
    std::uint32_t stretches = 0;  // that have ended
    Time memory_busy{};           // with what the thread copies
    bool handles = false;         // a handler runs, and no thread begins
    ThreadQueue woken, woken_by_handler;
  };

  RunQueue(hal::Node& node, Common& common);
  ~RunQueue() = default;

  /// Whether others could see what a core's code has done before the core has computed it.
  bool several() const { return !counting && several_; }
  /// What runs now runs on that core.
  void turn_to(Core& core) { at_ = &core; }
  bool runs_daemon() const { return current_->daemon_; }
  hal::Processor& processor() { return *at_->processor; }
  Thread& create(Task<> body, ThreadKind& kind, ThreadOptions options);
  void start(Thread& t) {
    const Counted<Cost::thread_create> mark;
    make_ready(t);
  }
  /// Charges for its creation to the thread, which has not begun.
  void charge_creation(Thread& t);
  /// Computes all charges of the running thread, which goes on at `h` then.
  void begin_stretch(std::coroutine_handle<> h);
  /// Threads that code other than a thread's makes ready begin with the next dispatch().
  void hold_threads() { dispatching_ = true; }
  /// Lets them begin, if there are any.
  void release_threads() {
    if (!ready_.empty() || owes()) dispatch();
    else dispatching_ = false;
  }
  void dispatch();
  void make_all_ready(ThreadQueue& woken);
  void stretch_needs_memory(Time until) {
    if (several() && current_) at_->memory_busy = std::max(at_->memory_busy, until);
  }
  /// No thread that is ready runs any more.
  void stop() {
    off_ = true;
    ready_.clear();
  }
  /// Destroys all threads. The outermost frame of an unfinished one destroys those it waits for, and leaves the queue
  /// in which it waits.
  void end_threads();

  hal::Node& node_;
  Activity& activity_;
  Time handler_end_{};  // of the handler that is running
  std::vector<Core> cores_;

 private:
  friend class WaitQueue;

  void block(Thread& t, std::coroutine_handle<> h, const char* what) {
    t.next_step_ = h, t.waiting_for_ = what;
    if (watcher()) [[unlikely]]
      watcher_->waits(t, what);
  }
  /// Whether code has charged what no core has computed. Where instructions are counted, they are no debt.
  bool owes() const { return !counting && debt_.count > 0; }
  bool goes_before_it(const Thread& t) const { return !current_->urgent_ || t.urgent_; }
  bool is_first() const;
  ThreadQueue* woken_with(const Thread& t);
  Core* idle_core();
  void begin_computing(Thread& t);
  void stretch_ended(Core& core);
  void step(Thread& t);
  void bury(Thread& t);

  Core* at_;  // whose code runs now
  const bool several_;
  bool dispatching_ = false;
  bool ending_ = false;
  bool off_ = false;
  ThreadQueue ready_;
  ThreadList all_;
  std::vector<std::unique_ptr<Thread>> spare_;
};

inline void WaitQueue::Wait::await_suspend(std::coroutine_handle<> h) {
  const Counted<Cost::thread_switch> mark;
  Thread& t = queue.run_queue_->current();
  queue.run_queue_->block(t, h, queue.what_);
  queue.threads_.push_back(t);
}

inline bool WaitQueue::ending() const { return run_queue_->ending(); }

inline void WaitQueue::wake_one() {
  if (threads_.empty()) return;
  Thread& t = threads_.front();
  threads_.pop_front();
  run_queue_->make_ready(t);
}

}  // namespace sunstar::os
