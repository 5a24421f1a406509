// SPDX-License-Identifier: MIT
#pragma once
#include <utility>

#include "sw/os/os.h"

namespace sunstar::file_systems::striped {

/// Work that goes on at the same time, in a thread each.
class Together {
 public:
  /// `thread`: what those threads are called.
  Together(os::Os& os, const char* thread) : os_(os), thread_(thread), done_(os, thread) {}
  void add(os::Task<> work) {
    ++left_;
    os_.spawn(carry_out(std::move(work)), thread_);
  }
  /// Returns when all has been done.
  os::Task<> all() {
    while (left_ > 0) co_await done_.wait();
  }

 private:
  os::Task<> carry_out(os::Task<> work) {
    co_await work;
    if (--left_ == 0) done_.wake_all();
  }

  os::Os& os_;
  const char* const thread_;
  os::WaitQueue done_;
  std::size_t left_ = 0;
};

}  // namespace sunstar::file_systems::striped
