// SPDX-License-Identifier: MIT
// The executable as its users run it.
#include <algorithm>
#include <boost/json.hpp>

#include "platforms/kit/json_text.h"
#include "platforms/machine/run/config.h"
#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using test::TemporaryFolder;
namespace json = boost::json;
using Words = std::vector<std::string>;

namespace {

struct Bench {
  test::Program torus = test::sunstar_torus();
  TemporaryFolder folder;
  Words small{"--set", "machine.compute_processors=2", "--set", "machine.io_processors=2", "--set", "machine.disks=2",
              "--set", "machine.network.shape=[2,2]",  "--set", "workload.file_size=64KiB"};

  std::string in(const std::string& name) const { return (folder.path / name).string(); }
  /// A run of the small machine; gives its result file without what is the host's.
  std::string result(Words more) {
    Words all = small;
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {"--output", in("result.json"), "--quiet"});
    const int code = torus(all);
    INFO(torus.err);
    REQUIRE(code == 0);
    auto object = json::parse(TemporaryFolder::read(in("result.json"))).as_object();
    object.erase("host");
    return kit::pretty(object);
  }
  std::string vcd_without_date() const {
    std::string text = TemporaryFolder::read(in("w.vcd"));
    const auto date = text.find("$date");
    if (date != std::string::npos) text.erase(date, text.find("$end", date) - date);
    return text;
  }
};

double throughput(const std::string& result) {
  return json::parse(result).at("result").at("throughput").at("mib_per_s").to_number<double>();
}

/// What is said of a command line with `arguments`, and that nothing is written.
std::string refusal(const Words& arguments, int code = 3) {
  Bench b;
  Words all = arguments;
  all.insert(all.end(), {"--output", b.in("result.json"), "--vcd", b.in("w.vcd")});
  CHECK(b.torus(all) == code);
  CHECK(b.torus.out == "");
  CHECK(b.folder.files() == 0);
  return b.torus.err;
}
std::string refused_setting(const std::string& setting) { return refusal({"--set", setting}); }

}  // namespace

TEST_CASE("the same seed gives the same result byte for byte, another seed a different one") {
  for (const char* kind : {"traditional-caching", "disk-directed"}) {
    Bench b;
    const Words run{
        "--set", std::string("file_system.kind=") + kind, "--set", "file_system.layout=random-blocks", "--trials", "3"};
    const auto with_seed = [&](const char* seed) {
      Words all = run;
      all.insert(all.end(), {"--seed", seed});
      return b.result(all);
    };
    const auto first = with_seed("11");
    CHECK(first == with_seed("11"));
    CHECK(throughput(first) != throughput(with_seed("12")));
  }
}

TEST_CASE("contiguous runs, too, differ by seed, through the timing variation and the spindles") {
  Bench b;
  CHECK(throughput(b.result({"--seed", "1"})) != throughput(b.result({"--seed", "2"})));
}

TEST_CASE("trials give the same results side by side as one after the other") {
  Bench b;
  const auto without_jobs = [&](const char* jobs) {
    auto result = json::parse(b.result({"--trials", "3", "--set", std::string("run.jobs=") + jobs})).as_object();
    result.erase("config");
    return kit::pretty(result);
  };
  CHECK(without_jobs("1") == without_jobs("3"));
}

TEST_CASE("a traced run gives the same result as an untraced one, and the same trace every time") {
  for (const char* kind : {"traditional-caching", "disk-directed"}) {
    Bench b;
    const Words run{"--set", std::string("file_system.kind=") + kind,
                    "--set", "workload.pattern=wcc",
                    "--set", "workload.record_size=8B",
                    "--set", "workload.file_size=32KiB"};
    const auto untraced = b.result(run);
    Words traced = run;
    traced.insert(traced.end(), {"--vcd", b.in("w.vcd")});
    CHECK(b.result(traced) == untraced);
    const auto waves = b.vcd_without_date();
    CHECK(waves.size() > 1000);
    b.result(traced);
    CHECK(b.vcd_without_date() == waves);
  }
}

TEST_CASE("the printed configuration is accepted as a configuration and gives the same result") {
  Bench b;
  for (const char* placement : {"compute-first", "random"}) {
    Words print = b.small;
    print.insert(print.end(), {"--set", std::string("machine.placement=") + placement, "--print-config"});
    REQUIRE(b.torus(print) == 0);
    b.folder.write("config.json", b.torus.out);
    REQUIRE(b.torus({"--config", b.in("config.json"), "--print-config"}) == 0);
    CHECK(b.torus.out == TemporaryFolder::read(b.in("config.json")));
    CHECK(b.torus.err == "");
    const auto direct = b.result({"--set", std::string("machine.placement=") + placement});
    REQUIRE(b.torus({"--config", b.in("config.json"), "--output", b.in("again.json")}) == 0);
    auto again = json::parse(TemporaryFolder::read(b.in("again.json"))).as_object();
    again.erase("host");
    CHECK(kit::pretty(again) == direct);
  }
}

TEST_CASE("the result holds the configuration that ran, node by node") {
  Bench b;
  const auto result = json::parse(b.result({"--seed", "5"}));
  CHECK(result.at("schema") == "sunstar/1");
  CHECK(result.at("platform") == "sunstar-torus");
  CHECK(result.at("seed") == 5);
  CHECK(result.at("result").at("verified") == true);
  CHECK(result.at("config").at("machine").at("nodes").as_array().size() == 4);
}

TEST_CASE("the option --check builds the machine and does not run it") {
  Bench b;
  // A file of 1 GiB would take minutes to simulate.
  Words all{"--check", "--output", b.in("r.json"), "--set", "workload.file_size=1GiB"};
  CHECK(b.torus(all) == 0);
  CHECK(b.torus.out == "sunstar-torus: the configuration is in order.\n");
  CHECK(b.torus.err == "");
  CHECK(b.folder.files() == 0);
  all.push_back("--set");
  all.push_back("workload.file_size=100GiB");
  CHECK(b.torus(all) == 3);
  CHECK_THAT(b.torus.err, Catch::Matchers::ContainsSubstring("does not fit on disk"));
}

TEST_CASE("the message about an unknown key suggests the nearest key") {
  CHECK(refused_setting("machine.dsiks=3") ==
        "--set machine.dsiks=3: machine.dsiks is not a parameter; did you mean \"disks\"?\n");
}

TEST_CASE("the message about a wrong unit lists the units") {
  const auto said = refused_setting("machine.network.link_bandwidth=200MHz");
  CHECK_THAT(said, Catch::Matchers::StartsWith(
                       "--set machine.network.link_bandwidth=200MHz: machine.network.link_bandwidth is \"200MHz\""));
  CHECK_THAT(said, Catch::Matchers::ContainsSubstring("MB/s"));
}

TEST_CASE("the message about a value out of range gives the range") {
  CHECK(refused_setting("machine.network.link_bandwidth=1001GB/s") ==
        "--set machine.network.link_bandwidth=1001GB/s: machine.network.link_bandwidth is \"1001GB/s\"; it must be "
        "between 1kB/s and 1TB/s.\n");
  CHECK(refused_setting("machine.compute_processors=0") ==
        "--set machine.compute_processors=0: machine.compute_processors is 0; it must be between 1 and 65536.\n");
  CHECK(refused_setting("machine.node.cores=257") ==
        "--set machine.node.cores=257: machine.node.cores is 257; it must be between 1 and 256.\n");
  CHECK(refused_setting("machine.node.interrupts=none") ==
        "--set machine.node.interrupts=none: machine.node.interrupts is \"none\"; it must be \"first-core\" or "
        "\"spread\".\n");
}

TEST_CASE("the message about an unknown policy lists the policies") {
  const auto said = refused_setting("file_system.kind=disk-direct");
  CHECK_THAT(said, Catch::Matchers::ContainsSubstring("disk-directed") &&
                       Catch::Matchers::ContainsSubstring("file_system.kind is \"disk-direct\""));
}

TEST_CASE("a torus too small for the nodes is refused") {
  CHECK(refused_setting("machine.network.shape=[5,5]") ==
        "--set machine.network.shape=[5,5]: machine.network.shape has 25 routers; the machine has 32 nodes, and each "
        "needs one of its own.\n");
}

TEST_CASE("two nodes in one place, and a place outside the torus, are refused at once") {
  TemporaryFolder folder;
  const auto file = folder
                        .write("m.json", R"({"schema": "sunstar/1", "machine": {"network": {"shape": "6x6"}, "nodes": [
    {"role": "compute", "place": [1, 2]}, {"role": "io", "place": [1, 2], "buses": [{"drives": [{"count": 1}]}]},
    {"role": "compute", "place": [6, 0]}, {"role": "compute", "place": [1]}]}})")
                        .string();
  CHECK(refusal({"--config", file}) ==
        file + ": machine.nodes.1.place is [1,2], where machine.nodes.0 is already.\n" + file +
            ": machine.nodes.2.place is [6,0]; it must have 2 coordinates inside the torus of shape [6,6].\n" + file +
            ": machine.nodes.3.place is [1]; it must have 2 coordinates inside the torus of shape [6,6].\n");
}

TEST_CASE("a shape is a list, a text or a word, and the effective configuration has its sizes") {
  Bench b;
  const auto shape = [&](const Words& settings) {
    Words all{"--print-config"};
    for (const auto& s : settings) all.insert(all.end(), {"--set", s});
    INFO(b.torus.err);
    REQUIRE(b.torus(all) == 0);
    return json::serialize(json::parse(b.torus.out).at("machine").at("network").at("shape"));
  };
  CHECK(shape({}) == "[6,6]");  // 32 nodes
  CHECK(shape({"machine.compute_processors=56"}) == "[8,9]");
  CHECK(shape({"machine.compute_processors=56", "machine.network.shape=cubic"}) == "[4,4,5]");
  CHECK(shape({"machine.network.shape=4x8"}) == "[4,8]");
  CHECK(shape({"machine.network.shape=[40]"}) == "[40]");
  CHECK(shape({R"(machine.nodes=[{"count": 6}, {"count": 3, "role": "io", "buses": [{"drives": [{}]}]}])"}) == "[3,3]");
  const std::string wanted = R"(it must be a shape such as "8x9" or [8, 9], or "square" or "cubic")";
  CHECK(refused_setting("machine.network.shape=cubik") ==
        R"(--set machine.network.shape=cubik: machine.network.shape is "cubik"; )" + wanted +
            "; did you mean \"cubic\"?\n");
  CHECK(refused_setting("machine.network.shape=36") ==
        "--set machine.network.shape=36: machine.network.shape is 36; " + wanted + ".\n");
  CHECK(refused_setting("machine.network.shape=0x9") ==
        "--set machine.network.shape=0x9: machine.network.shape.0 is 0; it must be between 1 and 1024.\n");
}

TEST_CASE("a setting leads into lists, and one that leads nowhere says how long the list is") {
  Bench b;
  const auto file = b.folder
                        .write("m.json", R"({"schema": "sunstar/1", "machine": {"nodes": [{"count": 2},
    {"count": 2, "role": "io", "buses": [{"drives": [{}]}]}]},
    "workload": {"jobs": [{"file_size": "64KiB"}, {"file_size": "64KiB"}]}})")
                        .string();
  Words all{"--config", file, "--print-config"};
  for (const char* s : {"machine.nodes.1.buses.0.count=3", "machine.nodes.1.buses.0.drives.0.count=2",
                        "workload.jobs.1.record_size=4KiB"})
    all.insert(all.end(), {"--set", s});
  REQUIRE(b.torus(all) == 0);
  const auto config = json::parse(b.torus.out);
  CHECK(config.at("machine").at("disks") == 12);
  CHECK(config.at("machine").at("nodes").at(3).at("buses").as_array().size() == 3);
  CHECK(config.at("workload").at("jobs").at(1).at("record_size") == "4KiB");
  const auto sentence = [&](const std::string& setting) {
    CHECK(b.torus({"--config", file, "--set", setting}) == 3);
    return b.torus.err;
  };
  CHECK(sentence("machine.nodes.2.count=2") ==
        "--set machine.nodes.2.count=2: machine.nodes.2 does not exist; machine.nodes has 2 elements, 0 to 1.\n");
  CHECK(sentence("machine.nodes.1.buses.1.count=2") ==
        "--set machine.nodes.1.buses.1.count=2: machine.nodes.1.buses.1 does not exist; machine.nodes.1.buses has one "
        "element, 0.\n");
  CHECK(refused_setting("workload.jobs.1.record_size=4KiB") ==
        "--set workload.jobs.1.record_size=4KiB: workload.jobs.1 does not exist; workload.jobs is empty, so set the "
        "whole list.\n");
}

TEST_CASE("records have a line for each call or collective, by processor, file and time") {
  Bench b;
  const std::string heading = "job,calls,rank,op,file,offset,length,start_s,end_s\n";
  const auto lines = [&](Words more) {
    more.insert(more.end(), {"--set", "run.records=" + b.in("records.csv"), "--trials", "2"});
    const auto calls = json::parse(b.result(more)).at("result").at("calls").to_number<std::ptrdiff_t>();
    const std::string text = TemporaryFolder::read(b.in("records.csv"));
    CHECK(text.starts_with(heading));
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + calls);
    return text.substr(heading.size());
  };
  // 8 records of 8 KiB, which go to the two processors in turn.
  const auto cached = lines({"--set", "workload.pattern=rc"});
  for (const char* line : {"0,1,0,read,file,0,8192,", "0,1,1,read,file,8192,8192,", "0,1,1,read,file,57344,8192,"})
    CHECK_THAT(cached, Catch::Matchers::ContainsSubstring(line));
  CHECK(lines({"--set", "file_system.kind=disk-directed"}).starts_with("0,1,0,,,,,"));
  CHECK_THAT(refused_setting("run.records=/nowhere/r.csv"), Catch::Matchers::ContainsSubstring("/nowhere/r.csv"));
}

TEST_CASE("a drive group that sets one value keeps the machine's type of drive") {
  Bench b;
  b.folder.write("m.json", R"({"schema": "sunstar/1", "machine": {"disk": "hp_c2247a", "nodes": [
    {"role": "compute"}, {"role": "io", "buses": [{"drives": [{"count": 1}, {"count": 1, "disk": "barracuda"}]}]}]}})");
  const auto drives = [&](Words more) {
    Words all{"--config", b.in("m.json"), "--print-config"};
    all.insert(all.end(), more.begin(), more.end());
    REQUIRE(b.torus(all) == 0);
    return json::parse(b.torus.out).at("machine").at("nodes").at(1).at("buses").at(0).at("drives");
  };
  const auto named = drives({});
  CHECK(named.at(0).at("disk").is_null());
  const auto set = drives({"--set", "machine.nodes.1.buses.0.drives.0.disk.rpm=7200", "--set",
                           "machine.nodes.1.buses.0.drives.1.disk.rpm=5000"});
  CHECK(set.at(0).at("disk").at("rpm") == 7200);
  CHECK(set.at(0).at("disk").at("name") == "HP C2247A");
  CHECK(set.at(0).at("disk").at("heads") == 13);
  CHECK(set.at(1).at("disk").at("rpm") == 5000);
  CHECK(set.at(1).at("disk").at("name") == named.at(1).at("disk").at("name"));
}

TEST_CASE("a warning names settings of a kind that the run does not use") {
  Bench b;
  const auto warnings = [&](const Words& settings) {
    Words all = b.small;
    for (const auto& s : settings) all.insert(all.end(), {"--set", s});
    all.push_back("--check");
    CHECK(b.torus(all) == 0);
    return b.torus.err;
  };
  CHECK(warnings({"workload.scale.lengths=0.1"}) ==
        "Warning: workload.scale.lengths (0.1) is not used in this run; it is used if workload.kind is trace.\n");
  CHECK(warnings({"workload.trace=t.csv"})
            .ends_with("t.csv) is not used in this run; it is used if workload.kind is trace.\n"));
  CHECK(warnings({"file_system.kind=disk-directed", "file_system.cache.prefetch=false"}) ==
        "Warning: file_system.cache.prefetch (false) is not used in this run; it is used if file_system.kind is "
        "traditional-caching, enwrich, two-phase or hybrid.\n");
  CHECK(warnings({"file_system.enwrich.gather=true", "file_system.presort=false"}) ==
        "Warning: file_system.presort (false) is not used in this run; it is used if file_system.kind is "
        "disk-directed, enwrich or hybrid.\n"
        "Warning: file_system.enwrich.gather (true) is not used in this run; it is used if file_system.kind is "
        "enwrich.\n");
  CHECK(warnings({"workload.pattern=wb", "file_system.kind=enwrich", "file_system.presort=false",
                  "file_system.enwrich.gather=true", "file_system.enwrich.flush_threshold=0.5"}) ==
        "Warning: file_system.enwrich.flush_threshold (0.5) is not used in this run; it is used if "
        "file_system.enwrich.background is true.\n");
}

TEST_CASE("a warning names settings that the workload makes useless, each by the rule of the file system in use") {
  Bench b;
  const auto warnings = [&](const std::string& kind, Words settings) {
    settings.push_back("file_system.kind=" + kind);
    Words all = b.small;
    for (const auto& s : settings) all.insert(all.end(), {"--set", s});
    all.push_back("--check");
    CHECK(b.torus(all) == 0);
    return b.torus.err;
  };
  const std::string records = "is not used in this run; it is used if workload.kind is records or workload.jobs is ";
  CHECK(warnings("traditional-caching", {"file_system.records=contiguous-share"}) ==
        "Warning: file_system.records (contiguous-share) " + records + "not empty.\n");
  CHECK(warnings("disk-directed", {"file_system.gather=true"}).empty());
  CHECK(warnings("disk-directed", {"file_system.filter_at=compute-processor"}) ==
        "Warning: file_system.filter_at (compute-processor) " + records + "not empty.\n");
  CHECK(warnings("traditional-caching", {"file_system.cache.prefetch=false", "file_system.strided=true"}).empty());
  CHECK(warnings("hybrid", {"file_system.cache.prefetch=false"}).empty());  // its buffers are there in any case
  CHECK(warnings("hybrid", {"file_system.strided=true"}) ==
        "Warning: file_system.strided (true) is not used in this run; it is used if workload.jobs is not empty.\n");
  CHECK(warnings("disk-directed", {"workload.compare_alone=false", "file_system.several=round-robin"}) ==
        "Warning: file_system.several (round-robin) and workload.compare_alone (false) are not used in this run; they "
        "are used if workload.jobs is not empty.\n");
  CHECK(warnings("disk-directed", {"workload.kind=streams", "workload.start_spread=1us"}) ==
        "Warning: file_system.kind (disk-directed) is not used in this run; it is used if workload.kind is not streams "
        "or exchange or workload.jobs is not empty.\n"
        "Warning: workload.file_size (64KiB) is not used in this run; it is used if workload.kind is pattern, "
        "records, subset or sharing.\n"
        "Warning: workload.start_spread (1us) is not used in this run; it is used if workload.kind is not streams or "
        "workload.jobs is not empty.\n");
  const std::string jobs = R"(workload.jobs=[{"processors": 2, "file_size": "128KiB"}])";
  CHECK(warnings("hybrid", {jobs, "workload.pattern=wb", "file_system.cache.prefetch=false"}) ==
        "Warning: workload.pattern (wb) and workload.file_size (64KiB) are not used in this run; they are used if "
        "workload.jobs is empty.\n");
}

TEST_CASE("synthetic traffic has a program of its own") {
  CHECK_THAT(refused_setting("workload.load=0.1"),
             Catch::Matchers::ContainsSubstring("workload.load is not a parameter"));
  CHECK_THAT(refused_setting("workload.kind=traffic"),
             Catch::Matchers::ContainsSubstring(
                 "workload.kind is \"traffic\"; it must be \"pattern\", \"trace\", \"records\", "
                 "\"subset\", \"forks\", \"sharing\", \"streams\", \"exchange\", \"ior\" or \"training\""));
}

TEST_CASE("a machine that cannot run the processes of sharing, or make its calls, refuses it") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(refusal({"--set", "workload.kind=sharing", "--set", "workload.instances=2"}),
             ContainsSubstring(
                 "the workload has several processes on a compute processor, but traditional-caching runs one on "
                 "each; set file_system.kind to pvfs, locking, versioned or local, or give each process a processor."));
  CHECK_THAT(
      refusal(
          {"--set", "workload.kind=sharing", "--set", "workload.nodes=16", "--set", "file_system.kind=disk-directed"}),
      ContainsSubstring("workload.kind is sharing, whose requests are calls of single processors, but disk-directed "
                        "carries out collectives here"));
  CHECK_THAT(refusal({"--set", "workload.kind=sharing", "--set", "workload.bytes=1MB"}),
             ContainsSubstring(
                 "workload.bytes is 1000000; it must be a multiple of request_size times nodes times iterations, "
                 "262144 bytes."));
  CHECK_THAT(refusal({"--set", "workload.kind=sharing", "--set", "workload.sharing=1.5"}),
             ContainsSubstring("workload.sharing is 1.5"));
}

TEST_CASE("a node that stops must be one of the machine's") {
  const std::string fault = R"(faults=[{"place": "cp16", "effect": "stop"}])";
  CHECK_THAT(refusal({"--set", "file_system.kind=enwrich", "--set", fault}),
             Catch::Matchers::ContainsSubstring("faults.0.place is 'cp16', and stop strikes a node: 'cp0' is one, "
                                                "'*' means all"));
}

TEST_CASE("a result says where the processors' time went, by primitive and kind of thread") {
  Bench b;
  const auto result = json::parse(b.result({}));
  const auto& statistics = result.at("statistics").as_object();
  // Eight blocks of 8 KiB, four at each I/O processor, and what was fetched ahead.
  CHECK(statistics.at("machine.iop0.count.read_request.request_decode").at("value") == 4);
  const double each = result.at("config").at("machine").at("costs").at("request_decode").to_number<double>();
  CHECK(statistics.at("machine.iop0.cycles.read_request.request_decode").at("value").to_number<double>() == 4 * each);
  CHECK(statistics.at("machine.cp0.count.main.file_call").at("value") == 1);
}

TEST_CASE("a count that disagrees with the nodes beside it is refused") {
  TemporaryFolder folder;
  const auto file = folder
                        .write("m.json", R"({"schema": "sunstar/1", "machine": {"disks": 4, "nodes": [
    {"role": "compute"}, {"role": "io", "buses": [{"drives": [{"count": 1}]}]}]}})")
                        .string();
  CHECK(refusal({"--config", file}) ==
        file + ": machine.disks is 4, but machine.nodes has 1; leave the count out, or the nodes.\n");
}

TEST_CASE("a network that is empty or too large, and a bus without a drive, are refused") {
  CHECK(refused_setting("machine.network.shape=[1024,1024]") ==
        "--set machine.network.shape=[1024,1024]: machine.network.shape has more than 131072 routers, the most a "
        "network can have.\n");
  CHECK_THAT(refused_setting("machine.network.shape=[]"),
             Catch::Matchers::ContainsSubstring("machine.network.shape is empty"));
  CHECK_THAT(refused_setting("machine.disks=2"),
             Catch::Matchers::ContainsSubstring("machine.disks is 2; it must be at least machine.io_processors, 16"));
}

TEST_CASE("no output overwrites a file that the run reads, or another output") {
  TemporaryFolder folder;
  const auto trace = folder.write("t.csv", "rank,op,file,offset,length,start,end\n0,w,a,0,8,0,1\n").string();
  const Words replay{"--set", "workload.kind=trace", "--set", "workload.trace=" + trace, "--timeline", trace};
  CHECK(refusal(replay) == "workload.trace and --timeline name the same file, " + trace + ".\n");
  CHECK(TemporaryFolder::read(trace).starts_with("rank,op"));
  const auto part = folder.write("machine.json", "{\"disks\": 16}").string();
  const auto whole = folder.write("top.json", R"({"schema": "sunstar/1", "machine": "machine.json"})").string();
  CHECK_THAT(refusal({"--config", whole, "--timeline", part}),
             Catch::Matchers::ContainsSubstring("--timeline is " + part +
                                                ", which is also an input; it must be another file."));
}

TEST_CASE("a machine without disks or without a node that computes is refused") {
  TemporaryFolder folder;
  const auto file =
      folder.write("m.json", R"({"schema": "sunstar/1", "machine": {"nodes": [{"role": "io", "buses": []}]}})")
          .string();
  const auto said = refusal({"--config", file});
  CHECK_THAT(said, Catch::Matchers::ContainsSubstring("has no node that computes") &&
                       Catch::Matchers::ContainsSubstring("has no drive"));
}

TEST_CASE("an I/O node without a drive, and a bus without one, are refused") {
  TemporaryFolder folder;
  const auto file =
      folder
          .write("m.json",
                 R"({"schema": "sunstar/1", "machine": {"nodes": [{"role": "compute"}, {"role": "io", "buses": []},
    {"role": "both"}, {"role": "io", "buses": [{"drives": [{"count": 1}]}, {"drives": []}]}]}})")
          .string();
  const std::string without =
      "is empty; a node whose role is io or both must have a bus with a drive, because otherwise no request would "
      "reach it.\n";
  CHECK(refusal({"--config", file}) == file + ": machine.nodes.1.buses " + without + file + ": machine.nodes.2.buses " +
                                           without + file +
                                           ": machine.nodes.3.buses.1.drives is empty; a bus must have a drive, "
                                           "because otherwise nothing would use it.\n");
}

TEST_CASE("a file that does not fit on the disks is refused") {
  const auto said = refused_setting("workload.file_size=100GiB");
  CHECK_THAT(said, Catch::Matchers::ContainsSubstring(
                       "\"file\" does not fit on disk \"machine.iop0_scsi0.disk0\": it needs 819200 blocks"));
}

TEST_CASE("missing files are named") {
  const auto config = refusal({"--config", "/none/m.json"});
  CHECK_THAT(config, Catch::Matchers::StartsWith("/none/m.json"));
  const auto drive = refused_setting("machine.disk=./none.json");
  CHECK_THAT(drive,
             Catch::Matchers::ContainsSubstring("machine.disk") && Catch::Matchers::ContainsSubstring("none.json"));
  const auto type = refused_setting("machine.disk=hp97561");
  CHECK_THAT(type, Catch::Matchers::ContainsSubstring("machine.disk is \"hp97561\"") &&
                       Catch::Matchers::ContainsSubstring("hp97560"));
}

TEST_CASE("the message about a damaged configuration gives line and column") {
  TemporaryFolder folder;
  const auto file = folder.write("m.json", "{\"schema\": \"sunstar/1\",\n \"machine\": {\"disks\": 3,}}").string();
  CHECK_THAT(refusal({"--config", file}), Catch::Matchers::StartsWith(file) && Catch::Matchers::ContainsSubstring("2"));
}

TEST_CASE("an output that cannot be written is refused before anything is simulated") {
  Bench b;
  b.folder.write("file", "");
  const auto below_a_file = b.in("file/r.json");
  for (const char* option : {"--output", "--vcd", "--timeline"}) {
    CHECK(b.torus({option, below_a_file, "--set", "workload.file_size=1GiB"}) == 3);
    CHECK(b.torus.err == below_a_file + " cannot be written: " + b.in("file") + " is not a folder.\n");
  }
  CHECK(b.folder.files() == 1);
}

TEST_CASE("a full disk is reported in a sentence, for the result and for the standard output") {
  Bench b;
  Words all = b.small;
  all.insert(all.end(), {"--output", "/dev/full"});
  CHECK(b.torus(all) == 3);
  CHECK(b.torus.err == "/dev/full cannot be written: No space left on device.\n");
  CHECK(b.torus(b.small, "/dev/full") == 3);
  CHECK(b.torus.err == "The standard output cannot be written.\n");
}

TEST_CASE("on a terminal a run shows its progress, and its result is the same") {
  if (!test::Program::has_terminals()) {
    WARN("skipped: this host has no pseudo-terminals");
    return;
  }
  Bench b;
  const auto shown = [&](Words more) {
    Words all = b.small;
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {"--output", b.in("r.json")});
    CHECK(b.torus.on_terminal(all) == 0);
    const std::string printed = b.torus.out;
    std::string on_terminal = b.torus.err;
    auto result = json::parse(TemporaryFolder::read(b.in("r.json"))).as_object();
    CHECK(b.torus(all) == 0);
    CHECK(b.torus.out == printed);
    CHECK(b.torus.err == "");
    auto again = json::parse(TemporaryFolder::read(b.in("r.json"))).as_object();
    for (auto* r : {&result, &again}) r->erase("host");
    CHECK(result == again);
    return on_terminal;
  };
  CHECK_THAT(shown({}),
             Catch::Matchers::StartsWith("\r\x1b[K  0%  simulated  0.0 s") && Catch::Matchers::EndsWith("\r\x1b[K"));
  CHECK_THAT(shown({"--trials", "2"}), Catch::Matchers::StartsWith("\r\x1b[K  0%  0 of 2 trials  0.0 s"));
  CHECK(shown({"--quiet"}) == "");
}

TEST_CASE("every parameter and every figure of sunstar-torus is declared without faults") {
  CHECK(kit::parameter_faults<machine::Config>() == std::vector<std::string>{});
  CHECK(kit::figure_faults<machine::Result>() == std::vector<std::string>{});
}

TEST_CASE("an unknown option exits with 2, help and version with 0") {
  Bench b;
  CHECK(b.torus({"--sead", "1"}) == 2);
  CHECK_THAT(b.torus.err, Catch::Matchers::ContainsSubstring("did you mean \"--seed\"?"));
  CHECK(b.torus({"--help"}) == 0);
  CHECK(b.torus.err == "");
  CHECK(b.torus({"--version"}) == 0);
  CHECK(b.torus({"--schema"}) == 0);
  json::parse_options deep;
  deep.max_depth = 100;
  CHECK(json::parse(b.torus.out, {}, deep).at("title") == "sunstar-torus");
}
