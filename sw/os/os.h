// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/node/hal.h"
#include "sw/os/costs.h"
#include "sw/os/task.h"

namespace sunstar::os {

class Os;

/// A thread: the outermost coroutine and where it goes on. It is in one queue at a time: ready, or waiting for
/// something.
class Thread final : TaskEnd {
 public:
  const char* name() const { return name_; }
  /// What it waits for, in words; null while it runs or is ready.
  const char* waiting_for() const { return waiting_for_; }

  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook queue_hook;  ///< of the queue it is in
  Hook all_hook;    ///< of the list of its node's threads

 private:
  friend class Os;
  friend class WaitQueue;
  void task_ended() override { ended_ = true; }

  Task<> body_;
  std::coroutine_handle<> next_step_;
  const char* name_ = "";
  const char* waiting_for_ = nullptr;
  bool ended_ = false;
  bool urgent_ = false;
};

using ThreadQueue =
    boost::intrusive::list<Thread, boost::intrusive::constant_time_size<false>,
                           boost::intrusive::member_hook<Thread, decltype(Thread::queue_hook), &Thread::queue_hook>>;
using ThreadList =
    boost::intrusive::list<Thread, boost::intrusive::constant_time_size<false>,
                           boost::intrusive::member_hook<Thread, decltype(Thread::all_hook), &Thread::all_hook>>;

/// Threads of one node that wait for the same thing, first come first served.
class WaitQueue {
 public:
  explicit WaitQueue(Os& os, const char* what) : os_(&os), what_(what) {}
  WaitQueue(WaitQueue&& other) noexcept : os_(other.os_), what_(other.what_) { threads_.swap(other.threads_); }

  struct Wait {
    WaitQueue& queue;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h);
    void await_resume() noexcept {}
  };
  /// Puts the running thread to sleep until woken.
  Wait wait() { return {*this}; }
  void wake_one();
  void wake_all();
  bool empty() const { return threads_.empty(); }

 private:
  Os* os_;
  const char* what_;
  ThreadQueue threads_;
};

/// Where replies go: the address in this node's memory, and the threads to wake when all that are expected have come. A
/// request carries the action's address, and an offset from its destination, to the far node, which returns both.
class ReplyAction {
 public:
  explicit ReplyAction(Os& os) : waiters_(os, "replies") {}
  /// To be called before each request is sent.
  void expect(std::byte* destination = nullptr) { destination_ = destination, ++outstanding_; }
  bool outstanding() const { return outstanding_ > 0; }
  /// Awaitable only while outstanding.
  WaitQueue::Wait arrival() { return waiters_.wait(); }
  std::byte* destination() const { return destination_; }
  void complete() {
    if (--outstanding_ == 0) waiters_.wake_all();
  }

 private:
  WaitQueue waiters_;
  std::byte* destination_ = nullptr;
  unsigned outstanding_ = 0;
};

/// The executive of one node: threads on one processor, active messages, timers. Threads run until they wait; only
/// interrupts come in between. What a thread computes is charged by name and takes effect in one stretch: its reads and
/// writes of the node's memory happen at the beginning of the stretch that leads up to its next message, disk command
/// or wait, and the message leaves at the end.
class Os final : public hal::Firmware, private hal::Callback {
 public:
  Os(hal::Node& node, const Costs& costs);
  ~Os();
  Os(const Os&) = delete;
  Os& operator=(const Os&) = delete;

  hal::Node& node() { return node_; }
  const Costs& costs() const { return costs_; }
  Time now() const { return node_.now(); }

  // --- threads ---
  /// How soon a ready thread gets the processor: urgent ones (device drivers) before all others.
  enum class Urgency { normal, urgent };
  /// Makes a thread that is ready at once.
  void spawn(Task<> body, const char* name, Urgency urgency = Urgency::normal);
  /// The running thread has computed for `c`.
  void charge(Cycles c) { debt_ += c; }

  struct Settle {
    Os& os;
    bool await_ready() const noexcept { return os.debt_.count == 0; }
    void await_suspend(std::coroutine_handle<> h) { os.begin_stretch(h); }
    void await_resume() noexcept {}
  };
  /// Waits until all that was charged has been computed.
  Settle settle() { return {*this}; }

  struct Send {
    Os& os;
    hal::Message message;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) { os.begin_stretch(h); }
    void await_resume() { os.network_.send(message, os.now()); }
  };
  /// Charges for and sends a message; the thread goes on when it has been handed to the interface.
  Send send(const hal::Message& m) {
    charge(costs_.message_send);
    Send leaving{*this, m};
    leaving.message.source = id_;
    return leaving;
  }

  struct GiveWay {
    Os& os;
    bool await_ready() const noexcept { return os.ready_.empty(); }
    void await_suspend(std::coroutine_handle<> h) {
      Thread& t = os.current();
      os.block(t, h, nullptr);
      os.make_ready(t);
    }
    void await_resume() noexcept {}
  };
  /// Lets the threads that are ready go first.
  GiveWay give_way() { return {*this}; }

  /// Sleeps until `t`, if that is to come.
  Task<> sleep_until(Time t);

  // --- in interrupt handlers ---
  using Handler = std::function<void(hal::Message&)>;
  /// Registers what is done, in the interrupt handler, when a message for `handler` arrives; `cost` is charged on top
  /// of taking the interrupt. The handler must release the message or give it to a thread that does.
  void on_message(std::uint16_t handler, Cycles cost, Handler action);
  bool handles(std::uint16_t handler) const { return handler < handlers_.size() && handlers_[handler].action; }
  /// Registers what is done when a disk command has ended.
  void on_block_done(std::function<void(hal::BlockCommand&)> action) { block_done_ = std::move(action); }
  /// End of the interrupt handler that is running: its effects happen then.
  Time handler_end() const { return handler_end_; }
  /// The running handler takes `c` longer.
  void charge_handler(Cycles c) { handler_end_ = processor_.interrupt(c); }
  /// Takes an arrived message out of the interface, in its handler: charges for the data it brings and says where they
  /// go (null: a buffer of the thread that will look at them). Returns when they are there.
  Time take(hal::Message& m, std::byte* destination = nullptr) {
    if (m.bytes > 0) charge_handler(costs_.deposit);
    return network_.accept(m, destination, handler_end_);
  }
  /// Makes a thread that is ready at `t`, no earlier than the end of the handler.
  void spawn_at(Time t, Task<> body, const char* name);
  /// Calls `action` at `t`; at once if `t` is the end of the handler that is running, whose time is charged already.
  void after(Time t, std::function<void()> action);
  /// Sends from an interrupt handler at `t`; the handler's cost includes it.
  void send_at(Time t, hal::Message m) {
    m.source = id_;
    network_.send(m, t);
  }

  // --- queues ---
  void make_ready(Thread& t);
  Thread& current() { return *current_; }

  /// One line for every thread that waits: for the report of a deadlock.
  void describe_waiting(std::vector<std::string>& lines) const;
  bool idle() const { return all_.empty(); }
  /// Threads that could run and do not.
  std::size_t ready_threads() const { return ready_.size(); }
  /// The executive is being destroyed and its unfinished threads with it: what they hold is not to be handed on.
  bool ending() const { return ending_; }

  // hal::Firmware
  void message_arrived(hal::Message&) override;
  void block_done(hal::BlockCommand&) override;

 private:
  friend class WaitQueue;
  struct Deferred;

  void run() override;  // the end of a stretch of computing
  void call_at(Time t, std::function<void()> action);
  void begin_stretch(std::coroutine_handle<> h);
  void dispatch();
  void step(Thread&);
  void block(Thread& t, std::coroutine_handle<> h, const char* what) { t.next_step_ = h, t.waiting_for_ = what; }

  struct Entry {
    Cycles cost;
    Handler action;
  };

  hal::Node& node_;
  hal::Processor& processor_;
  hal::NetworkPort& network_;
  const hal::NodeId id_;
  Costs costs_;
  Cycles debt_{};
  Thread* current_ = nullptr;  // its code is running now
  Thread* stretch_ = nullptr;  // the processor is busy for it
  bool dispatching_ = false;
  bool ending_ = false;
  ThreadQueue ready_;
  ThreadList all_;
  std::vector<std::unique_ptr<Thread>> spare_;
  std::vector<Entry> handlers_;
  std::function<void(hal::BlockCommand&)> block_done_;
  Time handler_end_{};
  std::vector<Deferred*> spare_deferred_;
  boost::intrusive::list<Deferred>* live_deferred_;
};

inline void WaitQueue::Wait::await_suspend(std::coroutine_handle<> h) {
  Thread& t = queue.os_->current();
  queue.os_->block(t, h, queue.what_);
  queue.threads_.push_back(t);
}

inline void WaitQueue::wake_one() {
  if (threads_.empty()) return;
  Thread& t = threads_.front();
  threads_.pop_front();
  os_->make_ready(t);
}

inline void WaitQueue::wake_all() {
  ThreadQueue woken;  // whoever waits again meanwhile waits for the next time
  woken.swap(threads_);
  Os& os = *os_;  // the queue may end with one of its threads
  while (!woken.empty()) {
    Thread& t = woken.front();
    woken.pop_front();
    os.make_ready(t);
  }
}

}  // namespace sunstar::os
