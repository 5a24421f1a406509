// SPDX-License-Identifier: MIT
#include "platforms/network/run.h"

#include "models/core/error.h"
#include "platforms/kit/run/trials.h"
#include "tests/support/catch.h"
#include "tests/support/machines.h"
#include "tests/support/temporary_folder.h"

namespace sunstar::traffic {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::TemporaryFolder;

Config network(const char* model) {
  Config config;
  test::cube_of(config).model = model;
  test::cube_of(config).router.buffer_flits = 8;
  return config;
}

Config synthetic(const char* model, double load, std::uint32_t flits = 8) {
  Config config = network(model);
  SyntheticParams params;
  params.load = load;
  params.warm_up = 5000;
  params.measured = 30000;
  config.workload.kind = params;
  config.workload.packet_flits = flits;
  return config;
}

Config trace(const char* model, const std::filesystem::path& file) {
  Config config = network(model);
  config.workload.kind = TraceParams{file, TimeUnit::us};
  return config;
}

}  // namespace

TEST_CASE("below saturation all offered traffic arrives, and latency is that of BookSim2") {
  // 6x6 torus, L = 8, B = 8, 0.3 flits a node a cycle: 33.4 cycles there, with 1 % of noise on both sides.
  const auto trial = run_trial(synthetic("flit", 0.3), 0);
  const Result& result = trial.result;
  REQUIRE(result.verdict);
  CHECK(result.verdict->saturated == false);
  CHECK(*result.accepted == Approx(0.3).epsilon(0.02));
  CHECK(*result.latency->mean_cycles == Approx(33.4).epsilon(0.03));
  CHECK(*result.latency_from_injection->mean_cycles < *result.latency->mean_cycles);
  CHECK(*result.latency->p50_cycles < *result.latency->p99_cycles);
  CHECK(*result.zero_load_cycles == Approx(25).epsilon(0.01));
  // 3 links a message, 4 links a router: a flit in 0.3 x 3 / 4 of the cycles.
  CHECK(result.links->mean == Approx(0.225).epsilon(0.02));
  CHECK(trial.statistics.contains("machine.network.router7.up0_utilisation"));
}

TEST_CASE("above saturation the verdict says so and gives the accepted load, and there is no deadlock") {
  const auto result = run_trial(synthetic("flit", 0.8), 0).result;
  CHECK(result.verdict->saturated == true);
  CHECK_THAT(result.verdict->verdict, ContainsSubstring("saturated"));
  CHECK(*result.accepted == Approx(0.49).epsilon(0.05));
}

TEST_CASE("a deadlock fails the simulation, and the message shows the circle") {
  Config config = synthetic("flit", 0.8);
  test::cube_of(config).router.vc_class_rule = "none";
  try {
    run_trial(config, 0);
    FAIL("no deadlock");
  } catch (const SimulationError& e) {
    CHECK_THAT(e.what(), ContainsSubstring("deadlock at ") && ContainsSubstring("will never arrive") &&
                             ContainsSubstring(", virtual channel 0") && ContainsSubstring("waits for that of router"));
  }
}

TEST_CASE("a mesh needs no rule against deadlocks") {
  Config config = synthetic("flit", 0.9);
  test::cube_of(config).topology = network::Topology::mesh;
  test::cube_of(config).router.vc_class_rule = "none";
  test::cube_of(config).router.virtual_channels = 1;
  CHECK(run_trial(config, 0).result.verdict->saturated == true);
}

TEST_CASE("the worm model carries the same traffic, and warns when links are too busy for it") {
  // Three links a message: at 0.1 flits a node a link is busy for 7.5 % of the time, at 0.4 for 30 %.
  const auto result = run_trial(synthetic("worm", 0.1), 0).result;
  CHECK(*result.latency->mean_cycles == Approx(26.8).epsilon(0.03));
  CHECK(result.warnings.empty());
}

TEST_CASE("the worm model warns where it was used beyond its range") {
  const auto result = run_trial(synthetic("worm", 0.4), 0).result;
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(),
             ContainsSubstring("the worm model is good for links that are busy up to 20 % of the time") &&
                 ContainsSubstring("router") && ContainsSubstring("machine.network.model=flit"));
}

TEST_CASE("on a fat tree with random ports up and queues in order, worms take as long as BookSim2's flits") {
  // A 4-ary 2-tree, L = 8, B = 16, 0.3 flits a node a cycle: 26.4 cycles there, with 1 % of noise on both sides.
  Config config = synthetic("worm", 0.3);
  network::FatTreeParams tree;
  tree.switch_ports = 8;
  tree.half_top = true;
  tree.routing = network::UpRouting::random;
  tree.queues = network::Queues::in_order;
  tree.link_bandwidth = Bandwidth{1e9};
  tree.switch_delay = 4_ns;
  tree.cable_delay = {};
  tree.switch_buffer = Bytes{16};
  config.machine.network.kind = tree;
  const auto result = run_trial(config, 0).result;
  CHECK(*result.latency->mean_cycles == Approx(26.4).epsilon(0.03));
  CHECK(*result.mean_hops == Approx(1.5).epsilon(0.01));
  CHECK(result.warnings.empty());
}

namespace {
/// 72 nodes as BookSim2's `dragonflynew` of k = 2, buffers of 256 flits.
Config dragonfly(network::DragonflyRouting routing, const char* pattern, double load) {
  Config config = synthetic("worm", load);
  config.workload.kind.as<SyntheticParams>().pattern = pattern;
  network::DragonflyParams params;
  params.routers = 4;
  params.nodes = params.global_links = 2;
  params.routing = routing;
  params.ugal_threshold = Bytes{30};
  params.virtual_channels = routing == network::DragonflyRouting::ugal ? 3 : 2;
  params.queues = network::Queues::in_order;
  params.link_bandwidth = params.global_bandwidth = Bandwidth{1e9};
  params.router_delay = 4_ns;
  params.node_cable = {};
  params.local_cable = 9_ns;
  params.global_cable = 99_ns;
  params.router_buffer = Bytes{256};
  config.machine.network.kind = params;
  return config;
}
}  // namespace

TEST_CASE("on a dragonfly with minimal routing, worms take as long as BookSim2's flits") {
  // 140.1 cycles there, over 2.31 links.
  const auto result = run_trial(dragonfly(network::DragonflyRouting::minimal, "uniform", 0.35), 0).result;
  CHECK(*result.latency->mean_cycles == Approx(140.1).epsilon(0.03));
  CHECK(*result.mean_hops == Approx(2.31).epsilon(0.01));
}

TEST_CASE("on a dragonfly with UGAL, worms take other groups as often as BookSim2's flits") {
  // Each node sends to the next group: 178.1 cycles there, over 3.17 links instead of 2.5.
  const auto result = run_trial(dragonfly(network::DragonflyRouting::ugal, "next-group", 0.1), 0).result;
  CHECK(*result.latency->mean_cycles == Approx(178.1).epsilon(0.03));
  CHECK(*result.mean_hops == Approx(3.17).epsilon(0.02));
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), ContainsSubstring("up to 40 % of the time"));
}

namespace {
/// Full load on buffers of two messages and links without length.
bool saturates(const char* pattern) {
  Config config = dragonfly(network::DragonflyRouting::ugal, pattern, 1);
  auto& params = config.machine.network.kind.as<network::DragonflyParams>();
  params.virtual_channels = 4;
  params.router_buffer = Bytes{16};
  params.local_cable = params.global_cable = {};
  return run_trial(config, 0).result.verdict->saturated == true;
}
}  // namespace

TEST_CASE("a dragonfly with small buffers does not deadlock under full uniform load") { CHECK(saturates("uniform")); }
TEST_CASE("a dragonfly with small buffers does not deadlock if each node sends to the next group") {
  CHECK(saturates("next-group"));
}

TEST_CASE("a trace of messages is played at its times, and each message is recorded") {
  // Alone: 6 + 4 H + (L - 1) cycles of 5 ns. From 0 to 3 either way is three links.
  const TemporaryFolder folder;
  Config config = trace("flit", folder.write("messages.csv", "time,from,to,bytes\n1,0,3,8\n1,5,5,1\n3.5,0,35,100\n"));
  config.run.records = folder.path / "records.csv";
  const auto result = run_trial(config, 0).result;
  CHECK(result.messages == 3);
  CHECK(result.message_bytes == 109);
  CHECK(*result.measured_cycles == 813);  // from 0 to 4065 ns
  CHECK(TemporaryFolder::read(config.run.records) ==
        "created_ns,injected_ns,arrived_ns,from,to,bytes,hops\n"
        "1000,1000,1030,5,5,1,0\n"
        "1000,1000,1125,0,3,8,3\n"
        "3500,3500,4065,0,35,100,2\n");
}

namespace {
void check_trace_with_faults(const char* model) {
  const TemporaryFolder folder;
  Config config =
      trace(model, folder.write("messages.csv", "time,from,to,bytes\n1,0,3,8\n1,5,4,1\n2,0,1,8\n3,7,0,8\n"));
  test::cube_of(config).router.vc_class_rule = "dateline";
  config.faults.resize(2);
  config.faults[0].place = "network.router0.up0";
  config.faults[0].effect = network::LinkDown{};
  config.faults[1].place = "network.router7";
  config.faults[1].effect = network::RouterDown{};
  const auto result = run_trial(config, 0).result;
  CHECK(result.messages == 3);
  CHECK(*result.mean_hops == Approx((3 + 1 + 5) / 3.0));  // from 0 to 1 the long way
  CHECK(result.warnings.back() == "1 message vanished by faults");
}
}  // namespace

TEST_CASE("a trace ends when its messages have arrived or vanished, and faults are at the places that they name") {
  check_trace_with_faults("worm");
}
TEST_CASE("a trace of flits ends when its messages have arrived or vanished") { check_trace_with_faults("flit"); }

TEST_CASE("in the worm model, too, a trace of messages lasts until its last message has arrived") {
  const TemporaryFolder folder;
  Config config = trace("worm", folder.write("messages.csv", "time,from,to,bytes\n1,0,3,8\n1,5,5,1\n3.5,0,35,100\n"));
  const auto result = run_trial(config, 0).result;
  // 100 bytes over two links from 3.5 us on: 4 cycles for each of three routers, and the bytes, after one cycle for
  // injection.
  CHECK(static_cast<double>(*result.measured_cycles) == Approx(700 + 1 + 12 + 100).margin(1));
  CHECK(result.links->max < 0.2);
  CHECK(result.warnings.empty());
}

TEST_CASE("too few messages give no verdict, and no link is busy for longer than the window") {
  // A cycle of 5 ns, in which some routers begin worms of 80 flits of 5 ns: one of them alone is 80 times the window.
  const auto run = [](std::uint32_t i) {
    Config config = synthetic(i == 0 ? "worm" : "flit", 1, 80);
    auto& params = config.workload.kind.as<SyntheticParams>();
    params.warm_up = 2000;
    params.measured = 1;
    params.precision = 1;
    return kit::to_json(run_trial(config, 0));
  };
  for (const auto& trial : kit::run_trials(2, 2, run)) {
    const auto& result = trial.at("result");
    CHECK(result.at("measured_cycles") == 1);
    CHECK(result.at("messages").to_number<int>() < 40);
    CHECK(result.at("saturated").is_null());
    CHECK(result.at("verdict") == "none: too few messages measured");
    REQUIRE(result.at("warnings").as_array().size() == 1);
    CHECK_THAT(std::string(result.at("warnings").at(0).as_string()),
               ContainsSubstring("too few messages measured: ") &&
                   ContainsSubstring(", and a verdict needs 40; raise workload.measured or workload.load"));
    CHECK(result.at("links").at("max").to_number<double>() <= 1);
    for (const auto& [name, figure] : trial.at("statistics").as_object()) {
      INFO(std::string(name));
      if (figure.at("unit") == "fraction") CHECK(figure.at("value").to_number<double>() <= 1);
    }
  }
}

TEST_CASE("one cycle of a saturated network gives no verdict either") {
  Config config = synthetic("worm", 1);
  auto& params = config.workload.kind.as<SyntheticParams>();
  params.measured = 1;
  params.precision = 1;
  const auto result = run_trial(config, 0).result;
  CHECK_FALSE(result.verdict->saturated.has_value());
  CHECK(result.warnings.size() == 1);
}

}  // namespace sunstar::traffic
