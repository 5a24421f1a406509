// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "models/core/statistics.h"
#include "models/node/hal.h"
#include "sw/os/activity.h"
#include "sw/os/costs.h"
#include "sw/os/thread.h"

namespace sunstar::os {

/// A disk command whose end its owner is told of.
class BlockWork : public hal::BlockCommand {
 public:
  /// Called in the interrupt handler when the disk has reported the end.
  virtual void ended() = 0;

 protected:
  ~BlockWork() = default;
};

/// A primitive and how often it is carried out.
struct Charge {
  Cost cost;
  double times = 1;
};

/// The executive of one node: threads on one processor, active messages, timers. Threads run until they wait; only
/// interrupts come in between. What a thread computes is charged by name and takes effect in one stretch: its reads and
/// writes of the node's memory happen at the beginning of the stretch that leads up to its next message, disk command
/// or wait, and the message leaves at the end.
class Os final : public hal::Firmware, private hal::Callback {
 public:
  /// `activity` is shared by the executives of a machine; without one the executive has its own.
  Os(hal::Node& node, const Costs& costs, Activity* activity = nullptr);
  ~Os();
  Os(const Os&) = delete;
  Os& operator=(const Os&) = delete;

  hal::Node& node() { return node_; }
  Time now() const { return node_.now(); }

  // --- threads ---
  struct ThreadOptions {
    bool urgent = false;  ///< a device driver: gets the processor before all others
    bool daemon = false;  ///< serves others for as long as there are any: a run neither waits for it nor lives by it
  };
  /// Makes a thread that is ready at once. `name` says what kind it is: costs are added up by it.
  void spawn(Task<> body, const char* name, ThreadOptions options);
  void spawn(Task<> body, const char* name) { spawn(std::move(body), name, ThreadOptions{}); }
  /// The running thread has carried out a primitive so many times; of Cost::copy_per_byte, so many bytes.
  void charge(Cost cost, double times = 1) {
    const auto i = static_cast<std::size_t>(cost);
    debt_ += cycles_[i] * times;
    kind_->tally[i] += times;
  }
  /// The program of the running thread has computed for `c`.
  void compute(Cycles c) {
    debt_ += c;
    kind_->computed += c.count;
  }

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
    void await_resume() { os.leave(message, os.now()); }
  };
  /// Charges for and sends a message; the thread goes on when it has been handed to the interface.
  Send send(const hal::Message& m) {
    charge(Cost::message_send);
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
  /// Registers what is done, in the interrupt handler, when a message for `handler` arrives; `costs` are charged on top
  /// of taking the interrupt. The handler must release the message or give it to a thread that does.
  void on_message(std::uint16_t handler, std::initializer_list<Cost> costs, Handler action);
  /// The device carries out a command; its ended() is called at the end.
  void submit(hal::BlockDevice& device, BlockWork& command) {
    activity_.begin();
    device.submit(command);
  }
  /// End of the interrupt handler that is running: its effects happen then.
  Time handler_end() const { return handler_end_; }
  /// The running handler takes so much longer.
  void charge_handler(std::initializer_list<Charge> charges) {
    Cycles sum{};
    for (const Charge& c : charges) {
      const auto i = static_cast<std::size_t>(c.cost);
      sum += cycles_[i] * c.times;
      handlers_kind_->tally[i] += c.times;
    }
    handler_end_ = processor_.interrupt(sum);
  }
  /// Takes an arrived message out of the interface, in its handler: charges for the data it brings and says where they
  /// go (null: a buffer of the thread that will look at them). Returns when they are there.
  Time take(hal::Message& m, std::byte* destination = nullptr) {
    if (m.bytes > 0) charge_handler({{Cost::deposit}});
    return network_.accept(m, destination, handler_end_);
  }
  /// Makes a thread that is ready at `t`, no earlier than the end of the handler.
  void spawn_at(Time t, Task<> body, const char* name);
  /// Calls `action` at `t`; at once if `t` is the end of the handler that is running, whose time is charged already.
  void after(Time t, std::function<void()> action);
  /// Sends from an interrupt handler at `t`; the handler's cost includes it.
  void send_at(Time t, hal::Message m) {
    m.source = id_;
    leave(m, t);
  }

  // --- queues ---
  void make_ready(Thread& t);
  Thread& current() { return *current_; }

  /// Cycles by kind of thread and primitive, "<node>.cycles.<kind>.<cost>", and how often each was carried out,
  /// "<node>.count.<kind>.<cost>". What was never charged is left out.
  void add_statistics(StatisticSet&) const;
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
  void call_at(Time t, std::function<void()> action, bool counts = true);
  void leave(const hal::Message& m, Time t) {
    activity_.begin();
    network_.send(m, t);
  }
  ThreadKind& kind(const char* name);
  void begin_stretch(std::coroutine_handle<> h);
  void dispatch();
  void step(Thread&);
  void block(Thread& t, std::coroutine_handle<> h, const char* what) { t.next_step_ = h, t.waiting_for_ = what; }

  struct Entry {
    Cycles cost;
    std::vector<Cost> costs;
    Handler action;
    std::uint64_t calls = 0;
  };

  hal::Node& node_;
  hal::Processor& processor_;
  hal::NetworkPort& network_;
  const hal::NodeId id_;
  std::unique_ptr<Activity> own_activity_;
  Activity& activity_;
  const std::array<Cycles, cost_count> cycles_;
  Cycles debt_{};
  std::deque<ThreadKind> kinds_;
  ThreadKind* const handlers_kind_;  // of interrupt handlers
  ThreadKind* kind_;                 // of what runs now
  std::uint64_t interrupts_ = 0;
  Thread* current_ = nullptr;  // its code is running now
  Thread* stretch_ = nullptr;  // the processor is busy for it
  bool dispatching_ = false;
  bool ending_ = false;
  ThreadQueue ready_;
  ThreadList all_;
  std::vector<std::unique_ptr<Thread>> spare_;
  std::vector<Entry> handlers_;
  Time handler_end_{};
  std::vector<Deferred*> spare_deferred_;
  boost::intrusive::list<Deferred>* live_deferred_;
};

inline void WaitQueue::Wait::await_suspend(std::coroutine_handle<> h) {
  Thread& t = queue.os_->current();
  queue.os_->block(t, h, queue.what_);
  queue.threads_.push_back(t);
}

inline bool WaitQueue::ending() const { return os_->ending(); }

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
