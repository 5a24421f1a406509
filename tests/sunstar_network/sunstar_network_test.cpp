// SPDX-License-Identifier: MIT
#include <boost/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "tests/support/places.h"
#include "tests/support/program.h"

using Catch::Matchers::ContainsSubstring;
using sunstar::test::Program;
using sunstar::test::TemporaryFolder;
namespace json = boost::json;

namespace {

/// sunstar-network with settings; short runs unless they say otherwise.
struct Network {
  Program program{sunstar::test::binary_folder() / "sunstar-network"};
  const std::string& out = program.out;
  const std::string& err = program.err;

  int operator()(const std::vector<std::string>& settings, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"--set", "workload.measured=2000", "--set", "workload.warm_up=1000"};
    for (const auto& s : settings) words.insert(words.end(), {"--set", s});
    words.insert(words.end(), more.begin(), more.end());
    return program(words);
  }
  json::object result(const std::vector<std::string>& settings) {
    const int code = (*this)(settings, {"--quiet", "--output", "-"});
    INFO(err);
    REQUIRE(code == 0);
    return json::parse(out).as_object();
  }
  std::string refused(const std::vector<std::string>& settings) {
    CHECK((*this)(settings) == 3);
    return err;
  }
};

std::vector<std::string> keys(const json::value& of) {
  std::vector<std::string> all;
  for (const auto& [key, value] : of.as_object()) all.emplace_back(key);
  return all;
}

double number(const json::value& v, const char* pointer) { return v.at_pointer(pointer).to_number<double>(); }

}  // namespace

TEST_CASE("the same seed gives the same traffic, another seed gives other traffic") {
  Network network;
  const auto run = [&](const char* seed) {
    REQUIRE(network({"machine.network.model=flit", seed}) == 0);
    return network.out;
  };
  const std::string first = run("run.seed=1");
  CHECK_THAT(first, ContainsSubstring("steady: all measured messages have arrived"));
  CHECK(first == run("run.seed=1"));
  CHECK(first != run("run.seed=2"));
}

TEST_CASE("the result of several trials is their mean, with the keys of a trial") {
  Network network;
  const json::value all = network.result({"run.trials=3", "workload.load=0.2"});
  const auto& trials = all.at("trials").as_array();
  REQUIRE(trials.size() == 3);
  double accepted = 0, latency = 0;
  for (const auto& t : trials) {
    accepted += number(t, "/accepted") / 3;
    latency += number(t, "/latency/mean_cycles") / 3;
  }
  CHECK(number(all, "/result/accepted") == Approx(accepted));
  CHECK(number(all, "/result/latency/mean_cycles") == Approx(latency));
  CHECK(trials[2].at("seed") == 3);
  auto of_trial = keys(trials[0]);
  of_trial.erase(of_trial.begin());  // the seed
  CHECK(keys(all.at("result")) == of_trial);
  CHECK(keys(all.at_pointer("/result/latency")) == keys(trials[0].at("latency")));
}

TEST_CASE("the verdict of several trials is that of the worst trial") {
  // 36 nodes send 0.0045 / 8 messages a cycle each: in 2,000 cycles some forty, the least that a verdict needs.
  Network network;
  const json::value all = network.result({"run.trials=4", "workload.load=0.0045", "workload.precision=1"});
  std::vector<bool> known;
  for (const auto& t : all.at("trials").as_array()) known.push_back(!t.at("saturated").is_null());
  REQUIRE(std::count(known.begin(), known.end(), true) > 0);
  REQUIRE(std::count(known.begin(), known.end(), false) > 0);
  CHECK(all.at_pointer("/result/saturated").is_null());
  CHECK(all.at_pointer("/result/verdict") == "none: too few messages measured");
}

TEST_CASE("impossible traffic is refused in a sentence") {
  Network network;
  const auto refused = [&](std::vector<std::string> settings) {
    settings.insert(settings.begin(), "machine.network.model=flit");
    return network.refused(settings);
  };
  CHECK_THAT(refused({"workload.load=1.5"}),
             ContainsSubstring("workload.load is 1.5; it must be between 0.000001 and 1."));
  CHECK_THAT(refused({"workload.load=0"}), ContainsSubstring("workload.load is 0; it must be between 0.000001 and 1."));
  CHECK_THAT(refused({"workload.packet_flits=0"}),
             ContainsSubstring("workload.packet_flits is 0; it must be between 1 and 1000000."));
  CHECK_THAT(refused({"workload.hotspot_share=2"}),
             ContainsSubstring("workload.hotspot_share is 2; it must be between 0 and 1."));
  CHECK_THAT(refused({"workload.measured=0"}),
             ContainsSubstring("workload.measured is 0; it must be between 1 and 1000000000000."));
  CHECK_THAT(refused({"workload.precision=-1"}),
             ContainsSubstring("workload.precision is -1; it must be between 0 and 1."));
  CHECK_THAT(refused({"workload.warm_up=1e13"}), ContainsSubstring("workload.warm_up"));
  CHECK_THAT(refused({"workload.drain=-1"}), ContainsSubstring("workload.drain is -1"));
  CHECK_THAT(refused({"workload.pattern=tornados"}), ContainsSubstring("did you mean \"tornado\"?"));
  CHECK_THAT(refused({"workload.kind=tarce"}), ContainsSubstring("did you mean \"trace\"?"));
  CHECK_THAT(refused({"workload.loda=0.1"}),
             ContainsSubstring("workload.loda is not a parameter; did you mean \"load\"?"));
  CHECK_THAT(refused({"workload.pattern=transpose", "machine.network.shape=[4,6]"}),
             ContainsSubstring("read the same backwards"));
  CHECK_THAT(
      refused({"machine.network.shape=cubic"}),
      ContainsSubstring("machine.network.shape is \"cubic\"; without nodes, nothing says how many routers that is"));
  CHECK_THAT(refused({"workload.pattern=hotspot", "workload.hotspot=36"}),
             ContainsSubstring("workload.hotspot is 36; machine.network.shape has routers 0 to 35."));
  CHECK_THAT(refused({"workload.kind=trace"}), ContainsSubstring("workload.trace is missing"));
  CHECK_THAT(refused({"machine.network.router.virtual_channels=1"}),
             ContainsSubstring("the rule static needs at least 2 on a torus"));
  CHECK_THAT(refused({"machine.network.router.flit_size=1B", "machine.network.router.cycle=3ns"}),
             ContainsSubstring("it must be a whole number of cycles of 3000 ps"));
  CHECK_THAT(refused({"machine.network.router.vc_class_rule=textbook"}),
             ContainsSubstring("it must be \"dateline\", \"static\", \"balanced\" or \"none\""));
  CHECK_THAT(refused({"machine.network.router.speculative=true", "machine.network.router.vc_allocation_delay=2"}),
             ContainsSubstring("must then be the same, not 2 and 1"));
}

TEST_CASE("a trace that cannot be played is refused with file and line, by --check too") {
  Network network;
  const TemporaryFolder folder;
  const auto refused = [&](const char* lines) {
    const auto file = folder.write("messages.csv", std::string("time,from,to,bytes\n") + lines);
    std::string answer = network.refused({"workload.kind=trace", "workload.trace=" + file.string()});
    CHECK(network({"workload.kind=trace", "workload.trace=" + file.string()}, {"--check"}) == 3);
    CHECK(network.err == answer);
    return answer;
  };
  CHECK_THAT(
      refused("1,0,3,8\n1,36,3,8\n"),
      ContainsSubstring("messages.csv:3: from: \"36\" is not allowed; it must be the number of a router, 0 to 35."));
  CHECK_THAT(refused("1,0,36,8\n"), ContainsSubstring("messages.csv:2: to: \"36\" is not allowed"));
  CHECK_THAT(refused("1,0,3,0\n"), ContainsSubstring("it must be a whole number from 1 to 1073741824."));
  CHECK_THAT(refused("-1,0,3,8\n"), ContainsSubstring("messages.csv:2: time: \"-1\" is not allowed"));
  CHECK_THAT(refused("9000000,0,3,8\n"), ContainsSubstring("it must be at most 4000000 s."));
  CHECK_THAT(refused(""), ContainsSubstring("the file has no messages"));
  CHECK_THAT(network.refused({"workload.kind=trace", "workload.trace=nowhere.csv"}), ContainsSubstring("nowhere.csv"));
}

TEST_CASE("a parameter of the other kind of workload is checked, and a warning names it") {
  Network network;
  CHECK(network({"workload.time_unit=us"}) == 0);
  CHECK(network.err ==
        "Warning: workload.time_unit (us) is not used in this run; it is used if workload.kind is trace.\n");
  CHECK(network({"workload.hotspot=3"}) == 0);
  CHECK(network.err ==
        "Warning: workload.hotspot (3) is not used in this run; it is used if workload.pattern is hotspot.\n");
  CHECK_THAT(network.refused({"workload.time_unit=days"}), ContainsSubstring("workload.time_unit is \"days\""));
  const TemporaryFolder folder;
  const auto file = folder.write("messages.csv", "time,from,to,bytes\n1,0,3,8\n");
  CHECK(network.program({"--set", "workload.kind=trace", "--set", "workload.trace=" + file.string(), "--set",
                         "workload.load=0.3"}) == 0);
  CHECK(network.err ==
        "Warning: workload.load (0.3) is not used in this run; it is used if workload.kind is synthetic.\n");
}

TEST_CASE("the printed configuration holds only the chosen workload's parameters, and gives the same run again") {
  Network network;
  const TemporaryFolder folder;
  const auto all = network.result({"workload.load=0.2", "run.seed=5"});
  const auto& configuration = all.at("config");
  CHECK_FALSE(configuration.at("workload").as_object().contains("trace"));
  CHECK(configuration.at("workload").as_object().contains("load"));
  const auto file = folder.write("again.json", json::serialize(configuration));
  REQUIRE(network.program({"--config", file.string(), "--quiet", "--output", "-"}) == 0);
  CHECK(json::parse(network.out).at("result") == all.at("result"));
}

TEST_CASE("a deadlock ends the program with exit code 4 and shows the circle") {
  Network network;
  CHECK(network({"machine.network.model=flit", "machine.network.router.vc_class_rule=none", "workload.load=0.8",
                 "workload.measured=100000"}) == 4);
  CHECK_THAT(network.err, ContainsSubstring("deadlock at ") && ContainsSubstring("waits for that of router"));
}

TEST_CASE("records that cannot be written are refused before the run") {
  Network network;
  CHECK_THAT(network.refused({"run.records=/nowhere/records.csv"}), ContainsSubstring("/nowhere/records.csv"));
}

TEST_CASE("wave file, timeline and log show routers and terminals and change no figure") {
  Network network;
  const TemporaryFolder folder;
  REQUIRE(network({}) == 0);
  const std::string unwatched = network.out;
  REQUIRE(network({}, {"--vcd", (folder.path / "w.vcd").string(), "--timeline", (folder.path / "t.json").string(),
                       "--log", (folder.path / "a.log").string()}) == 0);
  CHECK(network.out == unwatched);
  const std::string waves = TemporaryFolder::read(folder.path / "w.vcd");
  CHECK_THAT(waves, ContainsSubstring("$scope module router7 $end") &&
                        ContainsSubstring("$scope module terminal7 $end") && ContainsSubstring(" held $end") &&
                        ContainsSubstring(" under_way $end") && ContainsSubstring(" leaving $end"));
  CHECK_THAT(TemporaryFolder::read(folder.path / "t.json"),
             ContainsSubstring("machine.terminal7") && ContainsSubstring("message sent 0"));
  CHECK_THAT(TemporaryFolder::read(folder.path / "a.log"),
             ContainsSubstring(" info  machine.terminal7") && ContainsSubstring("  sends to terminal7, bytes "));
}

TEST_CASE("a network may be smaller than a machine's") {
  Network network;
  CHECK(network({"machine.network.shape=[3]"}, {"--quiet"}) == 0);
  CHECK(network.err == "");
}

TEST_CASE("any fabric carries traffic, in units that suit it") {
  Network network;
  // A byte at 200 MB/s is a cycle of 5 ns; every message takes 10 us, 2000 of them, and one more to its register.
  const json::value fixed = network.result({"machine.network.kind=fixed-delay", "workload.load=0.2"});
  CHECK(number(fixed, "/result/latency/mean_cycles") == Approx(2001));
  CHECK(number(fixed, "/result/zero_load_cycles") == Approx(2001));
  CHECK(number(fixed, "/result/links/links") == 0);
  const json::value on_switch = network.result({"machine.network.kind=switch", "machine.network.ports=32",
                                                "workload.pattern=complement", "workload.packet_flits=64"});
  CHECK(number(on_switch, "/result/links/links") == 32);
  CHECK(number(on_switch, "/result/links/max") > 0);
  CHECK(std::string(on_switch.at_pointer("/result/links/busiest").as_string()).starts_with("port"));
  const json::value hub =
      network.result({"machine.network.kind=ethernet", "machine.network.ports=4", "workload.packet_flits=1000",
                      "workload.load=0.05", "workload.measured=100000"});
  CHECK(hub.at_pointer("/result/verified") == true);
  CHECK(hub.at_pointer("/result/links/busiest") == "hub");
  CHECK_THAT(
      network.refused({"machine.network.kind=switch", "workload.pattern=transpose"}),
      ContainsSubstring("workload.pattern is transpose, which needs nodes with coordinates; machine.network.kind is "
                        "switch, whose ports have numbers only."));
  CHECK_THAT(network.refused({"machine.network.kind=ethernet", "workload.pattern=hotspot", "workload.hotspot=16"}),
             ContainsSubstring("workload.hotspot is 16; machine.network.ports has ports 0 to 15."));
}

TEST_CASE("a result conforms to the schema that the program prints, with a verdict or, for a trace, without one") {
  Network network;
  REQUIRE(network.program({"--result-schema"}) == 0);
  const auto schema = json::parse(network.out);
  CHECK(sunstar::test::schema_faults(schema, network.result({"run.trials=2"})) == std::vector<std::string>{});
  const TemporaryFolder folder;
  const auto file = folder.write("messages.csv", "time,from,to,bytes\n0.001,0,3,8\n");
  const auto all = network.result({"workload.kind=trace", "workload.trace=" + file.string()});
  CHECK(sunstar::test::schema_faults(schema, all) == std::vector<std::string>{});
  CHECK_FALSE(all.at("result").as_object().contains("verdict"));
}

TEST_CASE("the program says what it is and refuses unknown options") {
  Network network;
  REQUIRE(network.program({"--schema"}) == 0);
  CHECK(json::parse(network.out).at("title") == "sunstar-network");
  CHECK(network.program({"--nosuch"}) == 2);
  CHECK(network.program({"--help"}) == 0);
  CHECK_THAT(network.out, ContainsSubstring("under synthetic traffic or a trace of messages"));
}

namespace {

/// 128 or more nodes on switches of 16 ports; messages of 1 KiB.
std::vector<std::string> fat_tree(std::vector<std::string> more) {
  std::vector<std::string> all{"machine.network.kind=fat-tree", "machine.network.switch_ports=16",
                               "workload.packet_flits=1024",    "workload.warm_up=200000",
                               "workload.measured=200000",      "workload.drain=1000000",
                               "workload.precision=1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("a fat tree carries nearly all of its nodes' traffic, and an oversubscribed one as much as its links up") {
  Network network;
  const json::value full = network.result(fat_tree({"workload.load=0.9"}));
  CHECK(number(full, "/result/accepted") == Approx(0.9).epsilon(0.01));
  CHECK(full.at_pointer("/result/saturated") == false);
  // 12 nodes on a leaf and 4 links up: 180 of 192 nodes are elsewhere, so a node gets (4 / 12) / (180 / 192) = 0.356.
  const json::value thin = network.result(fat_tree({"workload.load=0.6", "machine.network.oversubscription=3"}));
  CHECK(number(thin, "/result/accepted") == Approx(0.356).epsilon(0.05));
  CHECK(thin.at_pointer("/result/saturated") == true);
  const json::value below = network.result(fat_tree({"workload.load=0.3", "machine.network.oversubscription=3"}));
  CHECK(below.at_pointer("/result/saturated") == false);
}

TEST_CASE("static routing sends a leaf's messages of a bit reversal up by one link, adaptive routing by all") {
  // Seven of the eight nodes of a leaf send by one link, and one to itself: (1 + 0.8) / 8 = 0.225.
  Network network;
  const json::value fixed = network.result(
      fat_tree({"workload.pattern=bit-reversal", "workload.load=0.8", "machine.network.routing=d-mod-k"}));
  CHECK(fixed.at_pointer("/result/saturated") == true);
  CHECK(number(fixed, "/result/accepted") == Approx(0.225).epsilon(0.02));
  const json::value adaptive = network.result(fat_tree({"workload.pattern=bit-reversal", "workload.load=0.8"}));
  CHECK(adaptive.at_pointer("/result/saturated") == false);
  CHECK(number(adaptive, "/result/accepted") == Approx(0.8).epsilon(0.01));
  CHECK_THAT(network.refused({"workload.pattern=bit-reversal"}), ContainsSubstring("a power of two, not 36"));
  CHECK_THAT(
      network.refused({"machine.network.kind=dragonfly", "machine.network.groups=1", "workload.pattern=next-group"}),
      ContainsSubstring("needs at least two groups; machine.network.groups gives one"));
}

TEST_CASE("a ping-pong measures the latency and the bandwidth of a link") {
  // 1 byte: 300 ns of the library at each end, 2 us in the interfaces, 350 ns a switch, 2 x 15 ns of cables, and 1 + 32
  // + 82 bytes at 25 GB/s: 2,985 ns, and the copy of a byte.
  Network network;
  const json::value small =
      network.result({"base=slingshot-11", "workload.kind=ping-pong", "workload.bytes=1B", "workload.to=2"});
  CHECK(number(small, "/result/ping_pong/latency_us") == Approx(2.985).epsilon(0.001));
  for (const char* of_traffic : {"accepted", "measured_cycles", "mean_hops", "zero_load_cycles", "latency", "links"})
    CHECK_FALSE(small.at("result").as_object().contains(of_traffic));
  // 4 MiB in packets of 2 KiB with 82 bytes each: 25 x 2048 / 2130 = 24.04 GB/s at most.
  const json::value large = network.result({"base=slingshot-11", "workload.kind=ping-pong", "workload.bytes=4MiB"});
  CHECK(number(large, "/result/ping_pong/bandwidth_mb_per_s") == Approx(24'020).epsilon(0.002));
  CHECK(large.at_pointer("/result/verified") == true);
  CHECK_THAT(network.refused({"base=slingshot-11", "workload.kind=ping-pong", "workload.to=0"}),
             ContainsSubstring("workload.to is 0, as workload.from is; they must differ"));
  CHECK_THAT(network.refused({"base=slingshot-11", "workload.kind=ping-pong", "workload.to=2048"}),
             ContainsSubstring("workload.to is 2048; the network has ports 0 to 2047"));
}
