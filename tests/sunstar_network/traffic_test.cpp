// SPDX-License-Identifier: MIT
#include "models/core/error.h"
#include "platforms/network/traffic_run.h"
#include "platforms/network/traffic_pattern.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::torus;
using Catch::Matchers::Contains;
using test::TemporaryFolder;

namespace {

Config traffic(const char* model, double load, std::uint32_t flits = 8) {
  Config config;
  config.machine.network.model = model;
  config.machine.network.router.buffer_flits = 8;
  config.workload.kind = WorkloadKind::traffic;
  config.workload.load = load;
  config.workload.packet_flits = flits;
  config.workload.warm_up = 5000;
  config.workload.measured = 30000;
  return config;
}

double number(const json::object& o, const char* section, const char* key) {
  return o.at(section).at(key).to_number<double>();
}

}  // namespace

TEST_CASE("patterns send where their names say, on a 4x6x4") {
  using workload::TrafficPattern;
  const TrafficPattern::Params shape{{4, 6, 4}, 9, 0.25};
  RandomStream random(1, "patterns");
  // Router (x, y, z) is x + 4 y + 24 z.
  const auto at = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x + 4 * y + 24 * z; };
  const auto to = [&](const char* name, std::uint32_t from) {
    return workload::traffic_pattern(name).destination(from, shape, random);
  };
  CHECK(to("complement", at(1, 2, 3)) == at(2, 3, 0));
  CHECK(to("tornado", at(3, 5, 0)) == at(0, 1, 1));  // 1, 2 and 1 further
  CHECK(to("neighbour", at(3, 5, 0)) == at(0, 0, 1));
  CHECK(to("transpose", at(1, 5, 3)) == at(3, 5, 1));
  std::vector<int> uniform(96), hot(96);
  for (int i = 0; i < 96'000; ++i) ++uniform[to("uniform", 5)], ++hot[to("hotspot", 5)];
  for (const int n : uniform) CHECK(std::abs(n - 1000) < 200);
  CHECK(std::abs(hot[9] - (24'000 + 750)) < 600);
}

TEST_CASE("below saturation all that is offered arrives, and latency is that of BookSim2") {
  // 6x6 torus, L = 8, B = 8, 0.3 flits a node a cycle: 33.4 cycles there, with 1 % of noise on both sides.
  const auto result = run_traffic(traffic("flit", 0.3), 0);
  CHECK_FALSE(result.at("saturated").as_bool());
  CHECK(result.at("accepted").to_number<double>() == Approx(0.3).epsilon(0.02));
  CHECK(number(result, "latency", "mean_cycles") == Approx(33.4).epsilon(0.03));
  CHECK(number(result, "latency_from_injection", "mean_cycles") < number(result, "latency", "mean_cycles"));
  CHECK(number(result, "latency", "p50_cycles") < number(result, "latency", "p99_cycles"));
  CHECK(result.at("zero_load_cycles").to_number<double>() == Approx(25).epsilon(0.01));
  // 3 links a message, 4 links a router: a flit in 0.3 x 3 / 4 of the cycles.
  CHECK(number(result, "links", "mean") == Approx(0.225).epsilon(0.02));
  CHECK(result.at("statistics").as_object().contains("machine.network.router7.up0_utilisation"));
}

TEST_CASE("above saturation the verdict says so, with what is accepted, and it is no deadlock") {
  const auto result = run_traffic(traffic("flit", 0.8), 0);
  CHECK(result.at("saturated").as_bool());
  CHECK_THAT(std::string(result.at("verdict").as_string()), Contains("saturated"));
  CHECK(result.at("accepted").to_number<double>() == Approx(0.49).epsilon(0.05));
}

TEST_CASE("a deadlock is a failed simulation that shows the circle") {
  Config config = traffic("flit", 0.8);
  config.machine.network.router.vc_class_rule = "none";
  try {
    run_traffic(config, 0);
    FAIL("no deadlock");
  } catch (const SimulationError& e) {
    CHECK_THAT(e.what(), Contains("deadlock at ") && Contains("will never arrive") && Contains(", virtual channel 0") &&
                             Contains("waits for that of router"));
  }
}

TEST_CASE("on a mesh no rule is needed") {
  Config config = traffic("flit", 0.9);
  config.machine.network.topology = network::Topology::mesh;
  config.machine.network.router.vc_class_rule = "none";
  config.machine.network.router.virtual_channels = 1;
  CHECK(run_traffic(config, 0).at("saturated").as_bool());
}

TEST_CASE("the worm model does the same traffic, and warns when links are busier than it is good for") {
  // Three links a message: at 0.1 flits a node a link is busy for 7.5 % of the time, at 0.4 for 30 %.
  const auto result = run_traffic(traffic("worm", 0.1), 0);
  CHECK(number(result, "latency", "mean_cycles") == Approx(26.8).epsilon(0.03));
  CHECK(result.at("warnings").as_array().empty());
}

TEST_CASE("the worm model says where it was used beyond its range") {
  const auto result = run_traffic(traffic("worm", 0.4), 0);
  REQUIRE(result.at("warnings").as_array().size() == 1);
  CHECK_THAT(std::string(result.at("warnings").at(0).as_string()),
             Contains("the worm model is good for links that are busy up to 20 % of the time") && Contains("router") &&
                 Contains("machine.network.model=flit"));
}

TEST_CASE("a trace of messages is played at its times, with a record of each") {
  // Alone: 6 + 4 H + (L - 1) cycles of 5 ns. From 0 to 3 either way is three links.
  const TemporaryFolder folder;
  Config config = traffic("flit", 0.1);
  config.workload.traffic = "trace";
  config.workload.time_unit = TimeUnit::us;
  config.workload.trace = folder.write("messages.csv", "time,from,to,bytes\n1,0,3,8\n1,5,5,1\n3.5,0,35,100\n");
  config.workload.records = folder.path / "records.csv";
  const auto result = run_traffic(config, 0);
  CHECK(result.at("messages").to_number<int>() == 3);
  CHECK(result.at("message_bytes").to_number<int>() == 109);
  CHECK(result.at("measured_cycles").to_number<int>() == 813);  // from 0 to 4065 ns
  CHECK(TemporaryFolder::read(config.workload.records) ==
        "created_ns,injected_ns,arrived_ns,from,to,bytes,hops\n"
        "1000,1000,1030,5,5,1,0\n"
        "1000,1000,1125,0,3,8,3\n"
        "3500,3500,4065,0,35,100,2\n");
}

TEST_CASE("a trace of messages lasts by worms, too, until its last message has arrived") {
  const TemporaryFolder folder;
  Config config = traffic("worm", 0.1);
  config.workload.traffic = "trace";
  config.workload.time_unit = TimeUnit::us;
  config.workload.trace = folder.write("messages.csv", "time,from,to,bytes\n1,0,3,8\n1,5,5,1\n3.5,0,35,100\n");
  const auto result = run_traffic(config, 0);
  // 100 bytes over two links from 3.5 us on: 4 cycles for each of three routers, and the bytes, after one cycle for
  // injection.
  CHECK(result.at("measured_cycles").to_number<double>() == Approx(700 + 1 + 12 + 100).margin(1));
  CHECK(result.at("links").at("max").to_number<double>() < 0.2);
  CHECK(result.at("warnings").as_array().empty());
}

TEST_CASE("the same seed gives the same traffic and another seed another") {
  const auto figures = [](std::uint64_t seed) {
    return [seed] {
      Config config = traffic("flit", 0.2);
      config.run.seed = seed;
      return config;
    }();
  };
  test::Program torus = test::sunstar_torus();
  const auto run = [&](std::uint64_t seed) {
    REQUIRE(torus({"--set", "workload.kind=traffic", "--set", "machine.network.model=flit", "--set",
                   "workload.measured=2000", "--seed", std::to_string(seed)}) == 0);
    return torus.out;
  };
  CHECK(figures(1).run.seed == 1);
  const std::string first = run(1);
  CHECK(first == run(1));
  CHECK(first != run(2));
}

TEST_CASE("what cannot be of traffic is refused in a sentence") {
  test::Program torus = test::sunstar_torus();
  const auto refused = [&](std::vector<std::string> settings) {
    std::vector<std::string> all{"--set", "workload.kind=traffic", "--set", "machine.network.model=flit"};
    for (const auto& s : settings) all.insert(all.end(), {"--set", s});
    CHECK(torus(all) == 3);
    return torus.err;
  };
  CHECK_THAT(refused({"workload.load=1.5"}), Contains("workload.load is 1.5; it must be between 0.000001 and 1."));
  CHECK_THAT(refused({"workload.load=0"}), Contains("workload.load is 0; it must be between 0.000001 and 1."));
  CHECK_THAT(refused({"workload.packet_flits=0"}),
             Contains("workload.packet_flits is 0; it must be between 1 and 1000000."));
  CHECK_THAT(refused({"workload.traffic=tornados"}), Contains("did you mean \"tornado\"?"));
  CHECK_THAT(refused({"workload.traffic=transpose", "machine.network.shape=[4,6]"}),
             Contains("the same read backwards"));
  CHECK_THAT(refused({"workload.traffic=hotspot", "workload.hotspot=36"}),
             Contains("workload.hotspot is 36; machine.network.shape has routers 0 to 35."));
  CHECK_THAT(refused({"workload.traffic=trace"}), Contains("workload.trace is missing"));
  CHECK_THAT(refused({"machine.network.router.virtual_channels=1"}),
             Contains("the rule static needs at least 2 on a torus"));
  CHECK_THAT(refused({"machine.network.router.flit_size=1B", "machine.network.router.cycle=3ns"}),
             Contains("it must be a whole number of cycles of 3000 ps"));
  CHECK_THAT(refused({"machine.network.router.vc_class_rule=textbook"}),
             Contains("it must be \"dateline\", \"static\", \"balanced\" or \"none\""));
  CHECK_THAT(refused({"machine.network.router.speculative=true", "machine.network.router.vc_allocation_delay=2"}),
             Contains("must then be the same, not 2 and 1"));
}

TEST_CASE("one cycle of a saturated network is no verdict either") {
  Config config = traffic("worm", 1);
  config.workload.measured = 1;
  config.workload.precision = 1;
  const auto result = run_traffic(config, 0);
  CHECK(result.at("saturated").is_null());
  CHECK(result.at("warnings").as_array().size() == 1);
}

TEST_CASE("of too few messages there is no verdict, and no link is busy for longer than the window") {
  // A cycle of 5 ns, in which some routers begin worms of 80 flits of 5 ns: one of them alone is 80 times the window.
  const auto run = [](std::uint32_t i) {
    Config config = traffic(i == 0 ? "worm" : "flit", 1, 80);
    config.workload.warm_up = 2000;
    config.workload.measured = 1;
    config.workload.precision = 1;
    return run_traffic(config, 0);
  };
  for (const auto& result : kit::run_trials(2, 2, run)) {
    CHECK(result.at("measured_cycles") == 1);
    CHECK(result.at("messages").to_number<int>() < 40);
    CHECK(result.at("saturated").is_null());
    CHECK(result.at("verdict") == "none: too few messages measured");
    REQUIRE(result.at("warnings").as_array().size() == 1);
    CHECK_THAT(std::string(result.at("warnings").as_array().front().as_string()),
               Contains("too few messages measured: ") &&
                   Contains(", and a verdict needs 40; raise workload.measured or workload.load"));
    CHECK(number(result, "links", "max") <= 1);
    for (const auto& [name, figure] : result.at("statistics").as_object()) {
      INFO(std::string(name));
      if (figure.at("unit") == "fraction") CHECK(figure.at("value").to_number<double>() <= 1);
    }
  }
}

TEST_CASE("a network smaller than the default machine's nodes is no mistake when there are none") {
  test::Program torus = test::sunstar_torus();
  CHECK(torus({"--set", "workload.kind=traffic", "--set", "machine.network.shape=[3]", "--set",
               "workload.measured=1000", "--quiet"}) == 0);
  CHECK(torus.err == "");
}
