// SPDX-License-Identifier: MIT
#pragma once
#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
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

/// Owns the frame of a coroutine; destroying an unfinished frame destroys those it waits for.
template <class Promise>
class Frame {
 public:
  Frame() = default;
  explicit Frame(std::coroutine_handle<Promise> h) : handle_(h) {}
  Frame(Frame&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Frame& operator=(Frame&& other) noexcept {
    if (handle_) handle_.destroy();
    handle_ = std::exchange(other.handle_, {});
    return *this;
  }
  ~Frame() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  /// Throws the exception with which the coroutine has ended, if any.
  void rethrow() const {
    if (handle_ && handle_.promise().exception) std::rethrow_exception(handle_.promise().exception);
  }

 protected:
  std::coroutine_handle<Promise> handle_;
};

template <class T>
struct Promise : detail::PromiseBase {
  T value{};
  std::coroutine_handle<Promise> get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_value(T v) { value = std::move(v); }
};
template <>
struct Promise<void> : detail::PromiseBase {
  std::coroutine_handle<Promise> get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_void() {}
};

/// A coroutine of firmware. It starts when it is awaited (or when a thread is made of it), and at its end it resumes,
/// by symmetric transfer, the coroutine that awaited it. The Task object owns the frame.
template <class T = void>
class [[nodiscard]] Task : public Frame<Promise<T>> {
 public:
  using promise_type = Promise<T>;
  Task() = default;
  Task(std::coroutine_handle<promise_type> h) : Frame<promise_type>(h) {}

  T await_resume() {
    this->rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(this->handle_.promise().value);
  }

  /// For the scheduler: returns the frame to resume; `end` is called when the task has ended.
  std::coroutine_handle<> begin(TaskEnd& end) {
    this->handle_.promise().end = &end;
    return this->handle_;
  }
};

}  // namespace sunstar::os
