// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <cstdint>

#include "models/core/critical_path.h"
#include "models/node/hal.h"
#include "sw/os/costs.h"
#include "sw/os/task.h"

// Threads of one node and the queues they wait in; run_queue.h runs them.
namespace sunstar::os {

class RunQueue;

/// The threads of one name on one node, and what they have computed.
struct ThreadKind {
  const char* name;
  CostTally tally{};    ///< how often they carried out each primitive
  double computed = 0;  ///< cycles of the program itself
};

/// A thread: its outermost coroutine and the point at which it goes on. It is in at most one queue at a time: that of
/// ready threads, or one in which it waits.
class Thread final : TaskEnd {
 public:
  const char* name() const { return kind_->name; }
  /// What the thread waits for, in words; null while it runs or is ready.
  const char* waiting_for() const { return waiting_for_; }
  /// The request that it works for, if an observer watches.
  hal::RequestId request() const { return request_; }
  std::uint32_t watched_as = 0;  ///< for an observer's own use
  Path* path = nullptr;          ///< what led to its present step, if the run is explained

  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook queue_hook;  ///< for the queue it is in
  Hook all_hook;    ///< for the list of its node's threads

 private:
  friend class Observed;
  friend class RunQueue;
  friend class WaitQueue;
  void task_ended() override { ended_ = true; }

  Task<> body_;
  ThreadKind* kind_ = nullptr;
  std::coroutine_handle<> next_step_;
  const char* waiting_for_ = nullptr;
  hal::RequestId request_ = 0;
  bool ended_ = false;
  bool urgent_ = false;
  bool daemon_ = false;
  // Of a node with several cores:
  bool pauses_ = false;  // when its core has computed for it, it does not go on: it waits, or has ended
  bool last_ = false;    // when it becomes ready, it is the last urgent thread
  bool owes_creation_ = false;
  std::uint8_t core_ = 0;  // that has computed for it
};

using ThreadQueue =
    boost::intrusive::list<Thread, boost::intrusive::constant_time_size<false>,
                           boost::intrusive::member_hook<Thread, decltype(Thread::queue_hook), &Thread::queue_hook>>;
using ThreadList =
    boost::intrusive::list<Thread, boost::intrusive::constant_time_size<false>,
                           boost::intrusive::member_hook<Thread, decltype(Thread::all_hook), &Thread::all_hook>>;

/// Threads of one node that wait for the same thing, first come, first served. `what` names it in reports of deadlocks.
class WaitQueue {
 public:
  explicit WaitQueue(RunQueue& run_queue, const char* what) : run_queue_(&run_queue), what_(what) {}
  WaitQueue(WaitQueue&& other) noexcept : run_queue_(other.run_queue_), what_(other.what_) {
    threads_.swap(other.threads_);
  }

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
  bool ending() const;

 private:
  RunQueue* run_queue_;
  const char* what_;
  ThreadQueue threads_;
};

}  // namespace sunstar::os
