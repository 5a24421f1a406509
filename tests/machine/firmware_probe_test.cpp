// SPDX-License-Identifier: MIT
// The paths of threads, worked out by hand: one cycle is one nanosecond.
#include "platforms/machine/assembly/firmware_probe.h"

#include "sw/os/os.h"
#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::at_ns;
using test::FakeMachine;

namespace {

/// A node whose run is explained; nothing costs anything but what programs compute.
struct Explained {
  Explained() {
    os.emplace(machine[0], common);
    probe.emplace(Probe{.path = &paths}, *os, Stage::compute_processor, nullptr);
    paths.start(Time{});
  }
  Duration spent(const Path& path, Stage stage) const { return path.spent[static_cast<std::size_t>(stage)]; }

  FakeMachine machine{1};
  Common common{test::free_of_charge()};
  CriticalPath paths;
  std::optional<Os> os;
  std::optional<sunstar::machine::FirmwareProbe> probe;
};

Task<> compute(Os& os, double cycles, CriticalPath& paths, Path& at_end) {
  os.compute(Cycles{cycles});
  co_await os.settle();
  at_end = paths.current;
}

Task<> think(Os& os, Duration time, CriticalPath& paths, Path& at_end) {
  co_await os.sleep_until(os.now() + time);
  os.compute(Cycles{10});
  co_await os.settle();
  at_end = paths.current;
}

}  // namespace

TEST_CASE("a thread that waited for the processor continues the path of the one that had it") {
  Explained node;
  Path first, second;
  node.os->spawn(compute(*node.os, 100, node.paths, first), "first");
  node.os->spawn(compute(*node.os, 50, node.paths, second), "second");
  node.machine.timeline.run();
  CHECK(first.at == at_ns(100));
  CHECK(node.spent(first, Stage::compute_processor) == 100_ns);
  CHECK(second.at == at_ns(150));
  CHECK(node.spent(second, Stage::compute_processor) == 150_ns);
  CHECK(total(second.spent) == 150_ns);
  REQUIRE(node.paths.queues().front().name == node.machine[0].name() + ".ready_threads");
  CHECK(node.paths.queues().front().waits == 1);
  CHECK(node.paths.queues().front().waited == 100_ns);
}

TEST_CASE("time that a thread sleeps is the application's, or a timer's if the thread is a daemon") {
  for (const bool daemon : {false, true}) {
    Explained node;
    Path end;
    node.os->spawn(think(*node.os, 200_ns, node.paths, end), "thinker", {.daemon = daemon});
    node.machine.timeline.run();
    CHECK(node.spent(end, daemon ? Stage::timer : Stage::application) == 200_ns);
    CHECK(node.spent(end, Stage::compute_processor) == 10_ns);
    CHECK(total(end.spent) == 210_ns);
  }
}

TEST_CASE("a thread that is woken continues the path of the one that woke it") {
  Explained node;
  WaitQueue queue(*node.os, "a signal");
  Path end;
  const auto wait = [&]() -> Task<> {
    co_await queue.wait();
    co_await compute(*node.os, 5, node.paths, end);
  };
  const auto wake = [&]() -> Task<> {
    Path unused;
    co_await compute(*node.os, 70, node.paths, unused);
    co_await node.os->sleep_until(node.os->now() + 30_ns);
    queue.wake_all();
  };
  node.os->spawn(wait(), "waiter");
  node.os->spawn(wake(), "waker");
  node.machine.timeline.run();
  CHECK(end.at == at_ns(105));
  CHECK(node.spent(end, Stage::compute_processor) == 75_ns);
  CHECK(node.spent(end, Stage::application) == 30_ns);
}

TEST_CASE("time before the clock starts is on no path") {
  Explained node;
  node.paths.start(at_ns(40));
  Path end;
  node.os->spawn(compute(*node.os, 100, node.paths, end), "thread");
  node.machine.timeline.run();
  CHECK(total(end.spent) == 60_ns);
}
