// SPDX-License-Identifier: MIT
// Faults of a machine's network. Those that lose messages need software that sends them again.
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

TEST_CASE("a fault of the network that strikes nothing is refused with a place that fits") {
  auto config = test::small_torus();
  config.faults = {network_fault("network.router4", network::PortDown{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'network.router4', and port-down strikes a port: 'network.router0' is one, '*' means all.");
  config.faults = {network_fault("network.port0", network::RouterDown{})};
  CHECK(
      test::refusal(config) ==
      "faults.0.place is 'network.port0', and router-down strikes a router: 'network.router0' is one, '*' means all.");
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
