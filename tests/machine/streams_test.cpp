// SPDX-License-Identifier: MIT
// Messages from every I/O processor to every compute processor, without a file system.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/error.h"
#include "platforms/kit/config.h"
#include "platforms/machine/run/config.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::count;
using test::run_each;

namespace {

/// So many sinks and sources; clocks and messages do not vary.
machine::Config machine_with(const char* preset, std::uint32_t sinks, std::uint32_t sources, Bytes message_size,
                             Bytes bytes) {
  machine::Config config = machine::preset(preset);
  config.machine.compute_processors = sinks;
  config.machine.io_processors = config.machine.disks = sources;
  config.machine.node.clock_variation = 0;
  config.machine.network.kind.visit([](auto& fabric) { fabric.timing_variation = {}; });
  config.workload.kind = workload::StreamsParams{message_size, bytes};
  return config;
}

double elapsed_us(const machine::Config& config) {
  return run_each(std::vector{config, config}).front().at("elapsed_s").as_double() * 1e6;
}

}  // namespace

TEST_CASE("on a torus, one stream takes the time of its messages on the link") {
  const auto stream = [](Bytes bytes) {
    auto config = machine_with("torus", 1, 1, 8_KiB, bytes);
    test::cube_of(config).shape = {6, 6};  // on the chosen shape, [1,2], messages could go both ways round
    return config;
  };
  // 50 MHz: 20 ns a cycle. The first message of 8 KiB: the disk's driver and the source get the processor (2 * 45
  // cycles), the message is composed (47): 2.74 us. It is fetched by DMA at 400 MB/s: 20.48 us. The nodes are
  // neighbours: 2 router delays of 20 ns, and 8224 bytes at 200 MB/s: 41.16 us. The sink takes the interrupt,
  // the message and its data (45 + 30 + 36 cycles): 2.22 us, by DMA: 20.48 us. Together 87.08 us.
  CHECK(elapsed_us(stream(8_KiB)) == Approx(87.08));
  // All else is faster than the link, which the next message enters 41.12 us later and a router's cycle of 5 ns.
  CHECK(elapsed_us(stream(1_MiB)) == Approx(87.08 + 127 * 41.125));
}

TEST_CASE("on an SP-2, one stream takes the time of its sink's processor: 17 MB/s") {
  // At 66.7 MHz and two instructions a cycle a segment of 8 KiB takes its source 4340 + 2.97 * 8192 = 28670.24 cycles
  // and its sink 4800 + 2.97 * 8192 = 29130.24.
  //
  // A single message of one segment: two threads are dispatched (2 * 45 / 2), and message_send, socket_write and the
  // segment are charged (47 / 2 + 2670 + 28670.24): 31408.74 cycles, 470.8957 us. The DMA fetches 8192 bytes at
  // 600 MB/s: 13.6533 us. One chip, 0.125 us, and 8232 bytes at 34 MB/s, 242.1176 us. The sink: the interrupt, the
  // segment, the message, socket_read with select() over one socket (0.585 us) and deposit (45 / 2 + 29130.24 + 30 / 2
  // + 8039.02 + 36 / 2): 37224.76 cycles, 558.0923 us, and the DMA again. Together 1298.5373 us.
  CHECK(elapsed_us(machine_with("sp2", 1, 1, 8_KiB, 8_KiB)) == Approx(1298.5373).epsilon(1e-6));
  // A message of 64 KiB has 8 segments. Its source spends 47 / 2 + 2670 + 8 * 28670.24 cycles on it, and
  // 4 * (45 / 2 + 3800) on acknowledgements: 3708.4 us. Its sink spends 8 * 29130.24 + 30 / 2 + 8039.02 + 36 / 2, and
  // 4 * 3800 on acknowledgements: 256313.94 cycles, 3842.79 us; all segments wait there, so that one interrupt serves
  // them. So the sink decides: 65536 bytes in that time are 17.054 MB/s.
  const double ten = elapsed_us(machine_with("sp2", 1, 1, 64_KiB, 640_KiB));
  const double thirty = elapsed_us(machine_with("sp2", 1, 1, 64_KiB, 1920_KiB));
  CHECK((thirty - ten) / 20 == Approx(256313.94 / 66.7).epsilon(1e-7));
}

TEST_CASE("every message of every stream arrives, each byte right, on nodes of any kind") {
  std::vector<machine::Config> tori{
      machine_with("torus", 3, 2, 1_KiB, 16_KiB),
      machine_with("torus", 2, 5, {64}, 4_KiB),
      machine_with("torus", 1, 1, 1_MiB, 2_MiB),
  };
  test::cube_of(tori[1]).timing_variation = 5_us;  // messages overtake one another
  tori[2].machine.nodes.resize(1);                 // a node that is both sends to itself
  tori[2].machine.nodes[0].role = machine::Role::both;
  tori[2].machine.nodes[0].buses.resize(1);
  tori[2].machine.nodes[0].buses[0].drives.resize(1);
  std::vector<machine::Config> sp2s{
      machine_with("sp2", 3, 2, {10'000}, {160'000}),
      machine_with("sp2", 2, 5, {64}, 4_KiB),
  };
  test::tcp_of(sp2s[0]).window = {1000};
  test::tcp_of(sp2s[0]).acknowledge_every = 1;
  const auto check = [](const boost::json::object& result, std::uint64_t messages, std::uint64_t bytes) {
    CHECK(result.at("verified").as_bool());
    CHECK(count(result, "calls") == messages);
    CHECK(count(result.at("latency").as_object(), "count") == messages);
    CHECK(count(result, "bytes_moved") == bytes);
    CHECK(count(result, "bytes_verified") == bytes);
    CHECK(count(result, "message_bytes") == bytes);
    CHECK(count(result, "disk_reads") + count(result, "disk_writes") == 0);
  };
  const auto on_tori = run_each(tori);
  check(on_tori[0], 3 * 2 * 16, 3 * 2 * 16 << 10);
  check(on_tori[1], 2 * 5 * 64, 2 * 5 * 4 << 10);
  check(on_tori[2], 2, 2 << 20);
  for (const auto& result : on_tori) CHECK(count(result, "messages") == count(result, "calls"));
  const auto on_sp2s = run_each(sp2s);
  check(on_sp2s[0], 3 * 2 * 16, 3 * 2 * 160'000);
  check(on_sp2s[1], 2 * 5 * 64, 2 * 5 * 4 << 10);
}

TEST_CASE("the same streams twice give the same result to the last figure, with their random delays") {
  auto config = machine_with("torus", 4, 4, 1_KiB, 16_KiB);
  test::cube_of(config).timing_variation = 2_us;
  auto results = run_each(std::vector{config, config});
  for (auto& result : results) result.erase("host");
  CHECK(results[0] == results[1]);
}

TEST_CASE("streams run the same with any file system") {
  auto config = machine_with("torus", 2, 2, 1_KiB, 16_KiB);
  std::vector<machine::Config> configs{config};
  for (const char* kind : {"disk-directed", "two-phase", "enwrich", "hybrid"}) {
    configs.push_back(config);
    configs.back().file_system.kind = test::file_system_of(kind);
  }
  const auto results = run_each(configs);
  for (const auto& result : results) CHECK(result.at("elapsed_s") == results[0].at("elapsed_s"));
}

TEST_CASE("parameters of streams out of range or at odds are refused in a sentence") {
  const auto said = [](const std::string& setting) -> std::string {
    kit::ConfigInput input;
    input.settings.add("workload.kind=streams");
    input.settings.add(setting);
    try {
      kit::load_config<machine::Config>(std::move(input));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(said("workload.message_size=63B"), ContainsSubstring("it must be between 64B and 1MiB"));
  CHECK_THAT(said("workload.message_size=2MiB"), ContainsSubstring("it must be between 64B and 1MiB"));
  CHECK_THAT(said("workload.bytes=0B"), ContainsSubstring("it must be between 64B and 64GiB"));
  CHECK_THAT(said("workload.bytes=65GiB"), ContainsSubstring("it must be between 64B and 64GiB"));
  CHECK_THAT(
      said("workload.bytes=100000B"),
      ContainsSubstring("workload.bytes is 100000 bytes; it must be a whole number of messages of 65536 bytes."));
  CHECK_THAT(
      said("workload.message_size=100000B"),
      ContainsSubstring("workload.message_size is 100000 bytes; bytes, which is 1048576, must be a whole number of "
                        "messages."));
}

TEST_CASE("streams stand for themselves: not among several jobs, and not with faults") {
  auto config = machine_with("torus", 2, 1, 1_KiB, 1_KiB);
  config.faults.push_back(test::stop("cp1", 1_ms));
  CHECK(test::refusal(config) ==
        "faults: workload.kind is streams, which does not survive a node that stops, pauses or is cut off; "
        "leave out these faults.");
  config.faults.clear();
  config.workload.jobs = {{1, false, {}}, {1, false, config.workload.kind}};
  CHECK(test::refusal(config) ==
        "workload.jobs.1.kind is streams, which uses all nodes of the machine and shares them with no other job; leave "
        "it out.");
}

namespace {

/// Streams' own software, and one thing more when the sources have begun.
class Spoiler : public file_systems::FileSystem {
 public:
  using Deed = std::function<void(file_systems::Run&)>;
  Spoiler(file_systems::Run& run, Deed deed)
      : run_(run), deed_(std::move(deed)), honest_(file_systems::make({}, run)) {}
  void start() override {
    honest_->start();
    deed_(run_);
  }
  workload::Unit unit(std::uint32_t team) const override { return honest_->unit(team); }

 private:
  file_systems::Run& run_;
  Deed deed_;
  std::unique_ptr<file_systems::FileSystem> honest_;
};

std::string said_of(const Spoiler::Deed& deed) {
  try {
    machine::run_trial(machine_with("torus", 1, 1, 8_KiB, 16_KiB), 0, {},
                       [&](file_systems::Run& s) { return std::make_unique<Spoiler>(s, deed); });
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a byte that changes on its way from the source fails the run, and the message names it") {
  CHECK(said_of([](file_systems::Run& s) {
          // The source's buffer is what its node has given out last. Its first message has not left.
          hal::Node& source = s.nodes.io[0].endpoint.os.node();
          *source.memory().bytes(source.allocate(64) - 1, 1) ^= std::byte{1};
        }) ==
        "verification failed: message 0 from I/O processor 0 to compute processor 0 arrived with a wrong byte 8191");
}

TEST_CASE("checks of bytes that do not add up fail the run") {
  CHECK(said_of([](file_systems::Run& s) { s.job.record.checked(1); }) ==
        "16385 checks of bytes on arrival were carried out, the workload has 16384");
}

TEST_CASE("a run that ends without having sent its messages fails") {
  struct Idle : file_systems::FileSystem {
    explicit Idle(file_systems::Run& s) : run(s) {}
    void start() override { run.nodes.io[0].endpoint.os.spawn(end(), "idle"); }
    workload::Unit unit(std::uint32_t) const override { return workload::Unit::call; }
    os::Task<> end() {
      run.job.record.finish(Time{1_us});
      co_return;
    }
    file_systems::Run& run;
  };
  CHECK_THROWS_WITH(machine::run_trial(machine_with("torus", 1, 1, 8_KiB, 16_KiB), 0, {},
                                       [](file_systems::Run& s) { return std::make_unique<Idle>(s); }),
                    "0 messages were carried out, the workload has 2");
}

TEST_CASE("streams end without the messages that a broken link keeps from their sinks, and say how many those are") {
  auto config = machine_with("nvme-cluster", 2, 2, 1_KiB, 64_KiB);
  machine::Fault fault;
  fault.place = "network.*.down*";
  fault.effect = network::LinkDown{};
  fault.trigger.kind = faults::AtTime{2_us};
  config.faults = {fault};
  const auto result = run_each(std::vector{config, config}).front();
  const std::uint64_t moved = count(result, "bytes_moved");
  CHECK(moved > 0);
  CHECK(moved < 256 << 10);
  CHECK(count(result.at("faults").as_object(), "failed_calls") == 256 - moved / 1024);
  CHECK_THAT(std::string(result.at("warnings").as_array().back().as_string()),
             ContainsSubstring(std::to_string((256 << 10) - moved) + " bytes did not come"));
}
