// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

namespace sunstar::os {

/// Memory for coroutine frames: the pool keeps freed frames by size and uses them again, so a new thread for each
/// request costs no allocation. It has no locks, because a simulation runs on one host thread.
class FramePool {
 public:
  static void* take(std::size_t bytes) {
    const std::size_t shelf = (bytes + grain - 1) / grain;
    if (shelf >= shelves) return ::operator new(bytes);
    auto& kept = instance().kept_[shelf];
    if (kept.empty()) return ::operator new(shelf* grain);
    void* p = kept.back();
    kept.pop_back();
    return p;
  }
  static void give_back(void* p, std::size_t bytes) {
    const std::size_t shelf = (bytes + grain - 1) / grain;
    if (shelf >= shelves) ::operator delete(p);
    else instance().kept_[shelf].push_back(p);
  }

 private:
  static constexpr std::size_t grain = 64, shelves = 64;
  static FramePool& instance() { return pool_; }
  ~FramePool() {
    for (auto& kept : kept_)
      for (void* p : kept) ::operator delete(p);
  }
  static FramePool pool_;
  std::vector<void*> kept_[shelves];
};
inline constinit FramePool FramePool::pool_;  // ready before main(), so that take() need not check

/// Called when the outermost coroutine of a thread has returned.
class TaskEnd {
 public:
  virtual void task_ended() = 0;

 protected:
  ~TaskEnd() = default;
};

namespace detail {
struct PromiseBase {
  std::coroutine_handle<> continuation;
  TaskEnd* end = nullptr;
  std::exception_ptr exception;

  static void* operator new(std::size_t bytes) { return FramePool::take(bytes); }
  static void operator delete(void* p, std::size_t bytes) { FramePool::give_back(p, bytes); }

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
      PromiseBase& p = h.promise();
      if (p.end) p.end->task_ended();  // may not destroy the frame
      return p.continuation ? p.continuation : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() { exception = std::current_exception(); }
};
}  // namespace detail

/// A coroutine of firmware. It starts when it is awaited (or when a thread is made of it), and at its end it resumes,
/// by symmetric transfer, the coroutine that awaited it. The Task object owns the frame; destroying an unfinished frame
/// destroys those it waits for.
template <class T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type : detail::PromiseBase {
    T value{};
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    void return_value(T v) { value = std::move(v); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  T await_resume() {
    if (handle_.promise().exception) std::rethrow_exception(handle_.promise().exception);
    return std::move(handle_.promise().value);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> h) : handle_(h) {}
  std::coroutine_handle<promise_type> handle_;
};

template <>
class [[nodiscard]] Task<void> {
 public:
  struct promise_type : detail::PromiseBase {
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    void return_void() {}
  };

  Task() = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (handle_) handle_.destroy();
    handle_ = std::exchange(other.handle_, {});
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  void await_resume() {
    if (handle_.promise().exception) std::rethrow_exception(handle_.promise().exception);
  }

  /// For the scheduler: returns the frame to resume; `end` is called when the task has ended.
  std::coroutine_handle<> begin(TaskEnd& end) {
    handle_.promise().end = &end;
    return handle_;
  }
  void rethrow() const {
    if (handle_ && handle_.promise().exception) std::rethrow_exception(handle_.promise().exception);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> h) : handle_(h) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace sunstar::os
