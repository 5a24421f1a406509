// SPDX-License-Identifier: MIT
#include "platforms/kit/config.h"

#include "tests/kit/lamp.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using kit::load_config;
using lamp::Lighthouse;
using test::TemporaryFolder;

namespace {

/// Reads a configuration: the schema and `body`.
struct Lighter {
  TemporaryFolder folder;
  kit::ConfigInput input;
  Lighthouse operator()(const std::string& body) {
    input.file = folder.write("l.json", R"({"schema": "sunstar/1")" + (body.empty() ? "" : ", " + body) + "}");
    input.catalogues = folder.path;
    return load_config<Lighthouse>(input);
  }
  /// The complaint, with "l.json" for the file's path.
  std::string complaint(const std::string& body) {
    try {
      (*this)(body);
    } catch (const ConfigError& e) {
      std::string text = e.what();
      const auto prefix = folder.path.string() + "/";
      for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
      return text;
    }
    return "nothing is wrong";
  }
};

}  // namespace

TEST_CASE("an empty configuration gives all defaults") {
  CHECK(Lighter{}("") == Lighthouse{});
  CHECK(load_config<Lighthouse>({}) == Lighthouse{});
}

TEST_CASE("every kind of member is read") {
  const auto l = Lighter{}(R"("tower": {"bulb": {"warm_up": "1.5us", "mains": "60MHz", "filaments": 3},
    "signal": "occulting", "stone": "sandstone", "lit": false, "tide": 4, "lean": 0.25, "logbook": "64KiB",
    "telegraph": "10MiB/s",
    "climb": 1.5, "keepers": [{"name": "Eve", "signal": "group-flashing"}], "position": [1, 2], "fog": "3s",
    "costs": {"copy": 5, "paint": 0.5}, "chart": "chart.txt"}, "run": {"seed": 18446744073709551615, "trials": 1e1})");
  CHECK(l.tower.bulb == lamp::Bulb{1500_ns, 60_MHz, 3});
  CHECK(l.tower.signal == lamp::Signal::occulting);
  CHECK(l.tower.stone == "sandstone");
  CHECK_FALSE(l.tower.lit);
  CHECK(l.tower.tide == 4);
  CHECK(l.tower.lean == 0.25);
  CHECK(l.tower.logbook == 64_KiB);
  CHECK(l.tower.telegraph.bytes_per_second == 10485760);
  CHECK(l.tower.climb.count == 1.5);
  CHECK(l.tower.keepers == std::vector<lamp::Keeper>{{"Eve", lamp::Signal::group_flashing}});
  CHECK(l.tower.position == std::array<std::int32_t, 2>{1, 2});
  CHECK(l.tower.fog == 3000_ms);
  CHECK(l.tower.costs == std::map<std::string, Cycles>{{"copy", {5}}, {"paint", {0.5}}});
  CHECK(l.tower.chart.filename() == "chart.txt");
  CHECK(l.run.seed == 18446744073709551615u);
  CHECK(l.run.trials == 10);
}

TEST_CASE("the effective configuration reads back as the same configuration") {
  Lighter light;
  const auto first =
      light(R"("tower": {"fog": "3ns", "lean": 0.30000000000000004, "chart": "c", "telegraph": "1.1GB/s"})");
  const auto text = kit::pretty(kit::effective(first));
  light.input.file = light.folder.write("again/l.json", text);
  const auto second = load_config<Lighthouse>(light.input);
  CHECK(second == first);
  CHECK(kit::pretty(kit::effective(second)) == text);
}

TEST_CASE("the message about a wrong value names file, path, value and what is allowed") {
  const auto [body, sentence] = GENERATE(table<std::string, std::string>({
      {R"("tower": {"lit": 1})", "l.json: tower.lit is 1; it must be true or false."},
      {R"("tower": {"tide": "low"})", "l.json: tower.tide is the string \"low\"; it must be a whole number."},
      {R"("tower": {"tide": 1.5})", "l.json: tower.tide is 1.5; it must be a whole number."},
      {R"("tower": {"tide": 11})", "l.json: tower.tide is 11; it must be between -10 and 10."},
      {R"("tower": {"tide": 70000})", "l.json: tower.tide is 70000; it must be between -10 and 10."},
      {R"("run": {"trials": 0})", "l.json: run.trials is 0; it must be between 1 and 1000."},
      {R"("run": {"trials": -1})", "l.json: run.trials is -1; it must be between 1 and 1000."},
      {R"("run": {"seed": -1})", "l.json: run.seed is -1; it must be between 0 and 18446744073709551615."},
      {R"("tower": {"lean": true})", "l.json: tower.lean is true; it must be a number."},
      {R"("tower": {"lean": 1.5})", "l.json: tower.lean is 1.5; it must be between 0 and 1."},
      {R"("tower": {"climb": "4"})", "l.json: tower.climb is the string \"4\"; it must be a number."},
      {R"("tower": {"climb": -1})", "l.json: tower.climb is -1; it must be at least 0."},
      {R"("tower": {"stone": "granit"})",
       "l.json: tower.stone is \"granit\"; it must be \"granite\" or \"sandstone\"; did you mean \"granite\"?"},
      {R"("tower": {"stone": 4})", "l.json: tower.stone is 4; it must be a string."},
      {R"("tower": {"signal": "group_flashing"})",
       "l.json: tower.signal is \"group_flashing\"; it must be \"fixed\", \"group-flashing\" or "
       "\"occulting\"; did you mean \"group-flashing\"?"},
      {R"("tower": {"signal": 2})", "l.json: tower.signal is 2; it must be a name, such as \"group-flashing\"."},
      {R"("tower": {"logbook": 8192})",
       "l.json: tower.logbook is 8192; it must be a size with its unit, such as \"8KiB\" (units: B, kB, KiB, "
       "MB, MiB, GB, GiB, TB, TiB)."},
      {R"("tower": {"logbook": "8"})",
       "l.json: tower.logbook is \"8\"; the unit is missing (B, kB, KiB, MB, MiB, GB, GiB, TB or TiB)."},
      {R"("tower": {"logbook": "8Kib"})",
       "l.json: tower.logbook is \"8Kib\"; \"Kib\" is not a unit of a size (B, kB, KiB, MB, MiB, GB, GiB, TB or "
       "TiB); did you mean \"KiB\"?"},
      {R"("tower": {"logbook": "0B"})", "l.json: tower.logbook is \"0B\"; it must be between 1B and 1MiB."},
      {R"("tower": {"telegraph": "1B/s"})", "l.json: tower.telegraph is \"1B/s\"; it must be at least 1kB/s."},
      {R"("tower": {"bulb": {"warm_up": "20nsec"}})",
       "l.json: tower.bulb.warm_up is \"20nsec\"; \"nsec\" is not a unit of a duration (ps, ns, us, ms or "
       "s); did you mean \"ns\"?"},
      {R"("tower": {"bulb": {"warm_up": "-1ns"}})",
       "l.json: tower.bulb.warm_up is \"-1ns\"; it must be a duration such as \"20ns\"."},
      {R"("tower": {"bulb": {"mains": "50MHz "}})",
       "l.json: tower.bulb.mains is \"50MHz \"; \"MHz \" is not a unit of a frequency (Hz, kHz, MHz or GHz); "
       "did you mean \"MHz\"?"},
      {R"("tower": {"bulb": {"filaments": 65}})", "l.json: tower.bulb.filaments is 65; it must be between 1 and 64."},
      {R"("tower": {"position": [1]})", "l.json: tower.position has 1 element; it must have 2."},
      {R"("tower": {"position": [1, 200]})", "l.json: tower.position.1 is 200; it must be between -180 and 180."},
      {R"("tower": {"keepers": {}})", "l.json: tower.keepers is an object; it must be an array."},
      {R"("tower": {"keepers": [{}, {"nam": "Eve"}]})",
       "l.json: tower.keepers.1.nam is not a parameter; did you mean \"name\"?"},
      {R"("tower": {"fog": 3})",
       "l.json: tower.fog is 3; it must be a duration with its unit, such as \"20ns\" (units: ps, ns, us, ms, s)."},
      {R"("tower": {"costs": [1]})", "l.json: tower.costs is an array; it must be an object."},
      {R"("tower": {"costs": {"copy": -1}})", "l.json: tower.costs.copy is -1; it must be at least 0."},
      {R"("tower": {"chart": 1})", "l.json: tower.chart is 1; it must be a string, the path of a file."},
      {R"("tower": {"chart": "-"})",
       "l.json: tower.chart is \"-\"; it must be the path of a file (\"./-\" for a file called -)."},
      {R"("tower": 4)", "l.json: tower is 4; it must be an object, or a string that names the file that holds it."},
      {R"("towr": {})", "l.json: towr is not a parameter; did you mean \"tower\"?"},
      {R"("machine": {})", "l.json: machine is not a parameter; a configuration has tower and run."},
      {R"("run": {"colour": 1})", "l.json: run.colour is not a parameter; run has seed, trials and jobs."},
      {R"("run": {"trials": 1})", "l.json: run.trials is 1; each of the 2 keepers needs one."},
  }));
  CHECK(Lighter{}.complaint(body) == sentence);
}

TEST_CASE("all errors are reported at once, one sentence on each line") {
  CHECK(Lighter{}.complaint(R"("tower": {"lit": 1, "bulb": {"filaments": 0}}, "run": {"sed": 4})") ==
        "l.json: tower.bulb.filaments is 0; it must be between 1 and 64.\n"
        "l.json: tower.lit is 1; it must be true or false.\n"
        "l.json: run.sed is not a parameter; did you mean \"seed\"?");
}
