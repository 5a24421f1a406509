// SPDX-License-Identifier: MIT
#include <sstream>

#include "models/core/error.h"
#include "platforms/kit/run_main.h"
#include "platforms/machine/report.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using Catch::Matchers::Contains;

namespace {

/// A file system whose first compute processor waits for an answer that nobody sends, and whose second waits at a
/// barrier for the first.
struct Deadlocked : file_systems::FileSystem {
  file_systems::System& system;
  os::ReplyAction never;
  std::unique_ptr<os::Barrier> barrier;

  explicit Deadlocked(file_systems::System& s) : system(s), never(*s.compute[0]) {}
  bool collective() const override { return false; }
  void start() override {
    system.io[0]->on_message(os::first_own_handler, {},
                             [this](hal::Message& m) { system.io[0]->node().network().release(m); });
    barrier = std::make_unique<os::Barrier>(system.compute);
    system.compute[0]->spawn(ask(), "main");
    system.compute[1]->spawn(wait(), "main");
  }
  os::Task<> ask() {
    never.expect();
    hal::Message m;
    m.target = system.io[0]->node().id();
    m.handler = os::first_own_handler;
    co_await system.compute[0]->send(m);
    while (never.outstanding()) co_await never.arrival();
    co_await barrier->wait(0);
  }
  os::Task<> wait() { co_await barrier->wait(1); }
};

std::unique_ptr<file_systems::FileSystem> deadlocked(file_systems::System& s) { return std::make_unique<Deadlocked>(s); }

}  // namespace

TEST_CASE("a deadlock is reported with who waits for whom") {
  CHECK_THROWS_AS(
      kit::run_trials(2, 1, [](std::uint32_t) { return torus::run_trial(test::small_torus(), 0, {}, deadlocked); }),
      SimulationError);
  try {
    torus::run_trial(test::small_torus(), 0, {}, deadlocked);
    FAIL("it ended");
  } catch (const SimulationError& e) {
    const std::string text = e.what();
    CHECK_THAT(text, Contains("deadlock at 0.0000"));
    CHECK_THAT(text, Contains("0 calls have ended"));
    CHECK_THAT(text, Contains("\n  machine.cp0: thread 'main' waits for replies"));
    CHECK_THAT(text, Contains("\n  machine.cp1: thread 'main' waits for the others at a barrier"));
  }
}

TEST_CASE("requests that nobody takes out of an input FIFO are named in the report of a deadlock") {
  // Room for one request at each node, and a receiver that takes none: the second waits outside.
  struct Hoarder : Deadlocked {
    using Deadlocked::Deadlocked;
    void start() override {
      system.io[0]->on_message(os::first_own_handler, {}, [](hal::Message&) {});
      system.compute[0]->spawn(ask_twice(), "main");
    }
    os::Task<> ask_twice() {
      for (int i = 0; i < 2; ++i) {
        hal::Message m;
        m.target = system.io[0]->node().id();
        m.handler = os::first_own_handler;
        co_await system.compute[0]->send(m);
      }
      never.expect();
      while (never.outstanding()) co_await never.arrival();
    }
  };
  auto config = test::small_torus();
  config.machine.network.input_fifo = 1;
  const auto create = [](file_systems::System& s) { return std::make_unique<Hoarder>(s); };
  CHECK_THROWS_WITH(torus::run_trial(config, 0, {}, create),
                    Contains("message from router 0 waits for room in the input FIFO at router 2"));
}

TEST_CASE("a deadlock ends the program with 4, keeps the waveforms and writes no result") {
  kit::Platform<torus::Config> platform{
      "sunstar-torus", "", "", {}, [](const torus::Config& config, kit::Session& session) {
        torus::Watch watch;
        watch.vcd = session.vcd;
        return torus::report({torus::run_trial(config, 0, watch, deadlocked)});
      }};
  test::TemporaryFolder folder;
  const std::string result = (folder.path / "r.json").string(), waves = (folder.path / "w.vcd").string();
  const char* argv[] = {"sunstar-torus", "--set",      "machine.compute_processors=2", "--output", result.c_str(),
                        "--vcd",         waves.c_str()};
  std::ostringstream out, err;
  CHECK(kit::run_main<torus::Config>(7, argv, platform, {out, err, false}) == 4);
  CHECK_THAT(err.str(), Contains("The simulation failed: deadlock at"));
  CHECK_THAT(err.str(), Contains("waits for"));
  CHECK_FALSE(std::filesystem::exists(result));
  CHECK(std::filesystem::exists(waves));
  CHECK(folder.files() == 1);
}
