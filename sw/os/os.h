// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/core/statistics.h"
#include "models/node/hal.h"
#include "sw/os/accounts.h"
#include "sw/os/common.h"
#include "sw/os/counted.h"
#include "sw/os/observed.h"
#include "sw/os/sockets.h"
#include "sw/os/task.h"
#include "sw/os/thread.h"

namespace sunstar::os {

class Alarm;
class Cores;
class Delivery;

/// A disk command that tells its owner of its end.
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

/// Some work of a core that runs threads: its first, its second, ... piece.
struct Work {
  std::uint32_t core = 0, number = 0;
};

/// The executive of one node: threads on the cores of its processor, active messages, timers. A thread runs until it
/// waits; on its core only interrupts come in between. Firmware charges what a thread computes by name. The charges
/// take effect in one stretch that leads up to the thread's next message, disk command or wait: the thread's reads and
/// writes of the node's memory happen at the beginning of the stretch, and the message leaves at its end. With several
/// cores (Cores), threads run side by side, so others may run during a stretch.
class Os final : public hal::Firmware, public Accounts, public Observed, private hal::Callback {
 public:
  /// `incarnation`: how often the node has been started, this time included. After the first time nothing runs there,
  /// and nothing drives its disks, until somebody starts it.
  Os(hal::Node& node, Common& common, std::uint32_t incarnation = 1);
  ~Os();
  Os(const Os&) = delete;
  Os& operator=(const Os&) = delete;

  hal::Node& node() { return node_; }
  content::Memory& memory() { return node_.memory(); }
  Time now() const {
    const NotOnTheMachine mark;
    return node_.now();
  }

  // --- threads ---
  struct ThreadOptions {
    bool urgent = false;  ///< for devices, such as a driver: gets the processor before all other threads
    bool daemon = false;  ///< serves other threads as long as there are any: a run neither waits for its end nor goes
                          ///< on because of it
  };
  /// Creates a thread that is ready at once.
  void spawn(Task<> body, ThreadKind& kind, ThreadOptions options);
  void spawn(Task<> body, const char* name) { spawn(std::move(body), kind(name), ThreadOptions{}); }
  void spawn(Task<> body, const char* name, ThreadOptions options) { spawn(std::move(body), kind(name), options); }
  /// Charges for a memory-to-memory copy.
  void charge_copy(std::uint64_t bytes) {
    charge<Cost::copy>();
    charge(Cost::copy_per_byte, static_cast<double>(bytes));
    copied(bytes);
  }
  /// Copies from memory to memory, and charges for it.
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    charge_copy(bytes);
    const Counted<Cost::copy_per_byte> mark;
    if (counting) std::memcpy(to, from, bytes);
    else memory().copy(to, from, bytes);
  }
  /// Writes zeros; the caller charges for it. Those who count instructions have all content in bytes.
  void clear(std::byte* to, std::uint64_t bytes) {
    if (counting) std::memset(to, 0, bytes);
    else memory().clear(to, bytes);
  }
  /// Accounts for a copy of `bytes` by the processor on the node bus; the caller charges for it, too.
  void copied(std::uint64_t bytes) {
    const NotOnTheMachine mark;
    const Time passed = node_.copied(bytes);
    if (several()) [[unlikely]]
      stretch_needs_memory(passed);
  }

  struct Settle;
  /// Waits until the processor has computed all that has been charged.
  Settle settle();

  struct Send;
  /// Charges for a message and sends it; the thread goes on when the message has been handed to the interface, or to
  /// the socket. Await the result at once: it refers to the message.
  Send send(const hal::Message& m);

  struct GiveWay;
  /// Lets the threads that are ready run first; an urgent thread, those that are urgent. Threads are not preempted:
  /// whoever computes or sends for long gives way now and then.
  GiveWay give_way();

  /// Sleeps until `t`; returns at once if `t` has passed.
  Task<> sleep_until(Time t);

  // --- in interrupt handlers ---
  using Handler = std::function<void(hal::Message&)>;
  /// Registers what the interrupt handler does when a message for `handler` arrives; `costs` are charged on top of
  /// taking the interrupt and finding the handler. One interrupt serves all messages that wait in the interface. The
  /// action must release the message or give it to a thread that does. `name` is what observers call it, `header` what
  /// they read in its header.
  void on_message(std::uint16_t handler, std::initializer_list<Cost> costs, Handler action,
                  const char* name = "message", std::string (*header)(const hal::Message&) = nullptr);
  /// What a message to this node is, for those who watch a run: "read (file 0, offset 8192, bytes 512)".
  std::string told(const hal::Message&) const;
  /// Gives a command to the device; the executive calls ended() when the command has ended.
  void submit(hal::BlockDevice& device, BlockWork& command) {
    activity_.begin();
    {
      const NotOnTheMachine mark;
      command.request = request_;
      if (several()) [[unlikely]]
        command.core = core();
    }
    device.submit(command);
  }
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
    handler_end_ = processor_->lengthen_interrupt(sum);
  }
  /// Takes an arrived message out of the interface, in its handler: charges for its data, if it has any, and says where
  /// they go (null: a buffer of the thread that will look at them). Returns the time at which they are there.
  Time take(hal::Message& m, std::byte* destination = nullptr) {
    if (m.bytes == 0) return network_.accept(m, destination, handler_end_);
    const Counted<Cost::deposit> mark;
    charge_handler({{Cost::deposit}});
    return network_.accept(m, destination, handler_end_);
  }
  /// Takes an arrived message of whose data nothing is left to read in the interface, and releases it.
  // Always inline: whether the compiler thinks so changes with every caller, and with it the counted costs.
  [[gnu::always_inline]] Time receive(hal::Message& m, std::byte* destination = nullptr) {
    const Time there = take(m, destination);
    network_.release(m);
    return there;
  }
  /// Creates a thread that is ready at `t`, but not before the end of the handler. The thread pays for its creation.
  void spawn_at(Time t, Task<> body, ThreadKind& kind);
  void spawn_at(Time t, Task<> body, const char* name) { spawn_at(t, std::move(body), kind(name)); }
  /// Calls `action` at `t`; at once if `t` is the end of the handler that is running, whose time is charged already.
  template <class Action>
  void after(Time t, Action&& action) {
    if (t <= handler_end_ && handler_end_ > now()) action();
    else call_at(t, std::forward<Action>(action));
  }
  /// Sends a message at `t` from an interrupt handler, whose own costs must include the sending.
  void send_at(Time t, const hal::Message& m) {
    give_request(m);
    if (sockets_) [[unlikely]]
      sockets_->send_at(t, m);
    else leave(m, t);
  }

  // --- queues ---
  /// An urgent thread goes before the others, and before other urgent ones unless it is to be the `last` of them.
  void make_ready(Thread& t, bool last = false);
  /// Whether the running thread has to give way to none of those that are ready.
  bool nothing_before_it() const {
    if (several() && !nothing_kept_before_it()) return false;
    return ready_.empty() || !goes_before_it(ready_.front());
  }
  /// The core whose code runs now.
  std::uint32_t core() const;
  /// What has been charged to the running thread so far, whether a core has computed it, and to go on when it has. With
  /// one core, nothing comes in between.
  Work charged_work() const { return several() ? last_work() : Work{}; }
  bool computed(Work work) const { return !several() || !computes(work); }
  void wait_until_computed(Work work, std::coroutine_handle<> h);

  /// Cycles by kind of thread and primitive, "<node>.cycles.<kind>.<cost>", and how often each primitive was carried
  /// out, "<node>.count.<kind>.<cost>". Primitives that were never charged are left out.
  void add_statistics(StatisticSet&) const;
  /// Goes on with the counts of the node's executive before, which has lost its power, as a node's statistics do not
  /// begin anew.
  void count_on(const Os& before);
  /// Adds one line for every thread that waits, for the report of a deadlock.
  void describe_waiting(std::vector<std::string>& lines) const;
  bool idle() const { return all_.empty(); }
  bool takes(std::uint16_t handler) const { return handler < handlers_.size() && handlers_[handler].action; }
  /// Whether messages may be one-sided. Where software acknowledges messages, it needs to see them.
  bool one_sided() const { return !counting && network_.one_sided() && !sockets_ && !delivery_; }
  /// If the node is to notice that others are gone: how.
  const std::optional<Watched>& watched_peers() const { return common_.peers; }
  /// How often the node has been started.
  std::uint32_t incarnation() const { return incarnation_; }
  /// Whether the node is without power.
  bool off() const { return !counting && off_; }
  /// The node has lost its power: from now on the executive does nothing more.
  void power_off();
  /// No message is sent again to a node that is gone, and nothing is read from it any more.
  void forget(hal::NodeId node);
  /// The other nodes have taken this one for gone: it stops itself.
  void fence() { common_.fence(node_.id()); }
  /// The run is over, and nothing is under way: timers of alarms that are not set are forgotten.
  void forget_timers();
  /// Calls `action` at `t`, unless the executive stops before, or the run ends.
  void after_if_on(Time t, std::function<void()> action) { call_at(t, std::move(action), Stage::timer, false); }
  /// Whether the run is over, so that daemons are to begin nothing more.
  bool retired() const { return activity_.retired(); }
  /// Number of threads that are ready but not running.
  std::size_t ready_threads() const { return ready_.size(); }
  /// Whether the executive is being destroyed, and its unfinished threads with it: what they hold must not be handed
  /// on.
  bool ending() const { return ending_; }

  // hal::Firmware
  void message_arrived(hal::Message&) override;
  void block_done(hal::BlockCommand&) override;

 private:
  friend class Cores;
  friend class WaitQueue;
  friend class Sockets;
  friend class Alarm;
  friend class Delivery;
  struct Deferred;

  void run() override;  // the end of a stretch of computing
  hal::Callback& call_at(Time t, std::function<void()> action, Stage wait = Stage::memory, bool counts = true);
  /// Forgets a call that does not count.
  void forget(hal::Callback& call);
  void leave(const hal::Message& m, Time t) {
    const CountedUnlessInside<Cost::message_send> mark;
    activity_.begin();
    if (!counting && delivery_) [[unlikely]]
      return send_numbered(m, t);
    network_.send(m, t);
  }
  struct Entry;
  void message_handler_begins(const char* name, hal::RequestId request, Cycles cost);
  static void serve_message(Entry& entry, hal::Message& m);
  void message_handler_ends();
  void send_numbered(const hal::Message& m, Time t);
  void segment_arrived(hal::Message& m);
  bool several() const { return !counting && cores_; }
  bool goes_before_it(const Thread& t) const { return !current_->urgent_ || t.urgent_; }
  bool nothing_kept_before_it() const;
  Work last_work() const;
  bool computes(Work work) const;
  void stretch_needs_memory(Time until);
  void handle(hal::Message&);
  void handle(hal::BlockCommand&);
  Thread& create(Task<> body, ThreadKind& kind, ThreadOptions options);
  void begin_stretch(std::coroutine_handle<> h);
  void begin_computing(Thread&);
  void dispatch();
  void step(Thread&);
  void bury(Thread&);
  CostTally tally_of_handlers() const;
  void block(Thread& t, std::coroutine_handle<> h, const char* what) {
    t.next_step_ = h, t.waiting_for_ = what;
    if (watcher()) [[unlikely]]
      watcher_->waits(t, what);
  }

  struct Entry {
    Cycles cost;
    std::vector<Cost> costs;
    Handler action;
    const char* name = nullptr;
    std::uint64_t calls = 0;
    std::string (*header)(const hal::Message&) = nullptr;
  };

  // Every message touches most of the members: those that it does not touch come last.
  hal::Node& node_;
  hal::Processor* processor_;  // of the core whose code runs now
  hal::NetworkPort& network_;
  bool dispatching_ = false;
  bool ending_ = false;
  bool off_ = false;  // without power
  const std::uint32_t incarnation_;
  const Common& common_;
  Activity& activity_;
  std::vector<Alarm*> alarms_;          // those of the members below, too
  std::unique_ptr<Sockets> sockets_;    // if messages go through sockets
  std::unique_ptr<Delivery> delivery_;  // if the network may lose messages
  std::unique_ptr<Cores> cores_;        // if there are several
  std::uint64_t interrupts_ = 0;
  Thread* stretch_ = nullptr;  // the processor is busy for it
  ThreadQueue ready_;
  ThreadList all_;
  std::vector<std::unique_ptr<Thread>> spare_;
  std::vector<Entry> handlers_;
  Time handler_end_{};
  Time messages_end_{};  // until then the interrupt that serves messages finds those that arrive
  std::vector<Deferred*> spare_deferred_;
  boost::intrusive::list<Deferred>* live_deferred_;
};

struct Os::Settle {
  Os& os;
  bool await_ready() const noexcept { return os.debt_.count == 0; }
  void await_suspend(std::coroutine_handle<> h) { os.begin_stretch(h); }
  void await_resume() noexcept {}
};
inline Os::Settle Os::settle() { return {*this}; }

struct Os::Send {
  Os& os;
  const hal::Message& message;
  Task<> by_socket{};
  bool await_ready() const noexcept { return counting; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
    if (os.sockets_) [[unlikely]] {
      by_socket = os.sockets_->send(message);
      return by_socket.await_suspend(h);
    }
    os.begin_stretch(h);
    return std::noop_coroutine();
  }
  void await_resume() {
    if (os.sockets_) return;
    os.give_request(message);
    os.leave(message, os.now());
  }
};
inline Os::Send Os::send(const hal::Message& m) {
  charge(Cost::message_send);
  return {*this, m};
}

struct Os::GiveWay {
  Os& os;
  bool await_ready() const noexcept { return os.nothing_before_it(); }
  void await_suspend(std::coroutine_handle<> h) {
    const Counted<Cost::thread_switch> mark;
    Thread& t = os.current();
    os.block(t, h, nullptr);
    os.make_ready(t, true);
  }
  void await_resume() noexcept {}
};
inline Os::GiveWay Os::give_way() { return {*this}; }

inline void WaitQueue::Wait::await_suspend(std::coroutine_handle<> h) {
  const Counted<Cost::thread_switch> mark;
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
  ThreadQueue woken;  // a thread that waits again meanwhile waits for the next call
  woken.swap(threads_);
  Os& os = *os_;  // the queue may end with one of its threads
  while (!woken.empty()) {
    Thread& t = woken.front();
    woken.pop_front();
    os.make_ready(t);
  }
}

}  // namespace sunstar::os
