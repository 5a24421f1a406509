// SPDX-License-Identifier: MIT
// Configurations that start from another one, and what a machine says of its structure.
#include "tests/support/catch.h"
#include "tests/support/machines.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using Catch::Matchers::ContainsSubstring;
namespace json = boost::json;

namespace {

/// What a file with this content gives, with sunstar-torus's preset; or what is wrong with it.
struct Read {
  test::TemporaryFolder folder;
  std::vector<std::string> unused;

  machine::Config config(const std::string& body, const std::vector<std::string>& settings = {}) {
    kit::ConfigInput input{folder.write("c.json", R"({"schema": "sunstar/1", )" + body + "}")};
    input.preset = "torus";
    for (const auto& setting : settings) REQUIRE(input.settings.add(setting));
    return kit::load_config<machine::Config>(std::move(input), &unused);
  }
  std::string refused(const std::string& body, const std::vector<std::string>& settings = {}) {
    try {
      config(body, settings);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }
  void base(const char* name, const std::string& body) {
    folder.write(name, R"({"schema": "sunstar/1", )" + body + "}");
  }
};

}  // namespace

TEST_CASE("a configuration without a base has the executable's preset") {
  Read read;
  const auto config = read.config(R"("run": {"seed": 7})");
  CHECK(config.base == "torus");
  CHECK(kit::effective(machine::preset("torus")) == kit::effective([] {
          machine::Config plain;
          plain.base = "torus";
          return plain;
        }()));
  CHECK(read.config(R"("base": "")").base.empty());
}

TEST_CASE("a kind that stays keeps the base's values, one that changes has its own defaults") {
  Read read;
  auto config =
      read.config(R"("base": "sp2", "machine": {"sockets": {"window": "32KiB"}}, "file_system": {"kind": "pvfs"})");
  CHECK(test::tcp_of(config).window.count == 32 << 10);
  CHECK(test::tcp_of(config).segment.count == 8 << 10);
  CHECK(config.machine.network.kind.is<network::SwitchParams>());
  CHECK(config.file_system.kind.is<file_systems::pvfs::Params>());
  CHECK(config.file_system.block_size.count == 32 << 10);
  config = read.config(R"("base": "sp2", "machine": {"network": {"kind": "cube"}})", {"machine.sockets.kind=none"});
  CHECK(test::cube_of(config).link_bandwidth.bytes_per_second == 200e6);
  CHECK_FALSE(config.machine.sockets.tcp());
  CHECK(read.unused.empty());
}

TEST_CASE("a configuration that was printed reads the same with any base") {
  Read read;
  for (const char* base : {"torus", "sp2", "cluster"}) {
    const auto printed = kit::effective(
        machine::spelt_out(read.config(R"("base": ")" + std::string(base) + R"(", "run": {"trials": 3})")));
    CHECK(printed.at("base") == base);
    kit::ConfigInput input{read.folder.write("printed.json", json::serialize(printed))};
    const auto again = kit::load_config<machine::Config>(input, &read.unused);
    const bool same = kit::effective(machine::spelt_out(again)) == printed;
    CHECK(same);
    CHECK(read.unused.empty());
  }
}

TEST_CASE("a base may be a file beside the one that names it, and have a base itself") {
  Read read;
  read.base("below.json", R"("base": "cluster", "machine": {"node": {"clock": "1GHz"}})");
  read.base("above.json", R"("base": "below.json", "machine": {"network": {"ports": 20}}, "run": {"seed": 3})");
  auto config = read.config(R"("base": "above.json", "run": {"trials": 2})");
  CHECK(config.machine.node.clock.hertz == 1e9);
  CHECK(config.machine.disk.name == "20 GB ATA disk");
  CHECK(test::fabric_of<network::EthernetParams>(config).ports == 20);
  CHECK(config.run.seed == 3);
  CHECK(config.run.trials == 2);
  CHECK(config.base == std::filesystem::absolute(read.folder.path / "above.json").string());
  // The command line's base comes before the file's; it names a file of the working directory.
  CHECK(read.config(R"("base": "nowhere.json")", {"base=sp2"}).base == "sp2");
}

TEST_CASE("a list of nodes replaces the counts of the base, but not those of the file itself") {
  Read read;
  const std::string nodes = R"("nodes": [{"count": 2}, {"role": "io", "buses": [{"drives": [{}]}]}])";
  const auto config = machine::spelt_out(read.config(R"("base": "cluster", "machine": {)" + nodes + "}"));
  CHECK(config.machine.compute_processors == 2);
  CHECK(config.machine.combined == 0);
  CHECK_THAT(read.refused(R"("base": "cluster", "machine": {"disks": 3, )" + nodes + "}"),
             ContainsSubstring("machine.disks is 3, but machine.nodes has 1"));
}

TEST_CASE("the message about a fault of a base names its file") {
  Read read;
  CHECK_THAT(read.refused(R"("base": "sp3")"),
             ContainsSubstring("c.json: base is \"sp3\"; there is no such preset in the "
                               "catalogue, which has \"cluster\", "
                               "\"infiniband-edr\""));
  CHECK_THAT(read.refused(R"("base": 3)"), ContainsSubstring("base is 3; it must be a string"));
  CHECK_THAT(read.refused(R"("run": {})", {"base=sp3"}), ContainsSubstring("--set base=sp3: base is"));
  read.base("wrong.json", R"("machine": {"disks": 0, "disc": 1})");
  const auto said = read.refused(R"("base": "wrong.json")");
  CHECK_THAT(said, ContainsSubstring("wrong.json: machine.disks is 0"));
  CHECK_THAT(said, ContainsSubstring("wrong.json: machine.disc is not a parameter"));
  CHECK_THAT(said, !ContainsSubstring("c.json"));
  read.base("round.json", R"("base": "trip.json")");
  read.base("trip.json", R"("base": "round.json")");
  CHECK_THAT(read.refused(R"("base": "round.json")"),
             ContainsSubstring("trip.json: base is \"round.json\", which has this file among its own bases"));
  CHECK_THAT(read.refused(R"("base": "c.json")"), ContainsSubstring("which has this file among its own bases"));
}

TEST_CASE("every executable of a machine runs each preset, and its schema has the preset's defaults") {
  for (const char* name : {"torus", "sp2", "cluster"}) {
    test::Program program(test::binary_folder() / ("sunstar-" + std::string(name)));
    for (const char* base : {"torus", "sp2", "cluster"}) {
      REQUIRE(program({"--print-config", "--set", "base=" + std::string(base)}) == 0);
      const auto config = json::parse(program.out);
      CHECK(config.at("base") == base);
      CHECK((config.at("machine").at("sockets").at("kind") == "none") == (base == std::string("torus")));
    }
    REQUIRE(program({"--schema"}) == 0);
    CHECK_THAT(program.out, ContainsSubstring("\"default\": \"" + std::string(name) + "\""));
  }
}

TEST_CASE("a machine's structure has the names of its statistics") {
  test::Program program(test::binary_folder() / "sunstar-torus");
  const std::vector<std::string> small{
      "--set", "machine.compute_processors=2", "--set", "machine.io_processors=1", "--set", "machine.disks=2",
      "--set", "workload.file_size=16KiB"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), small.begin(), small.end());
    REQUIRE(program(options) == 0);
    return json::parse(program.out);
  };
  for (const char* fabric : {"cube", "switch", "ethernet"}) {
    const std::string kind = "machine.network.kind=" + std::string(fabric);
    const auto structure = with({"--print-structure", "--set", kind});
    const auto run = with({"--quiet", "--output", "-", "--set", kind});
    const auto& statistics = run.at("statistics").as_object();
    const auto counted = [&](const json::value& part) {
      return std::ranges::any_of(statistics, [&](const auto& entry) {
        return std::string_view(entry.key()).starts_with(std::string_view(part.at("name").as_string()));
      });
    };
    CHECK(structure.at("nodes").as_array().size() == 3);
    CHECK(structure.at("drives").as_array().size() == 2);
    CHECK(structure.at("drives").at(1).at("type") == "HP 97560");
    CHECK(structure.at("network").at("kind") == fabric);
    CHECK(structure.at("nodes").at(2).at("role") == "io");
    CHECK(structure.at("nodes").at(2).at("name") == "machine.iop0");
    CHECK(structure.at("buses").at(0).at("node") == "machine.iop0");
    for (const char* list : {"nodes", "buses", "drives"})
      for (const auto& part : structure.at(list).as_array()) CHECK(counted(part));
    for (const auto& link : structure.at("network").at("links").as_array()) CHECK(counted(link));
  }
  // Two rows of two routers: each ring has one link each way.
  const auto cube = with({"--print-structure", "--set", "machine.network.shape=2x2"}).at("network");
  CHECK(cube.at("links").as_array().size() == 16);
  CHECK(cube.at("links").at(0) == json::object{{"name", "machine.network.router0.up0"},
                                               {"from", "machine.network.router0"},
                                               {"to", "machine.network.router1"},
                                               {"bytes_per_s", 200e6}});
  CHECK(cube.at("ports").at(3).at("place") == json::array{1, 1});
  CHECK(cube.at("shape") == json::array{2, 2});
  CHECK(cube.at("topology") == "torus");
}

TEST_CASE("a machine's structure has the speeds of its parts and the form of its network") {
  test::Program program(test::binary_folder() / "sunstar-cluster");
  const auto with = [&](const std::string& medium) {
    REQUIRE(program({"--print-structure", "--set", "machine.network.medium=" + medium, "--set",
                     "machine.network.bandwidth=10MB/s", "--set", "machine.bus.data_rate=20MB/s", "--set",
                     "machine.node.clock=500MHz", "--set", "machine.node.memory_bandwidth=300MB/s"}) == 0);
    return json::parse(program.out);
  };
  const auto structure = with("switch");
  const auto& node = structure.at("nodes").at(0);
  CHECK(node.at("processor") == "machine.node0.cpu");
  CHECK(node.at("hertz") == 500e6);
  CHECK(node.at("memory_bytes_per_s") == 300e6);
  CHECK(structure.at("buses").at(0).at("bytes_per_s") == 20e6);
  const auto& network = structure.at("network");
  CHECK(network.at("topology") == "switch");
  CHECK(network.at("shape").as_array().empty());
  CHECK(network.at("links").at(0).at("bytes_per_s") == 10e6);
  CHECK(with("hub").at("network").at("topology") == "hub");
}

TEST_CASE("a network alone and a drive alone have a structure, too") {
  test::Program network(test::binary_folder() / "sunstar-network"), disk(test::binary_folder() / "sunstar-disk");
  REQUIRE(network({"--print-structure", "--set", "machine.network.topology=mesh", "--set",
                   "machine.network.shape=3x2"}) == 0);
  const auto mesh = json::parse(network.out).at("network");
  CHECK(mesh.at("kind") == "cube");
  CHECK(mesh.at("topology") == "mesh");
  CHECK(mesh.at("shape") == json::array{3, 2});
  CHECK(mesh.at("links").as_array().size() == 14);  // 2 rows of 2 links and 3 columns of 1, each way
  CHECK(mesh.at("links").at(0).at("name") == "machine.network.router0.up0");
  REQUIRE(disk({"--print-structure", "--set", "machine.disk=hp97560", "--set", "machine.bus_rate=5MB/s"}) == 0);
  CHECK(json::parse(disk.out).at("drives").at(0) ==
        json::object{{"name", "machine.disk"}, {"type", "HP 97560"}, {"bytes_per_s", 5e6}});
}
