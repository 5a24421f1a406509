// SPDX-License-Identifier: MIT
#include <sstream>

#include "models/core/error.h"
#include "platforms/kit/run/run_main.h"
#include "platforms/kit/run/run_params.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A machine whose nodes do not ask whether the others are there.
machine::Config trusting() {
  machine::Config config = test::small_torus();
  config.machine.peers.kind = os::Trusted{};
  return config;
}

/// A file system whose first compute processor waits for an answer that never comes, and whose second waits at a
/// barrier for the first.
struct Deadlocked : file_systems::FileSystem {
  struct Request {
    messages::ReplyTo reply;
  };
  file_systems::Run& run;
  messages::Kind<Request> request;
  messages::Endpoint &first, &server;
  messages::ReplyAction never;
  std::unique_ptr<messages::Barrier> barrier;

  explicit Deadlocked(file_systems::Run& s)
      : run(s),
        request(s.protocol.numbers, "request"),
        first(*s.nodes.compute[0]),
        server(*s.nodes.compute[1]),
        never(first) {}
  workload::Unit unit(std::uint32_t) const override { return workload::Unit::call; }
  void start() override {
    os::Os& io = run.nodes.io[0].endpoint.os;
    request.on_arrival(io, [&io](hal::Message& m) { io.node().network().release(m); });
    barrier = std::make_unique<messages::Barrier>(run.nodes.compute, run.protocol.numbers);
    first.os.spawn(ask(), "main");
    server.os.spawn(wait(), "main");
  }
  hal::Message asking() {
    return request.message(run.nodes.io[0].endpoint.id(), {never.expect(run.nodes.io[0].endpoint.id())});
  }
  os::Task<> ask() {
    co_await first.os.send(asking());
    while (never.outstanding()) co_await never.arrival();
    co_await barrier->wait(0);
  }
  os::Task<> wait() { co_await barrier->wait(1); }
};

std::unique_ptr<file_systems::FileSystem> deadlocked(file_systems::Run& s) { return std::make_unique<Deadlocked>(s); }

/// The machine is the test's, so the program needs no other parameters than everyone's.
struct RunOnly {
  kit::RunParams run;
};
BOOST_DESCRIBE_STRUCT(RunOnly, (), (run))
std::vector<Param> parameters(const RunOnly*) { return {{"run", "trials"}}; }

}  // namespace

TEST_CASE("the report of a deadlock says who waits for whom") {
  CHECK_THROWS_AS(
      kit::run_trials(
          2, 1, [](std::uint32_t) { return test::figures_of(machine::run_trial(trusting(), 0, {}, deadlocked)); }),
      SimulationError);
  try {
    machine::run_trial(trusting(), 0, {}, deadlocked);
    FAIL("it ended");
  } catch (const SimulationError& e) {
    const std::string text = e.what();
    CHECK_THAT(text, ContainsSubstring("deadlock at 0.0000"));
    CHECK_THAT(text, ContainsSubstring("0 calls have ended"));
    CHECK_THAT(text, ContainsSubstring("\n  machine.cp0: thread 'main' waits for replies"));
    CHECK_THAT(text, ContainsSubstring("\n  machine.cp1: thread 'main' waits for the others at a barrier"));
  }
}

TEST_CASE("the report of a deadlock names requests that nobody takes out of an input FIFO") {
  // Room for one request at each node, and a receiver that takes none: the second waits outside.
  struct Hoarder : Deadlocked {
    using Deadlocked::Deadlocked;
    void start() override {
      request.on_arrival(run.nodes.io[0].endpoint.os, [](hal::Message&) {});
      first.os.spawn(ask_twice(), "main");
    }
    os::Task<> ask_twice() {
      for (int i = 0; i < 2; ++i) co_await first.os.send(asking());
      while (never.outstanding()) co_await never.arrival();
    }
  };
  auto config = trusting();
  test::cube_of(config).input_fifo = 1;
  const auto create = [](file_systems::Run& s) { return std::make_unique<Hoarder>(s); };
  CHECK_THROWS_WITH(machine::run_trial(config, 0, {}, create),
                    ContainsSubstring("message from router 0 waits for room in the input FIFO at router 2"));
}

TEST_CASE("a deadlock ends the program with exit code 4, keeps the waveforms and writes no result") {
  kit::Platform<RunOnly, machine::Result> platform;
  platform.name = "sunstar-torus";
  platform.run_trial = [](const RunOnly&, std::uint32_t trial, const kit::Watch& watch) {
    return machine::run_trial(trusting(), trial, watch, deadlocked);
  };
  test::TemporaryFolder folder;
  const std::string result = (folder.path / "r.json").string(), waves = (folder.path / "w.vcd").string();
  const char* argv[] = {"sunstar-torus", "--output", result.c_str(), "--vcd", waves.c_str()};
  std::ostringstream out, err;
  CHECK(kit::run_main(5, argv, platform, {out, err, false}) == 4);
  CHECK_THAT(err.str(), ContainsSubstring("The simulation failed: deadlock at"));
  CHECK_THAT(err.str(), ContainsSubstring("waits for"));
  CHECK_FALSE(std::filesystem::exists(result));
  CHECK(std::filesystem::exists(waves));
  CHECK(folder.files() == 1);
}

TEST_CASE("a deadlock is found although a daemon's timer goes on, and the report names the daemon too") {
  struct Ticking : Deadlocked {
    using Deadlocked::Deadlocked;
    void start() override {
      Deadlocked::start();
      first.os.spawn(tick(), "ticker", {.daemon = true});
    }
    os::Task<> tick() {
      while (true) co_await first.os.sleep_until(first.os.now() + std::chrono::milliseconds{1});
    }
  };
  const auto create = [](file_systems::Run& s) { return std::make_unique<Ticking>(s); };
  CHECK_THROWS_WITH(machine::run_trial(trusting(), 0, {}, create),
                    ContainsSubstring("deadlock at") &&
                        ContainsSubstring("machine.cp0: daemon 'ticker' waits for a point of time") &&
                        ContainsSubstring("machine.cp0: thread 'main' waits for replies"));
}

TEST_CASE("a run ends when its programs have ended, even with daemons") {
  // Beside an honest file system, a daemon that sleeps for ever again. Without it the result is the same.
  struct Ticking : file_systems::FileSystem {
    file_systems::Run& run;
    std::unique_ptr<file_systems::FileSystem> honest;
    explicit Ticking(file_systems::Run& s) : run(s), honest(file_systems::make(trusting().file_system, s)) {}
    workload::Unit unit(std::uint32_t team) const override { return honest->unit(team); }
    void start() override {
      honest->start();
      os::Os& os = run.nodes.io[0].endpoint.os;
      os.spawn(tick(os), "ticker", {.daemon = true});
    }
    static os::Task<> tick(os::Os& os) {
      while (true) co_await os.sleep_until(os.now() + std::chrono::milliseconds{7});
    }
  };
  const auto create = [](file_systems::Run& s) { return std::make_unique<Ticking>(s); };
  const auto both = kit::run_trials(2, 1, [&](std::uint32_t i) {
    return test::figures_of(i == 0 ? machine::run_trial(trusting(), 0) : machine::run_trial(trusting(), 0, {}, create));
  });
  CHECK(both[1].at("verified") == true);
  CHECK(test::count(both[0], "messages") == test::count(both[1], "messages"));
  CHECK(both[1].at("elapsed_s").as_double() == Approx(both[0].at("elapsed_s").as_double()).epsilon(0.01));
}
