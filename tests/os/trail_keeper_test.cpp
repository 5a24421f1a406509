// SPDX-License-Identifier: MIT
// The trails of threads, worked out by hand: one cycle is one nanosecond.
#include "models/core/trail.h"
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
    common.trails = &trails;
    os.emplace(machine[0], common);
    os->trail_keeper().set_up("node", Stage::compute_processor);
    trails.start(Time{});
  }
  Duration spent(const Trail& trail, Stage stage) const { return trail.spent[static_cast<std::size_t>(stage)]; }

  FakeMachine machine{1};
  Common common{test::free_of_charge()};
  Trails trails;
  std::optional<Os> os;
};

Task<> compute(Os& os, double cycles, Trails& trails, Trail& at_end) {
  os.compute(Cycles{cycles});
  co_await os.settle();
  at_end = trails.current;
}

Task<> think(Os& os, Duration time, Trails& trails, Trail& at_end) {
  co_await os.sleep_until(os.now() + time);
  os.compute(Cycles{10});
  co_await os.settle();
  at_end = trails.current;
}

}  // namespace

TEST_CASE("a thread that waited for the processor continues the trail of the one that had it") {
  Explained node;
  Trail first, second;
  node.os->spawn(compute(*node.os, 100, node.trails, first), "first");
  node.os->spawn(compute(*node.os, 50, node.trails, second), "second");
  node.machine.timeline.run();
  CHECK(first.at == at_ns(100));
  CHECK(node.spent(first, Stage::compute_processor) == 100_ns);
  CHECK(second.at == at_ns(150));
  CHECK(node.spent(second, Stage::compute_processor) == 150_ns);
  CHECK(total(second.spent) == 150_ns);
  REQUIRE(node.trails.queues().front().name == "node.ready_threads");
  CHECK(node.trails.queues().front().waits == 1);
  CHECK(node.trails.queues().front().waited == 100_ns);
}

TEST_CASE("time that a thread sleeps is the application's, or a timer's if the thread is a daemon") {
  for (const bool daemon : {false, true}) {
    Explained node;
    Trail end;
    node.os->spawn(think(*node.os, 200_ns, node.trails, end), "thinker", {.daemon = daemon});
    node.machine.timeline.run();
    CHECK(node.spent(end, daemon ? Stage::timer : Stage::application) == 200_ns);
    CHECK(node.spent(end, Stage::compute_processor) == 10_ns);
    CHECK(total(end.spent) == 210_ns);
  }
}

TEST_CASE("a thread that is woken continues the trail of the one that woke it") {
  Explained node;
  WaitQueue queue(*node.os, "a signal");
  Trail end;
  const auto wait = [&]() -> Task<> {
    co_await queue.wait();
    co_await compute(*node.os, 5, node.trails, end);
  };
  const auto wake = [&]() -> Task<> {
    Trail unused;
    co_await compute(*node.os, 70, node.trails, unused);
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

TEST_CASE("time before the clock starts is on no trail") {
  Explained node;
  node.trails.start(at_ns(40));
  Trail end;
  node.os->spawn(compute(*node.os, 100, node.trails, end), "thread");
  node.machine.timeline.run();
  CHECK(total(end.spent) == 60_ns);
}
