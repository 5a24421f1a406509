// SPDX-License-Identifier: MIT
#include "models/node/processor_core.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using node::ProcessorCore;

TEST_CASE("a long copy interrupted n times ends exactly n handler times later") {
  // A copy of 1 ms, handlers of 3 us, an interrupt every 5 us: the 200th comes at 1000 us, when the copy, pushed back
  // by 199 handlers, has still 597 us to go.
  for (int n : {0, 1, 2, 17, 200}) {
    ProcessorCore core;
    CHECK(core.execute(Time{}, 1_ms) == Time{1_ms});
    for (int i = 1; i <= n; ++i) CHECK(core.interrupt(Time{i * 5_us}, 3_us) == Time{i * 5_us + 3_us});
    CHECK(core.thread_end() == Time{1_ms + n * 3_us});
    CHECK(core.thread_busy(Time::max()) == 1_ms);
    CHECK(core.interrupt_busy(Time::max()) == n * 3_us);
  }
}

TEST_CASE("an interrupt that comes when the copy has ended does not lengthen it") {
  ProcessorCore core;
  core.execute(Time{}, 10_us);
  core.interrupt(Time{10_us}, 3_us);
  CHECK(core.thread_end() == Time{10_us});
}

TEST_CASE("interrupts do not preempt each other but are served in order of arrival") {
  // At 10, 11 and 12 us, 3 us each: they end at 13, 16 and 19 us; one at 30 us finds nobody before it.
  ProcessorCore core;
  CHECK(core.interrupt(Time{10_us}, 3_us) == Time{13_us});
  CHECK(core.interrupt(Time{11_us}, 3_us) == Time{16_us});
  CHECK(core.interrupt(Time{12_us}, 3_us) == Time{19_us});
  CHECK(core.interrupt(Time{30_us}, 3_us) == Time{33_us});
}

TEST_CASE("queued interrupts delay the interrupted work by all of their handlers") {
  // 100 us of work; two interrupts at 50 us: the work has 50 us left at 56 us.
  ProcessorCore core;
  core.execute(Time{}, 100_us);
  core.interrupt(Time{50_us}, 3_us);
  core.interrupt(Time{50_us}, 3_us);
  CHECK(core.thread_end() == Time{106_us});
}

TEST_CASE("work given during an interrupt begins when its handler has ended") {
  // Handler from 10 to 13 us, 5 us of work given at 11 us: 18 us. A second handler at 12 us pushes it back: 21 us.
  ProcessorCore core;
  core.interrupt(Time{10_us}, 3_us);
  CHECK(core.execute(Time{11_us}, 5_us) == Time{18_us});
  core.interrupt(Time{12_us}, 3_us);
  CHECK(core.thread_end() == Time{21_us});
}

TEST_CASE("work is done in the order given, without gaps") {
  ProcessorCore core;
  CHECK(core.execute(Time{}, 5_us) == Time{5_us});
  CHECK(core.execute(Time{1_us}, 5_us) == Time{10_us});
  CHECK(core.execute(Time{20_us}, 5_us) == Time{25_us});
  CHECK(core.thread_busy(Time::max()) == 15_us);
}

TEST_CASE("thread work that waits for memory ends when the memory has moved its bytes, not earlier") {
  // 100 ns of work, but the memory is busy until 250.
  ProcessorCore core;
  core.execute(Time{}, 100_ns);
  core.wait_for_memory(Time{250_ns});
  CHECK(core.thread_end() == Time{250_ns});
  core.wait_for_memory(Time{200_ns});
  CHECK(core.thread_end() == Time{250_ns});
  CHECK(core.thread_busy(Time{250_ns}) == 250_ns);
}
