// SPDX-License-Identifier: MIT
#pragma once
#include <utility>

#include "sw/os/run_queue.h"

// Mutual exclusion among the threads of one node. A thread runs until it waits, so only work that spans a wait (a
// message, a disk command, computing) needs a mutex. With several cores, too, what a thread has computed before it
// unlocks is done before another thread has the mutex.
namespace sunstar::os {

/// A lock that one thread holds at a time. The thread that has waited longest gets it next: the releasing thread hands
/// it over, so no later thread slips in between.
class Mutex {
 public:
  explicit Mutex(RunQueue& run_queue, const char* what = "a mutex")
      : run_queue_(&run_queue), waiters_(run_queue, what) {}

  /// Releases the mutex when it goes out of scope. While the executive is being destroyed, and unfinished threads with
  /// it, it does nothing: the mutex may already be gone.
  class [[nodiscard]] Guard {
   public:
    explicit Guard(Mutex& mutex) : mutex_(&mutex), run_queue_(mutex.run_queue_) {}
    Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)), run_queue_(other.run_queue_) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (mutex_ && !run_queue_->ending()) mutex_->unlock();
    }

   private:
    Mutex* mutex_;
    RunQueue* run_queue_;
  };

  struct Lock {
    Mutex& mutex;
    bool mine = false;
    bool await_ready() noexcept {
      mine = !std::exchange(mutex.held_, true);
      return mine && mutex.run_queue_->computed(mutex.unlocked_);
    }
    void await_suspend(std::coroutine_handle<> h) {
      if (mine) mutex.run_queue_->wait_until_computed(mutex.unlocked_, h);
      else mutex.waiters_.wait().await_suspend(h);
    }
    Guard await_resume() noexcept { return Guard(mutex); }
  };
  /// `const auto guard = co_await mutex.lock();`
  Lock lock() { return {*this}; }
  bool held() const { return held_; }

 private:
  void unlock() {
    if (!waiters_.empty()) return waiters_.wake_one();
    held_ = false;
    unlocked_ = run_queue_->charged_work();
  }

  RunQueue* run_queue_;
  WaitQueue waiters_;
  bool held_ = false;
  Work unlocked_{};  // its holder unlocked it at the end of this work
};

}  // namespace sunstar::os
