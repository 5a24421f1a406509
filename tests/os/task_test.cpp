// SPDX-License-Identifier: MIT
#include "sw/os/task.h"

#include <stdexcept>

#include "tests/support/catch.h"

using namespace sunstar::os;

namespace {

/// Runs a task that never waits for anything outside.
struct Runner final : TaskEnd {
  bool ended = false;
  void task_ended() override { ended = true; }
  void operator()(Task<>& task) {
    task.begin(*this).resume();
    if (ended) task.rethrow();
  }
};

Task<std::uint64_t> depth(std::uint64_t n) {
  if (n == 0) co_return 0;
  co_return 1 + co_await depth(n - 1);
}
Task<int> one() { co_return 1; }
Task<int> thrower() {
  throw std::runtime_error("from below");
  co_return 0;
}
Task<int> between() { co_return 1 + co_await thrower(); }

// GCC makes a resumption a jump only where it optimises calls at the end of a function, and never with the address
// sanitizer: there each one takes a frame of the stack.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
constexpr int many = 1'000'000;
#else
constexpr int many = 1'000;
#endif

/// Says when it is destroyed.
struct Local {
  explicit Local(int& alive) : alive(alive) { ++alive; }
  ~Local() { --alive; }
  int& alive;
};

}  // namespace

TEST_CASE("a task does nothing until it is awaited") {
  bool ran = false;
  const auto body = [&]() -> Task<> {
    ran = true;
    co_return;
  };
  Task<> task = body();
  CHECK_FALSE(ran);
  Runner run;
  run(task);
  CHECK(ran);
  CHECK(run.ended);
}

TEST_CASE("a task never awaited is destroyed without having run") {
  int alive = 0;
  {
    const auto body = [&]() -> Task<> {
      const Local local(alive);
      FAIL("it ran");
      co_return;
    };
    const Task<> task = body();
  }
  CHECK(alive == 0);
}

TEST_CASE("deeply nested resumptions do not overflow the stack") {
  const auto body = []() -> Task<> { CHECK(co_await depth(many) == many); };
  Task<> task = body();
  Runner run;
  run(task);
  CHECK(run.ended);
}

TEST_CASE("very many tasks awaited one after the other do not overflow the stack") {
  int sum = 0;
  const auto body = [&]() -> Task<> {
    for (int i = 0; i < many; ++i) sum += co_await one();
  };
  Task<> task = body();
  Runner run;
  run(task);
  CHECK(sum == many);
}

TEST_CASE("an exception reaches the awaiting task through the tasks between") {
  std::string caught;
  const auto body = [&]() -> Task<> {
    try {
      co_await between();
    } catch (const std::runtime_error& e) {
      caught = e.what();
    }
  };
  Task<> task = body();
  Runner run;
  run(task);
  CHECK(caught == "from below");
}

TEST_CASE("an uncaught exception reaches the caller that runs the thread") {
  const auto body = []() -> Task<> { co_await between(); };
  Task<> task = body();
  Runner run;
  CHECK_THROWS_WITH(run(task), "from below");
  CHECK(run.ended);
}

TEST_CASE("destroying a task that waits destroys those it waits for") {
  int alive = 0;
  const auto inner = [&]() -> Task<> {
    const Local local(alive);
    co_await std::suspend_always{};
  };
  const auto outer = [&]() -> Task<> {
    const Local local(alive);
    co_await inner();
  };
  {
    Task<> task = outer();
    Runner run;
    run(task);
    CHECK_FALSE(run.ended);
    CHECK(alive == 2);
  }
  CHECK(alive == 0);
}
