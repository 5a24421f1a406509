// SPDX-License-Identifier: MIT
// A user's own module beside a machine.
#include <systemc>

#include "models/kernel/sc_time_bridge.h"
#include "models/kernel/simulation.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;

namespace {

/// A thread that sleeps for 7 us at a time and sets an event of 3 us, a method that the event calls, and another that
/// calls itself every 5 us, at times that are the machine's own, too. They count what happens at the time they expect.
struct Foreign : sc_core::sc_module {
  explicit Foreign(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Foreign);
    SC_THREAD(sleep);
    SC_METHOD(answer);
    sensitive << event;
    dont_initialize();
    SC_METHOD(tick);
  }
  void sleep() {
    for (int i = 0; i < times; ++i) {
      due += sc_core::sc_time(7, sc_core::SC_US);
      wait(7, sc_core::SC_US);
      right += sc_core::sc_time_stamp() == due && now() == kernel_now();
      answer_due = due + sc_core::sc_time(3, sc_core::SC_US);
      event.notify(3, sc_core::SC_US);
    }
  }
  void answer() { right += sc_core::sc_time_stamp() == answer_due; }
  void tick() {
    right += sc_core::sc_time_stamp() == ticks * sc_core::sc_time(5, sc_core::SC_US);
    if (++ticks < times) next_trigger(5, sc_core::SC_US);
  }
  static constexpr int times = 1000;
  sc_core::sc_event event;
  sc_core::sc_time due, answer_due;
  int ticks = 0, right = 0;
};

/// The figures of a run, without what the host spent, beside a foreign module or alone; and how much was right there.
boost::json::object figures(const machine::Config& config, bool beside) {
  const Foreign* foreign = nullptr;
  const auto make = [&](file_systems::Run& run) {
    if (beside) foreign = &never_destroyed<Foreign>("foreign");
    return file_systems::make(config.file_system, run);
  };
  boost::json::object all = test::figures_of(machine::run_trial(config, 0, {}, make));
  all.erase("host");
  return {{"machine", std::move(all)}, {"right", foreign ? foreign->right : 0}};
}

}  // namespace

TEST_CASE("a foreign module beside a machine changes none of its figures, and its own times are right") {
  for (const char* kind : {"traditional-caching", "disk-directed", "galley"}) {
    CAPTURE(kind);
    const machine::Config config = test::small_torus(kind);
    const auto runs = kit::run_trials(2, 2, [&](std::uint32_t beside) { return figures(config, beside == 1); });
    CHECK(runs[0].at("machine") == runs[1].at("machine"));
    CHECK(runs[1].at("right") == 3 * Foreign::times);
  }
}
