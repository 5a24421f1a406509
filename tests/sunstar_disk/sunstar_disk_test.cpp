// SPDX-License-Identifier: MIT
#include <boost/json.hpp>

#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/shared_folder.h"

using namespace sunstar;
using test::Program;
using test::TemporaryFolder;
namespace json = boost::json;

namespace {

Program sunstar_disk() { return Program(test::binary_folder() / "sunstar-disk"); }

json::object run(std::vector<std::string> arguments) {
  Program program = sunstar_disk();
  arguments.insert(arguments.end(), {"--quiet", "--output", "-"});
  INFO(program.err);
  const int code = program(arguments);
  INFO(program.err);
  REQUIRE(code == 0);
  return json::parse(program.out).as_object();
}

double number(const json::value& v, const std::string& pointer) { return v.at_pointer(pointer).to_number<double>(); }

std::vector<std::string> settings(const std::vector<std::string>& all) {
  std::vector<std::string> words;
  for (const auto& s : all) words.insert(words.end(), {"--set", s});
  return words;
}

const char* trace_text =
    "R x 0 8 12000.0 1000.0\n"
    "\n"
    "# a note\n"
    "W x 1000 16 15000.5 0\n"
    "R x 8 8 1500 10\n";

}  // namespace

TEST_CASE("a synthetic load runs, reports its figures and is repeatable") {
  const auto words = settings({"machine.disk=hp_c2247a", "workload.requests=2000", "workload.sequential_share=0.3",
                               "workload.local_share=0.2", "workload.size_spread=exponential",
                               "workload.think_time=5ms", "workload.think_spread=exponential"});
  const auto a = run(words), b = run(words);
  CHECK(json::serialize(a.at("result")) == json::serialize(b.at("result")));
  const json::value& result = a.at("result");
  CHECK(result.at("verified") == true);
  CHECK(result.at("requests") == 2000);
  CHECK(number(result, "/response/p50_ms") > 1);
  CHECK(number(result, "/throughput/mib_per_s") > 0.1);
  CHECK(number(result, "/throughput/medium_mib_per_s") <= number(result, "/throughput/mib_per_s"));
  CHECK(number(result, "/reads/count") / 2000 == Approx(0.66).margin(0.05));
  CHECK_FALSE(result.as_object().contains("demerit"));
  auto other = words;
  other.insert(other.end(), {"--seed", "2"});
  CHECK(json::serialize(run(other).at("result")) != json::serialize(a.at("result")));
}

TEST_CASE("a rig that takes much of a drive's time is named, unless the times to compare with are its own") {
  const auto warnings = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"machine.disk=barracuda", "workload.requests=3"});
    return json::serialize(run(settings(more)).at("result").at("warnings"));
  };
  const std::vector<std::string> stream{"workload.read_share=1", "workload.sequential_share=1"};
  // 102.4 us a sector in place of 51.2 us of the bus; the buffer serves all but the first request, in little more.
  CHECK_THAT(warnings(stream), Catch::Matchers::ContainsSubstring("machine.disk.rig.counts=nowhere leaves it out"));
  CHECK(warnings({stream[0], stream[1], "machine.disk.rig.counts=nowhere"}) == "[]");
  CHECK(warnings({stream[0], stream[1], "machine.bus_rate=3MB/s"}) == "[]");  // slower than the rig
  const TemporaryFolder folder;
  CHECK(warnings({"workload.kind=trace", "workload.trace=" + folder.write("trace", trace_text).string()}) == "[]");
}

TEST_CASE("trials are independent runs whose mean is the result") {
  auto words = settings({"machine.disk=barracuda", "workload.requests=500"});
  words.insert(words.end(), {"--trials", "3"});
  const auto all = run(words);
  double sum = 0;
  for (const auto& t : all.at("trials").as_array()) sum += number(t, "/throughput/mib_per_s");
  CHECK(all.at("trials").as_array().size() == 3);
  CHECK(number(all, "/result/throughput/mib_per_s") == Approx(sum / 3));
  CHECK(number(all, "/result/throughput/coefficient_of_variation") > 0);
}

TEST_CASE("a trace is replayed in a closed loop and compared with what was measured") {
  TemporaryFolder folder;
  const std::string trace = folder.write("t.trace", trace_text), records = folder.path / "r.csv";
  const auto all = run(settings({"workload.kind=trace", "workload.trace=" + trace, "run.records=" + records}));
  const json::value& result = all.at("result");
  CHECK(result.at("requests") == 3);
  CHECK(number(result, "/demerit/measured_mean_ms") == Approx((12 + 15.0005 + 1.5) / 3));
  for (const char* key :
       {"ms", "percent", "reads_percent", "writes_percent", "within_half_ms_percent", "mean_error_ms"})
    CHECK(result.at("demerit").as_object().contains(key));
  // Each request is issued think time after the report of the one before it.
  std::istringstream lines(TemporaryFolder::read(records));
  std::string line;
  std::getline(lines, line);
  double expected = 0;
  for (double think : {1e6, 0.0, 1e4}) {
    std::getline(lines, line);
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() == 13);
    CHECK(std::stod(cells[3]) == Approx(expected).margin(1));
    expected = std::stod(cells[3]) + std::stod(cells[4]) + think;
  }
}

TEST_CASE("a trace that cannot be used is refused with file and line") {
  TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    const auto trace = folder.write("t.trace", text);
    Program program = sunstar_disk();
    CHECK(program(settings({"workload.kind=trace", "workload.trace=" + trace.string()})) == 3);
    CHECK(program.err == trace.string() + sentence + "\n");
  };
  refused("", ": there are no requests in this file.");
  refused("R x 0 8 1\n",
          ":1: the line has 5 words; it must have six: R or W, a word, block number, blocks, response and think time "
          "in us.");
  refused("R x 0 8 1 1\nX x 0 8 1 1\n", ":2: \"X\" is not allowed; it must be R or W.");
  refused("R x -1 8 1 1\n",
          ":1: the block number is \"-1\"; it must be a whole number from 0 to "
          "18014398509481983.");
  refused("R x 1 0 1 1\n", ":1: the number of blocks is \"0\"; it must be a whole number between 1 and 1048576.");
  refused("R x 1 1 nan 1\n",
          ":1: the response time is \"nan\"; it must be a number of microseconds from 0 to 1000000000000.");
  refused("R x 1 1 1 -1\n",
          ":1: the think time is \"-1\"; it must be a number of microseconds from 0 to 1000000000000.");
  refused(
      "R x 2647079 2 1 1\n",
      ":1: blocks 2647079 + 2 go beyond the last one, 2647079; sunstar trace import --volume 1355304960 maps them.");
  refused("R x 18446744073709551615 1 1 1\n",
          ":1: the block number is \"18446744073709551615\"; it must be a whole number from 0 to 18014398509481983.");
}

TEST_CASE("a load that would last longer than time can be counted fails, and the message says where") {
  Program program = sunstar_disk();
  CHECK(program(settings({"workload.think_time=1000s", "workload.requests=8990"})) == 0);
  CHECK(program(settings({"workload.think_time=1000s", "workload.requests=9230"})) == 4);
  CHECK(program.err.find("after 9000 of 9230 requests the load would go beyond 9000000 s, the most simulated time") !=
        std::string::npos);
}

TEST_CASE("more requests than a trace has and no regular file are refused") {
  TemporaryFolder folder;
  const auto trace = folder.write("t.trace", "R x 0 8 1 1\nR x 8 8 1 1\n");
  Program program = sunstar_disk();
  CHECK(program(settings({"workload.kind=trace", "workload.trace=" + trace.string(), "workload.requests=2"})) == 0);
  CHECK(program(settings({"workload.kind=trace", "workload.trace=" + trace.string(), "workload.requests=3"})) == 3);
  CHECK(program.err == "workload.requests is 3; " + trace.string() + " has 2, and 0 means all of them.\n");
  CHECK(program(settings({"workload.kind=trace", "workload.trace=/dev/null"})) == 3);
  CHECK(program.err.starts_with("/dev/null: this is not a regular file; it must be"));
}

TEST_CASE("sunstar-disk answers mistakes with a sentence and the right exit code") {
  Program program = sunstar_disk();
  CHECK(program({"--help"}) == 0);
  CHECK(program.out.find("Example:") != std::string::npos);
  CHECK(program({"--check"}) == 0);
  CHECK(program(settings({"workload.kind=trace"})) == 3);
  CHECK(program.err.find("workload.trace is empty; a workload of the kind trace needs a file.") != std::string::npos);
  CHECK(program(settings({"workload.trace=x", "workload.requests=10"})) == 0);
  CHECK(program.err.ends_with("x) is not used in this run; it is used if workload.kind is trace or arrivals.\n"));
  CHECK(program(settings({"machine.disk=hp_c2247b"})) == 3);
  CHECK(program.err.find("hp_c2247a") != std::string::npos);
  CHECK(program(settings({"workload.size=700B"})) == 3);
  CHECK(program.err ==
        "--set workload.size=700B: workload.size is 700B; it must be a multiple of the drive's sector size, 512B.\n");
  CHECK(program({"--sett", "a=b"}) == 2);
}

TEST_CASE("figures that are 0 are counted, and shown with --verbose") {
  Program program = sunstar_disk();
  std::vector<std::string> words{"--set", "workload.requests=10"};
  REQUIRE(program(words) == 0);
  CHECK(program.out.find("coefficient_of_variation") == std::string::npos);
  CHECK(program.out.find("figures that are 0, which --verbose shows: ") != std::string::npos);
  words.emplace_back("--verbose");
  REQUIRE(program(words) == 0);
  CHECK(program.out.find("result.throughput.coefficient_of_variation  0\n") != std::string::npos);
  CHECK(program.out.find("--verbose") == std::string::npos);
}

TEST_CASE("a file that is not text is refused without printing its bytes") {
  TemporaryFolder folder;
  const std::string bytes(
      "\x7f"
      "ELF\x02 {\0 = }",
      12);
  const auto file = folder.write("binary", bytes);
  Program program = sunstar_disk();
  CHECK(program(settings({"workload.kind=trace", "workload.trace=" + file.string()})) == 3);
  CHECK(program.err ==
        file.string() +
            ": byte 4 is 2, which no text file contains; it must be a trace of requests, plain or packed "
            "by gzip.\n");
}

TEST_CASE("wave file, timeline and log of a drive change no figure") {
  TemporaryFolder folder;
  const auto words = settings({"workload.requests=50"});
  auto watched = words;
  watched.insert(watched.end(),
                 {"--vcd", (folder.path / "w.vcd").string(), "--timeline", (folder.path / "t.json").string(), "--log",
                  (folder.path / "a.log").string(), "--log-level", "debug"});
  CHECK(json::serialize(run(words).at("result")) == json::serialize(run(watched).at("result")));
  const auto waves = TemporaryFolder::read(folder.path / "w.vcd");
  for (const char* signal : {"phase", "cylinder", "request", "lbn"}) CHECK(waves.find(signal) != std::string::npos);
  CHECK(json::parse(TemporaryFolder::read(folder.path / "t.json")).is_object());
  const auto log = TemporaryFolder::read(folder.path / "a.log");
  watched.insert(watched.end(), {"--explain"});
  run(watched);
  CHECK(TemporaryFolder::read(folder.path / "a.log") == log);
  for (const char* text :
       {"info  machine.disk  read, lbn ", "info  machine.disk  read ends", "debug machine.disk  heads: seek"})
    CHECK(log.find(text) != std::string::npos);
}

TEST_CASE("every drive of the catalogue can run a load") {
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() / "models/disk/drives")) {
    if (entry.is_directory()) continue;
    INFO(entry.path());
    const auto all = run(
        settings({"machine.disk=" + entry.path().stem().string(), "workload.requests=2000", "workload.local_share=0.5",
                  "workload.sequential_share=0.2", "workload.size_spread=exponential"}));
    CHECK(all.at("result").at("verified") == true);
  }
}

TEST_CASE("requests of varying size near the end of what they cover stay within it") {
  const auto words =
      settings({"machine.disk=hp97560", "workload.requests=5000", "workload.span=0.001", "workload.local_share=0.9",
                "workload.local_distance=96KiB", "workload.size=64KiB", "workload.size_spread=exponential"});
  CHECK(run(words).at("result").at("verified") == true);
}

TEST_CASE("the measured drives are within 0.01 of what the best public simulator reaches") {
  struct Goal {
    const char* drive;
    double all;
  };
  const Goal goals[] = {{"hp_c2247a", 0.61},  {"hp_c2490a", 2.03}, {"dec_rz26", 2.16},
                        {"cheetah4LP", 5.97}, {"barracuda", 5.26}, {"atlas10k", 6.89}};
  for (const Goal& g : goals) {
    const auto trace = test::shared_file("disks/traces/" + std::string(g.drive) + ".trace.gz");
    if (!trace) {
      WARN("skipped: the measured traces are not there");
      return;
    }
    const auto all =
        run(settings({"machine.disk=" + std::string(g.drive), "workload.kind=trace", "workload.trace=" + *trace}));
    INFO(g.drive);
    CHECK(number(all, "/result/demerit/percent") <= g.all + 0.01);
  }
}

namespace {

std::string fault_setting(const std::string& effect, const std::string& trigger) {
  return R"(faults=[{"place": "disk", )" + effect + R"(, "trigger": {)" + trigger + "}}]";
}
const std::string second_request = R"("kind": "operation", "number": 2)";

}  // namespace

TEST_CASE("a drive's faults take the time that its driver needs, and are counted, logged and drawn") {
  TemporaryFolder folder;
  const std::string log = folder.path / "run.log", waves = folder.path / "run.vcd";
  const auto with = [&](const std::string& effect, const std::string& trigger = second_request) {
    auto words = settings({"workload.requests=20", "workload.read_share=0", fault_setting(effect, trigger)});
    words.insert(words.end(), {"--log", log, "--vcd", waves});
    return run(words).at("result");
  };
  // A hang: 30 s until the driver aborts the command, 0.25 s until it sees that the drive does not hear that, 5 s after
  // the reset. The retry meets UNIT ATTENTION.
  const json::value hang = with(R"("effect": "hang")");
  CHECK(number(hang, "/response/max_ms") == Approx(35250).margin(60));
  CHECK(hang.at("verified") == true);
  const json::object figures = hang.at("faults").as_object();
  CHECK(figures.at("failed_commands") == 2);
  CHECK(figures.at("retries") == 2);
  CHECK(figures.at("aborts") == 1);
  CHECK(figures.at("resets") == 1);
  CHECK(TemporaryFolder::read(log).find("machine.disk  fault: hang") != std::string::npos);
  CHECK(TemporaryFolder::read(waves).find("$scope module faults") != std::string::npos);
  // Dead under its second command: 30 s, and a device reset and a bus reset that it does not hear: 2 x 5.25 s, 0.25 s
  // before each, and 0.25 s for the last selection.
  const json::value dead = with(R"("effect": "dead")");
  CHECK(number(dead, "/elapsed_s") == Approx(30 + 0.25 + 5 + 0.25 + 5 + 0.25).margin(0.1));
  CHECK(number(dead, "/faults/failed_requests") == 19);
  CHECK(number(dead, "/faults/drives_offline") == 1);
  CHECK(dead.at("requests") == 20);
  CHECK(dead.at("writes").at("count") == 1);
  // What the buffer of an HP 97560 holds is gone with its power; the drive is not ready for 15 s, looked at every
  // second.
  const json::value power = with(R"("effect": "power-loss")");
  CHECK(number(power, "/faults/bytes_lost_with_power") == 8192);
  CHECK(number(power, "/response/max_ms") == Approx(15000).margin(60));
  const json::value lost = with(R"("effect": "corruption", "wrong": "lost")");
  CHECK(number(lost, "/faults/bytes_silently_wrong") == 8192);
  CHECK(number(lost, "/faults/failed_commands") == 0);
  CHECK(number(lost, "/response/max_ms") ==
        number(with(R"("effect": "recovered-error", "revolutions": 0)"), "/response/max_ms"));
}

TEST_CASE("a fault of something that is no drive, and explanations of runs with faults, are refused in a sentence") {
  Program program = sunstar_disk();
  CHECK(program({"--set", R"(faults=[{"place": "disk1", "effect": "dead"}])"}) == 3);
  CHECK(program.err.find("faults.0.place is 'disk1', which is no drive: 'disk' is one, '*' means all.") !=
        std::string::npos);
  CHECK(program({"--set", R"(faults=[{"place": "disk", "effect": "bus-hang"}])"}) == 3);
  CHECK(program.err.find("faults.0.effect is \"bus-hang\"; it must be \"medium-error\"") != std::string::npos);
  CHECK(program({"--explain", "--set", R"(faults=[{"place": "disk", "effect": "dead"}])"}) == 3);
  CHECK(program.err.find("--explain does not account for the time of faults") != std::string::npos);
}
