// SPDX-License-Identifier: MIT
#pragma once
#include <utility>

#include "sw/os/os.h"

// Mutual exclusion among the threads of one node. A thread runs until it waits, so only work that spans a wait (a
// message, a disk command, computing) needs a mutex.
namespace sunstar::os {

/// A lock that one thread holds at a time. The thread that has waited longest gets it next: the releasing thread hands
/// it over, so no later thread slips in between.
class Mutex {
 public:
  explicit Mutex(Os& os, const char* what = "a mutex") : os_(&os), waiters_(os, what) {}

  /// Releases the mutex when it goes out of scope. While the executive is being destroyed, and unfinished threads with
  /// it, it does nothing: the mutex may already be gone.
  class [[nodiscard]] Guard {
   public:
    explicit Guard(Mutex& mutex) : mutex_(&mutex), os_(mutex.os_) {}
    Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)), os_(other.os_) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (mutex_ && !os_->ending()) mutex_->unlock();
    }

   private:
    Mutex* mutex_;
    Os* os_;
  };

  struct Lock {
    Mutex& mutex;
    bool await_ready() const noexcept { return !std::exchange(mutex.held_, true); }
    void await_suspend(std::coroutine_handle<> h) { mutex.waiters_.wait().await_suspend(h); }
    Guard await_resume() noexcept { return Guard(mutex); }
  };
  /// `const auto guard = co_await mutex.lock();`
  Lock lock() { return {*this}; }
  bool held() const { return held_; }

 private:
  friend class Condition;
  void unlock() {
    if (waiters_.empty()) held_ = false;
    else waiters_.wake_one();
  }

  Os* os_;
  WaitQueue waiters_;
  bool held_ = false;
};

/// Where threads wait for a condition that others make true under a mutex. A thread must check its condition again when
/// it wakes: another thread may have got the mutex first and used up what it waited for.
class Condition {
 public:
  explicit Condition(Os& os, const char* what = "a condition") : waiters_(os, what) {}

  /// Releases the mutex, which the caller holds, sleeps until notified, and returns with the mutex held again.
  Task<> wait(Mutex& mutex) {
    mutex.unlock();
    co_await waiters_.wait();
    if (!std::exchange(mutex.held_, true)) co_return;
    co_await mutex.waiters_.wait();
  }
  void notify_one() { waiters_.wake_one(); }
  void notify_all() { waiters_.wake_all(); }

 private:
  WaitQueue waiters_;
};

}  // namespace sunstar::os
