// SPDX-License-Identifier: MIT
// Faults of a machine's network.
#include "tests/support/fault_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::at;
using test::at_rate;
using test::fault;
using test::of_faults;

namespace {

machine::Config lossy_torus(const char* file_system, const char* pattern, machine::Fault of_network) {
  machine::Config c = test::small_torus(file_system);
  c.machine.delivery.kind = os::Acknowledged{};
  test::pattern_of(c).pattern = pattern;
  c.faults = {std::move(of_network)};
  return c;
}
std::string told(const char* file_system, const char* pattern, const machine::Fault& of_network) {
  return std::string(file_system) + ", " + pattern + ", " + std::string(of_network.effect.kind_name()) + " at " +
         of_network.place;
}

}  // namespace

TEST_CASE("links that are down and messages that are late cost time and nothing else, on every file system") {
  test::FaultyRuns runs;
  const network::MessageDelayed late{300_us};
  for (const char* file_system : test::every_file_system)
    for (const char* model : {"worm", "flit"})
      for (const char* pattern : {"rb", "wb"})
        for (const auto& one : {fault("network.router?.up?", network::LinkDown{}),
                                fault("network.router1.down1", network::LinkDown{}, at(1_ms)),
                                fault("*", late, at_rate(0.2)), fault("*.up0", late, at_rate(0.2))}) {
          auto& c = runs.add(told(file_system, pattern, one) + ", " + model, test::small_torus(file_system));
          test::cube_of(c).model = model;
          test::cube_of(c).shape = {2, 4};
          test::pattern_of(c).pattern = pattern;
          c.faults = {one};
        }
  runs.check_each([&](std::size_t i, const boost::json::object& result) {
    if (runs.config(i).faults.front().place.find("down1") == std::string::npos) CHECK(of_faults(result, "struck") > 0);
  });
}

TEST_CASE(
    "messages that are lost, spoilt, doubled or late are sent again or dropped, on every file system: nothing is "
    "lost") {
  test::FaultyRuns runs;
  const faults::Trigger often = at_rate(0.1);
  for (const char* file_system : test::every_file_system)
    for (const auto data : {machine::Data::bytes, machine::Data::described})
      for (const char* pattern : {"rb", "wb", "rc", "wc"})
        for (const auto& one :
             {fault("*router*", network::MessageLost{}, often), fault("*router*", network::MessageCorrupted{}, often),
              fault("*router*", network::MessageDuplicated{}, often), fault("*.up0", network::MessageLost{}, often),
              fault("*router*", network::MessageDelayed{1_ms}, often),     // others overtake them
              fault("*router*", network::MessageDelayed{300_ms}, often)})  // they have been sent again
          runs.add(told(file_system, pattern, one), lossy_torus(file_system, pattern, one)).run.data = data;
  runs.check_each([](std::size_t, const boost::json::object& result) {
    CHECK(of_faults(result, "struck") > 0);
    test::check_nothing_lost(result);
  });
}

TEST_CASE(
    "a part that is down for less than it takes to give a node up costs time and nothing else, on every file system") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb", "rc", "wc"})
      for (auto one : {fault("network.router3", network::PortDown{}, at(2_ms)),
                       fault("network.router0", network::PortDown{}, at(15_ms)),
                       fault("network.router3", network::RouterDown{}, at(2_ms)),
                       fault("network.router1", network::RouterDown{}, at(15_ms)),
                       fault("network.router?.*", network::LinkDown{}, at(10_ms))})
        for (const Duration lasts : {300_ms, 2000_ms}) {
          one.lasts = lasts;
          runs.add(told(file_system, pattern, one), lossy_torus(file_system, pattern, one));
        }
  runs.check_each([](std::size_t, const boost::json::object& result) { test::check_nothing_lost(result); });
}

TEST_CASE("without a CRC spoilt bytes of files pass, on every file system, and each is found") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const auto data : {machine::Data::bytes, machine::Data::described})
      for (const char* pattern : {"rb", "wb", "rc", "wc"}) {
        const auto spoilt = fault("*router*", network::MessageCorrupted{}, at_rate(0.5));
        auto& c = runs.add(told(file_system, pattern, spoilt), lossy_torus(file_system, pattern, spoilt));
        c.machine.node.crc = false;
        c.run.data = data;
      }
  runs.check_each([&](std::size_t, const boost::json::object& result) {
    CHECK(of_faults(result, "bytes_silently_wrong") > 0);
    CHECK(test::reported(result) == 0);
    CHECK(of_faults(result, "failed_calls") == 0);
  });
}

TEST_CASE("a node that is cut off is gone for the others, and they report its part of the file") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb"})
      for (const char* place : {"network.router0", "network.router1", "network.router3"})  // cp0, cp1, iop1
        for (const bool router : {false, true}) {
          const auto cut =
              router ? fault(place, network::RouterDown{}, at(2_ms)) : fault(place, network::PortDown{}, at(2_ms));
          runs.add(told(file_system, pattern, cut), lossy_torus(file_system, pattern, cut));
        }
  runs.check_each([&](std::size_t i, const boost::json::object& result) {
    // A process that writes to caches may have ended before, and Galley opens its files before the first call begins.
    const machine::Config& c = runs.config(i);
    const auto kind = c.file_system.kind.kind_name();
    const bool server = c.faults.front().place.ends_with('3'), writes = test::pattern_of(c).pattern == "wb";
    if (server) CHECK(test::reported(result) > 0);
    if (kind == "galley") CHECK(of_faults(result, "nodes_given_up") > 0);
    else if (server || !writes || kind == "disk-directed") CHECK(result.at("elapsed_s").to_number<double>() > 4);
  });
}

TEST_CASE("in each part of a network that is cut, programs go on to their end, and each byte is right or reported") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb"})
      for (const char* place : {"network.*", "network.*0", "network.*1"})
        for (const Duration when : {1_ps, 2_ms}) {
          const auto cut = fault(place, network::LinkDown{}, at(when));
          auto& c = runs.add(told(file_system, pattern, cut), lossy_torus(file_system, pattern, cut));
          c.machine.compute_processors = 3;
          test::cube_of(c).shape = {2, 3};
          test::pattern_of(c).file_size = {96 << 10};
        }
  runs.check_each([](std::size_t, const boost::json::object& result) {
    CHECK(of_faults(result, "bytes_wrong_and_reported") <= test::reported(result));
  });
}

TEST_CASE("a router that is down separates others one way only, and each byte is right or reported") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb"})
      for (const char router : {'0', '1', '2', '3', '4', '5'})
        for (const Duration when : {1_ps, 2_ms}) {
          const auto down = fault(std::string("network.router") + router, network::RouterDown{}, at(when));
          auto& c = runs.add(told(file_system, pattern, down), lossy_torus(file_system, pattern, down));
          c.machine.compute_processors = 3;
          test::cube_of(c).shape = {2, 3};
          test::pattern_of(c).file_size = {96 << 10};
        }
  runs.check_each([](std::size_t, const boost::json::object& result) {
    CHECK(of_faults(result, "bytes_wrong_and_reported") <= test::reported(result));
  });
}

TEST_CASE("a node that is gone while messages are lost takes no unreported bytes of others with it") {
  test::FaultyRuns runs;
  const faults::Trigger often = at_rate(0.1);
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb", "wc"})
      for (const char* place : {"cp0", "cp1", "iop1"})
        for (const auto& gone :
             {fault(place, node::Stop{}, at(10_ms)), fault(place, node::Pause{20'000_ms}, at(10_ms))})
          for (const auto& lossy :
               {fault("*router*", network::MessageLost{}, often), fault("*router*", network::MessageCorrupted{}, often),
                fault("*router*", network::MessageDelayed{300_ms}, often)}) {
            auto& c = runs.add(told(file_system, pattern, gone) + ", " + std::string(lossy.effect.kind_name()),
                               lossy_torus(file_system, pattern, lossy));
            c.machine.compute_processors = 3;
            test::cube_of(c).shape = {2, 3};
            test::pattern_of(c) = {pattern, {2048}, {96 << 10}, ""};
            c.faults.push_back(gone);
          }
  runs.check_each([](std::size_t, const boost::json::object& result) {
    CHECK(of_faults(result, "bytes_wrong_and_reported") <= test::reported(result));
  });
}

TEST_CASE("a network in two halves: nodes without a way to another take it for gone, and their losses are reported") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb"})
      for (const char* links : {"network.router?.*0", "network.router?.*1"})  // both ways of a dimension
        for (const Duration when : {0_ms, 10_ms}) {
          const auto cut = fault(links, network::LinkDown{}, at(when));
          runs.add(told(file_system, pattern, cut), lossy_torus(file_system, pattern, cut));
        }
  runs.check_each(
      [](std::size_t, const boost::json::object& result) { CHECK(of_faults(result, "nodes_given_up") > 0); });
}

TEST_CASE("a fault of the network that strikes nothing is refused with a place that fits") {
  auto config = test::small_torus();
  config.faults = {fault("network.router4", network::PortDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'network.router4', and port-down strikes a port: 'network.router0' is one, '*' means all.");
  config.faults = {fault("network.port0", network::RouterDown{})};
  CHECK(
      test::refusal(config) ==
      "faults.0.place is 'network.port0', and router-down strikes a router: 'network.router0' is one, '*' means all.");
  config.faults = {fault("network.router0", network::MessageLost{})};
  CHECK(test::refusal(config) ==
        "faults.0.effect is message-lost, but machine.delivery.kind is assured: no node would send lost messages "
        "again; set it to acknowledged.");
  config.faults = {fault("network.router0", network::LinkDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'network.router0', and link-down strikes a link: 'network.router0.up0' is one, '*' means "
        "all.");
  config.faults = {fault("cp0", network::MessageLost{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'cp0', and message-lost strikes a port or link: 'network.router0' is one, '*' means all.");
  test::cube_of(config).router.vc_class_rule = "balanced";
  config.machine.delivery.kind = os::Acknowledged{};
  config.faults = {fault("network.router0", network::RouterDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.effect is router-down, but machine.network.router.vc_class_rule is balanced: messages that go the "
        "longer way round a ring could wait for one another for ever; set it to dateline.");
  config.machine.network.kind = network::SwitchParams{};
  config.faults = {fault("network.port0", network::RouterDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'network.port0', and router-down strikes a router; the machine has none.");
}

TEST_CASE("a machine that trusts its nodes deadlocks when all messages are lost, and the report says that it gave up") {
  auto config = lossy_torus("traditional-caching", "rb", fault("*router*", network::MessageLost{}, at_rate(1)));
  config.machine.peers.kind = os::Trusted{};
  const std::string text = test::refusal(config);
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("cp1: has given up messages (1), lost as often as"));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("machine.peers.kind is trusted, nobody notices"));
}
