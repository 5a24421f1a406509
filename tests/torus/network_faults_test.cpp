// SPDX-License-Identifier: MIT
// Faults of a machine's network.
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

machine::Fault network_fault(std::string_view place, auto effect, faults::Trigger trigger = {}) {
  machine::Fault f;
  f.place = place;
  f.effect = effect;
  f.trigger = std::move(trigger);
  return f;
}
std::uint64_t struck(const boost::json::object& result) {
  return result.at("faults").at("struck").to_number<std::uint64_t>();
}

}  // namespace

TEST_CASE("links that are down and messages that are late cost time and nothing else, on every file system") {
  std::vector<machine::Config> configs;
  std::vector<std::string> names;
  const network::MessageDelayed late{300_us};
  for (const char* file_system :
       {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs"})
    for (const char* model : {"worm", "flit"})
      for (const bool write : {false, true})
        for (const auto& fault :
             {network_fault("network.router?.up?", network::LinkDown{}),
              network_fault("network.router1.down1", network::LinkDown{}, {faults::AtTime{1_ms}}),
              network_fault("*", late, {faults::AtRate{0.2}}), network_fault("*.up0", late, {faults::AtRate{0.2}})}) {
          auto& c = configs.emplace_back(test::small_torus(file_system));
          test::cube_of(c).model = model;
          test::cube_of(c).shape = {2, 4};
          test::pattern_of(c).pattern = write ? "wb" : "rb";
          c.faults = {fault};
          names.push_back(std::string(file_system) + ", " + model + ", " + fault.place);
        }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(names[i]);
    CHECK(results[i].at("verified").as_bool());
    if (names[i].find("down1") == std::string::npos) CHECK(struck(results[i]) > 0);
  }
}

TEST_CASE(
    "messages that are lost, spoilt or doubled are sent again or dropped, on every file system: nothing is lost") {
  std::vector<machine::Config> configs;
  std::vector<std::string> names;
  const faults::Trigger often{faults::AtRate{0.1}};
  for (const char* file_system :
       {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs"})
    for (const auto data : {machine::Data::bytes, machine::Data::described})
      for (const char* pattern : {"rb", "wb", "rc", "wc"})
        for (const auto& fault : {network_fault("*router*", network::MessageLost{}, often),
                                  network_fault("*router*", network::MessageCorrupted{}, often),
                                  network_fault("*router*", network::MessageDuplicated{}, often),
                                  network_fault("*.up0", network::MessageLost{}, often)}) {
          auto& c = configs.emplace_back(test::small_torus(file_system));
          c.machine.delivery.kind = os::Acknowledged{};
          c.run.data = data;
          test::pattern_of(c).pattern = pattern;
          c.faults = {fault};
          names.push_back(std::string(file_system) + ", " + pattern + ", " + std::string(fault.effect.kind_name()));
        }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(names[i]);
    CHECK(results[i].at("verified").as_bool());
    CHECK(struck(results[i]) > 0);
    const auto& counts = results[i].at("faults").as_object();
    for (const char* none : {"bytes_reported_unread", "bytes_reported_unwritten", "bytes_silently_wrong"})
      CHECK(counts.at(none).to_number<std::uint64_t>() == 0);
  }
}

TEST_CASE("an interface without a CRC passes spoilt bytes of files on, and the oracle finds each") {
  for (const char* file_system :
       {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs"})
    for (const char* pattern : {"rb", "wb"}) {
      auto config = test::small_torus(file_system);
      test::pattern_of(config).pattern = pattern;
      config.machine.delivery.kind = os::Acknowledged{};
      config.machine.node.crc = false;
      config.faults = {network_fault("*router*", network::MessageCorrupted{}, {faults::AtRate{0.5}})};
      for (const auto data : {machine::Data::bytes, machine::Data::described}) {
        INFO(file_system << ", " << pattern);
        config.run.data = data;
        const auto result = test::run_each({config, config}).front();
        CHECK(result.at("verified").as_bool());
        CHECK(result.at("faults").at("bytes_silently_wrong").to_number<std::uint64_t>() > 0);
      }
    }
}

TEST_CASE("whoever is cut off is gone for the others, and they report what lies there") {
  std::vector<machine::Config> configs;
  for (const char* file_system : {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid"})
    for (const char* pattern : {"rb", "wb"}) {
      auto& c = configs.emplace_back(test::small_torus(file_system));
      c.machine.delivery.kind = os::Acknowledged{};
      test::pattern_of(c).pattern = pattern;
      c.faults = {network_fault("network.router3", network::PortDown{}, {faults::AtTime{2_ms}})};  // iop1
    }
  for (const auto& result : test::run_each(configs)) {
    CHECK(result.at("verified").as_bool());
    CHECK(result.at("elapsed_s").to_number<double>() > 5);
  }
}

TEST_CASE("a fault of the network that strikes nothing is refused with a place that fits") {
  auto config = test::small_torus();
  config.faults = {network_fault("network.router4", network::PortDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'network.router4', and port-down strikes a port: 'network.router0' is one, '*' means all.");
  config.faults = {network_fault("network.port0", network::RouterDown{})};
  CHECK(
      test::refusal(config) ==
      "faults.0.place is 'network.port0', and router-down strikes a router: 'network.router0' is one, '*' means all.");
  config.faults = {network_fault("network.router0", network::MessageLost{})};
  CHECK(
      test::refusal(config) ==
      "faults.0.effect is message-lost, but machine.delivery.kind is assured: nobody would send again what the network "
      "loses; set it to acknowledged.");
  config.faults = {network_fault("network.router0", network::LinkDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'network.router0', and link-down strikes a link: 'network.router0.up0' is one, '*' means "
        "all.");
  config.faults = {network_fault("cp0", network::MessageLost{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'cp0', and message-lost strikes a port or link: 'network.router0' is one, '*' means all.");
  config.machine.network.kind = network::SwitchParams{};
  config.faults = {network_fault("network.port0", network::RouterDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'network.port0', and router-down strikes a router; the machine has none.");
}
