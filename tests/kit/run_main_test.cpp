// SPDX-License-Identifier: MIT
#include "platforms/kit/run/run_main.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platforms/kit/results/common.h"
#include "tests/kit/lamp.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using lamp::Lighthouse;
namespace json = boost::json;

namespace {

using Words = std::vector<std::string>;

/// What a trial of the lamp says: it shines 1 MiB/s in the first, 2 in the second and so on.
struct Shine {
  kit::Throughput throughput;
  std::uint64_t flashes = 0;
  bool verified = false;
  std::vector<std::string> warnings = {};
};
BOOST_DESCRIBE_STRUCT(Shine, (), (throughput, flashes, verified, warnings))
std::vector<Figure> figures(const Shine*) {
  return {{"throughput", "how much it shines"},
          {"flashes", "of the lamp"},
          {"verified", "whether a ship saw it"},
          {"warnings", "what to mind"}};
}

/// A program over the lighthouse, and what it printed.
struct Program {
  kit::Platform<Lighthouse, Shine> platform{
      "sunstar-lamp",
      "Lights a lamp.",
      "sunstar-lamp --config lamp.json",
      "",
      {},
      [this](const Lighthouse&, std::uint32_t trial, const kit::Watch& watch) { return run(trial, watch); }};
  int runs = 0;
  bool fail = false, verified = true;
  std::vector<std::string> warnings;
  WaveFile::Options waves;  // of the first trial
  std::string out, err;
  test::TemporaryFolder folder;

  kit::Trial<Shine> run(std::uint32_t trial, const kit::Watch& watch) {
    kit::HostMeter meter;
    ++runs;
    if (watch.vcd) std::ofstream(*watch.vcd) << "waves of trial " << trial;
    if (trial == 0) waves = watch.waves;
    if (fail) throw SimulationError("the lamp went out.");
    kit::Trial<Shine> t{{{trial + 1.0, {}, 0.123456789}, 10485760, verified, warnings}, {}, meter.read()};
    t.host.kernel_events = 4;
    return t;
  }
  int operator()(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"sunstar-lamp"};
    for (const auto& a : arguments) argv.push_back(a.c_str());
    std::ostringstream o, e;
    const int code = kit::run_main(static_cast<int>(argv.size()), argv.data(), platform, {o, e, false});
    out = o.str();
    err = e.str();
    return code;
  }
  std::string in(const std::string& name) const { return (folder.path / name).string(); }
};

}  // namespace

TEST_CASE("a run prints its result, and writes it with the configuration that really ran") {
  Program lamp;
  CHECK(lamp({"--seed", "7", "--trials=3", "--set", "tower.tide=1", "--output", lamp.in("r.json"), "--vcd",
              lamp.in("w.vcd")}) == 0);
  CHECK(lamp.out ==
        "result.throughput.mib_per_s                 2\n"
        "result.throughput.coefficient_of_variation  0.5\n"
        "result.throughput.medium_mib_per_s          0.12346\n"
        "result.flashes                              10485760\n"
        "result.verified                             true\n");
  CHECK(lamp.err == "");
  const auto all = json::parse(test::TemporaryFolder::read(lamp.in("r.json"))).as_object();
  CHECK(all.at("platform") == "sunstar-lamp");
  CHECK(all.at("seed") == 7);
  CHECK(all.at("config").at("run").at("trials") == 3);
  CHECK(all.at("config").at("tower").at("tide") == 1);
  CHECK(all.at("result").at("throughput").at("medium_mib_per_s") == 0.123456789);
  CHECK(all.at("trials").as_array().size() == 3);
  CHECK(all.at("trials").at(2).at("seed") == 9);
  CHECK(all.at("trials").at(2).at("throughput").at("mib_per_s").to_number<double>() == 3);
  CHECK(all.at("host").at("kernel_events") == 12);
  CHECK(all.at("host").at("seconds").as_double() >= 0);
  CHECK(test::TemporaryFolder::read(lamp.in("w.vcd")) == "waves of trial 0");
  CHECK(lamp.folder.files() == 2);
}

TEST_CASE("a result conforms to the schema that the program prints") {
  Program lamp;
  lamp.warnings = {"it smokes"};
  REQUIRE(lamp({"--result-schema"}) == 0);
  CHECK(lamp.runs == 0);
  const auto schema = json::parse(lamp.out);
  for (const char* trials : {"1", "3"}) {
    REQUIRE(lamp({"--output", "-", "--set", "tower.keepers=[]", "--trials", trials}) == 0);
    auto result = json::parse(lamp.out);
    CHECK(test::schema_faults(schema, result) == Words{});
    result.at("trials").at(0).as_object().erase("seed");
    result.at("result").as_object()["colour"] = "red";
    result.at("result").at("flashes") = "many";
    result.at("config").at("run").at("trials") = 0;
    CHECK(test::schema_faults(schema, result) == Words{"/config/run/trials: 0 is less than 1",
                                                       "/result/flashes: \"many\" is not of type \"number\"",
                                                       "/result/colour: not allowed", "/trials/0/seed: missing"});
  }
  const auto& throughput = schema.at("properties").at("result").at("properties").at("throughput").at("properties");
  CHECK(throughput.at("mib_per_s").at("unit") == "MiB/s");
  CHECK(throughput.at("mib_per_s").at("description").as_string().starts_with("bytes of the files"));
}

TEST_CASE("the output file - means the standard output, which then holds nothing else") {
  Program lamp;
  CHECK(lamp({"--output", "-"}) == 0);
  CHECK(json::parse(lamp.out).at("result").at("flashes") == 10485760);
}

TEST_CASE("a quiet run prints nothing") {
  Program lamp;
  CHECK(lamp({"--quiet"}) == 0);
  CHECK(lamp.out + lamp.err == "");
  CHECK(lamp({"--quiet", "--check"}) == 0);
  CHECK(lamp.out + lamp.err == "");
}

TEST_CASE("the informative options run nothing and exit with 0") {
  Program lamp;
  CHECK(lamp({"--help"}) == 0);
  for (const char* part : {"Lights a lamp.", "--print-config", "--set PATH=VALUE",
                           "Example:\n  sunstar-lamp --config lamp.json", "Exit codes"})
    CHECK(lamp.out.find(part) != std::string::npos);
  CHECK(lamp({"--version"}) == 0);
  CHECK(lamp.out.starts_with("sunstar-lamp 0."));
  CHECK(lamp({"--schema"}) == 0);
  CHECK(json::parse(lamp.out).at("title") == "sunstar-lamp");
  CHECK(lamp({"--parameters"}) == 0);
  CHECK(lamp.out.find("| `tower.bulb.filaments` | whole number | `2` | between 1 and 64 | wires in it |\n") !=
        std::string::npos);
  CHECK(lamp({"--print-config", "--seed", "9"}) == 0);
  CHECK(json::parse(lamp.out).at("run").at("seed") == 9);
  CHECK(lamp({"--check"}) == 0);
  CHECK(lamp.out == "sunstar-lamp: the configuration is in order.\n");
  CHECK(lamp.runs == 0);
}

TEST_CASE("many points are printed with one call, and one that is wrong does not hide the others") {
  Program lamp;
  std::ofstream(lamp.in("points")) << R"(["run.seed=3"])"
                                      "\n"
                                      R"(["tower.tide=much"])"
                                      "\n"
                                      R"(["tower.tide"])"
                                      "\n[3]\n[]\n";
  CHECK(lamp({"--set", "tower.tide=1", "--print-points", lamp.in("points")}) == 0);
  std::istringstream lines(lamp.out);
  std::vector<json::object> found;
  for (std::string line; std::getline(lines, line);) found.push_back(json::parse(line).as_object());
  REQUIRE(found.size() == 5);
  CHECK(found[0].at("config").at("run").at("seed") == 3);
  CHECK(found[0].at("config").at("tower").at("tide") == 1);
  CHECK(found[0].at("warnings").as_array().empty());
  CHECK_THAT(found[1].at("error").as_string().c_str(),
             Catch::Matchers::StartsWith("--set tower.tide=much: tower.tide is "));
  CHECK_THAT(found[2].at("error").as_string().c_str(), Catch::Matchers::ContainsSubstring("it must be PATH=VALUE"));
  CHECK_THAT(found[3].at("error").as_string().c_str(),
             Catch::Matchers::ContainsSubstring("it must be an array of settings"));
  CHECK(found[4].at("config").at("run").at("seed") == 1);
  CHECK(lamp.runs == 0);
  CHECK(lamp({"--print-points", lamp.in("none")}) == 3);
  CHECK(lamp.err == lamp.in("none") + " cannot be read.\n");
}

TEST_CASE("a wrong command line exits with 2 and a sentence") {
  const auto [arguments, sentence] = GENERATE(table<Words, std::string>({
      {Words{"--confg", "a.json"}, "There is no option --confg; did you mean \"--config\"?"},
      {Words{"--frobnicate"}, "There is no option --frobnicate."},
      {Words{"--conf", "a.json"}, "There is no option --conf; did you mean \"--config\"?"},
      {Words{"--config"}, "--config needs a value."},
      {Words{"--config", ""}, "--config needs the name of a file."},
      {Words{"--config", "-"},
       "--config is -, the standard output, which only --output and --log accept; it must be the name of a file (./- "
       "for a file called -)."},
      {Words{"--vcd", "-"},
       "--vcd is -, the standard output, which only --output and --log accept; it must be the name of a file (./- for "
       "a file called -)."},
      {Words{"--timeline=-"},
       "--timeline is -, the standard output, which only --output and --log accept; it must be the name of a file (./- "
       "for a file called -)."},
      {Words{"--vcd-scope", "cp0"}, "--vcd-scope needs --vcd, the file that it is about."},
      {Words{"--vcd-window", "1ms,2ms"}, "--vcd-window needs --vcd, the file that it is about."},
      {Words{"--vcd", "w.vcd", "--vcd-scope", "cp0,,cp1"},
       "--vcd-scope is \"cp0,,cp1\"; it must be names of instances with commas between them, as in iop0*,cp3."},
      {Words{"--vcd", "w.vcd", "--vcd-window", "2ms,1ms"},
       "--vcd-window is \"2ms,1ms\"; its end must be after its beginning."},
      {Words{"--timeline", "t.ftr", "--timeline-interval", "1ms"},
       "--timeline-interval is about counters, which an FTR file does not have; leave it out."},
      {Words{"--log-level", "debug"}, "--log-level needs --log, the file that it is about."},
      {Words{"--log", "a.log", "--log-level", "loud"}, "--log-level is \"loud\"; it must be info, debug or trace."},
      {Words{"--log", "a.log", "--log-limit", "0B"}, "--log-limit is \"0B\"; it must be at least 1B."},
      {Words{"--log", "-", "--output", "-"},
       "--output and --log are both -, the standard output; give one of them the name of a file."},
      {Words{"--log", "a.log", "--vcd", "a.log"}, "--vcd and --log name the same file, a.log."},
      {Words{"--quiet=3"}, "--quiet takes no value."},
      {Words{"--seed", "x"}, "--seed is \"x\"; it must be a whole number, at least 0."},
      {Words{"--trials=-1"}, "--trials is \"-1\"; it must be a whole number between 1 and 10000."},
      {Words{"--seed", "1", "--seed", "2"}, "--seed is given more than once."},
      {Words{"--set", "run.seed"}, "--set is \"run.seed\"; it must be PATH=VALUE, as in --set run.trials=3."},
      {Words{"--set", "run.seed=3", "--seed", "4"},
       "--seed 4 and --set run.seed set the same parameter; leave one of them out."},
      {Words{"check"}, "\"check\" belongs to no option; did you mean --check?"},
      {Words{"a.json"}, "\"a.json\" belongs to no option; did you mean --config a.json?"},
      {Words{"--output", "r.json", "--timeline", "./r.json"}, "--output and --timeline name the same file, ./r.json."},
  }));
  Program lamp;
  CHECK(lamp(arguments) == 2);
  CHECK(lamp.err == "sunstar-lamp: " + sentence + "\nAll options: sunstar-lamp --help\n");
  CHECK(lamp.out == "");
}

TEST_CASE("a wrong configuration exits with 3 and runs nothing") {
  Program lamp;
  CHECK(lamp({"--trials", "0"}) == 3);
  CHECK(lamp.err == "--trials 0: run.trials is 0; it must be between 1 and 1000.\n");
  CHECK(lamp({"--config", lamp.in("none.json")}) == 3);
  lamp.platform.check = [](const Lighthouse&) { throw ConfigError("the tower is too tall."); };
  CHECK(lamp({"--check"}) == 3);
  CHECK(lamp.err == "the tower is too tall.\n");
  CHECK(lamp.runs == 0);
}

TEST_CASE("an output that cannot be written exits with 3 before anything runs") {
  Program lamp;
  lamp.folder.write("file", "");
  for (const char* option : {"--output", "--vcd", "--timeline", "--log"}) {
    CHECK(lamp({option, lamp.in("none/r.json")}) == 3);
    CHECK(lamp.err == lamp.in("none/r.json") + " cannot be written: there is no folder " + lamp.in("none") + ".\n");
    CHECK(lamp({option, lamp.in("file/r.json")}) == 3);
    CHECK(lamp.err == lamp.in("file/r.json") + " cannot be written: " + lamp.in("file") + " is not a folder.\n");
    CHECK(lamp({option, lamp.folder.path.string()}) == 3);
    CHECK(lamp.err == lamp.folder.path.string() + " cannot be written: it is a folder.\n");
  }
  CHECK(lamp.runs == 0);
  CHECK(lamp.folder.files() == 1);
}

TEST_CASE("the name of a timeline chooses its format, and another one is refused before anything runs") {
  Program lamp;
  for (const char* name : {"t.txt", "t.gz", "t.ftr.gz", "json"}) {
    CHECK(lamp({"--timeline", lamp.in(name)}) == 3);
    CHECK(lamp.err ==
          lamp.in(name) + " cannot be written: the name of a timeline must end in .json, .json.gz or .ftr.\n");
  }
  CHECK(lamp.runs == 0);
  CHECK(lamp.folder.files() == 0);
}

TEST_CASE("waveforms know the scope, the window and where they come from") {
  Program lamp;
  lamp.folder.write("lamp.json", R"({"schema": "sunstar/1"})");
  const auto config = lamp.in("lamp.json");
  REQUIRE(lamp({"--config", config, "--trials=1", "--set", "tower.keepers=[]", "--set", "tower.tide=1", "--seed", "7",
                "--vcd", lamp.in("w.vcd"), "--vcd-scope", "lamp*", "--vcd-window", ",3ms"}) == 0);
  CHECK(lamp.waves.window.to == Time{3_ms});
  CHECK(lamp.waves.scope.contains("machine.lamp3"));
  CHECK_FALSE(lamp.waves.scope.contains("machine.tower"));
  const std::string comment = lamp.waves.comment;
  REQUIRE(lamp({"--version"}) == 0);
  CHECK(comment == lamp.out + "configuration: " + config +
                       "\nset: tower.keepers=[]\nset: tower.tide=1\nset: run.seed=7\nscope: lamp*");
}

TEST_CASE("FST needs a converter, and a sentence says so before anything runs") {
  Program lamp;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", lamp.folder.path.c_str(), 1);
  CHECK(lamp({"--vcd", lamp.in("w.fst")}) == 3);
  CHECK(lamp.err == lamp.in("w.fst") +
                        " cannot be written: vcd2fst, which makes FST files, is not installed (Debian: apt-get install "
                        "gtkwave); a name that ends in .vcd needs no converter.\n");
  CHECK(lamp.runs == 0);
  SECTION("a converter gets the waveforms and makes the file") {
    const auto converter = lamp.folder.write("vcd2fst",
                                             "#!/bin/sh\nwhile read -r line || [ -n \"$line\" ]; do echo "
                                             "\"packed: $line\"; done <\"$2\" >\"$4\"\n");
    std::filesystem::permissions(converter, std::filesystem::perms::owner_all);
    CHECK(lamp({"--vcd", lamp.in("w.fst")}) == 0);
    CHECK(test::TemporaryFolder::read(lamp.in("w.fst")) == "packed: waves of trial 0\n");
    CHECK(lamp.folder.files() == 2);
  }
  SECTION("one that fails is named, and leaves no file") {
    const auto converter = lamp.folder.write("vcd2fst", "#!/bin/sh\nexit 5\n");
    std::filesystem::permissions(converter, std::filesystem::perms::owner_all);
    CHECK(lamp({"--vcd", lamp.in("w.fst")}) == 3);
    CHECK(lamp.err.find("vcd2fst failed with exit code 5.") != std::string::npos);
    CHECK(lamp.folder.files() == 1);
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST_CASE("a full disk is reported in a sentence") {
  Program lamp;
  CHECK(lamp({"--output", "/dev/full"}) == 3);
  CHECK(lamp.err == "/dev/full cannot be written: No space left on device.\n");
}

TEST_CASE("a simulation that fails exits with 4, keeps its waveforms and leaves the old result alone") {
  Program lamp;
  lamp.fail = true;
  lamp.folder.write("r.json", "old");
  CHECK(lamp({"--trials", "1", "--set", "tower.keepers=[]", "--output", lamp.in("r.json"), "--vcd",
              lamp.in("w.vcd")}) == 4);
  CHECK(lamp.err == "The simulation failed: the lamp went out.\n");
  CHECK(test::TemporaryFolder::read(lamp.in("r.json")) == "old");
  CHECK(test::TemporaryFolder::read(lamp.in("w.vcd")) == "waves of trial 0");
  CHECK(lamp.folder.files() == 2);
}

TEST_CASE("a result that is not verified exits with 4") {
  Program lamp;
  lamp.verified = false;
  CHECK(lamp({}) == 4);
}

TEST_CASE("a warning before the run and one in the result name a setting that the run does not use") {
  Program lamp;
  lamp.warnings = {"it smokes"};
  const Words wick{"--set", "tower.wick=3"};
  const std::string said = "Warning: tower.wick (3) is not used in this run; it is used if tower.lit is true.\n";
  CHECK(lamp(wick) == 0);
  CHECK(lamp.err == "Warning: it smokes.\n");
  Words dark = wick;
  dark.insert(dark.end(), {"--set", "tower.lit=false", "--output", lamp.in("r.json")});
  CHECK(lamp(dark) == 0);
  CHECK(lamp.err == said + "Warning: it smokes.\n");
  CHECK(json::parse(test::TemporaryFolder::read(lamp.in("r.json"))).at("result").at("warnings") ==
        json::array{"tower.wick (3) is not used in this run; it is used if tower.lit is true", "it smokes"});
  dark.push_back("--check");
  CHECK(lamp(dark) == 0);
  CHECK(lamp.err == said);
}

TEST_CASE("shorthand is expanded before it is printed") {
  Program lamp;
  lamp.platform.expand = [](Lighthouse l) {
    l.tower.keepers.resize(1);
    return l;
  };
  CHECK(lamp({"--print-config"}) == 0);
  CHECK(json::parse(lamp.out).at("tower").at("keepers").as_array().size() == 1);
}
