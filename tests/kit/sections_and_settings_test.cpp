// SPDX-License-Identifier: MIT
#include "platforms/kit/config.h"
#include "tests/kit/lamp.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using kit::load_config;
using lamp::Lighthouse;

namespace {

struct Files {
  test::TemporaryFolder folder;
  kit::ConfigInput input;
  Files() { input.catalogues = folder.path; }

  Lighthouse read(const std::string& text) {
    input.file = folder.write("conf/l.json", text);
    return load_config<Lighthouse>(input);
  }
  std::string complaint(const std::string& text) {
    try {
      read(text);
    } catch (const ConfigError& e) {
      std::string what = e.what();
      const auto prefix = folder.path.string() + "/";
      for (auto at = what.find(prefix); at != std::string::npos; at = what.find(prefix)) what.erase(at, prefix.size());
      return what;
    }
    return "nothing is wrong";
  }
  Files& set(const std::string& setting) {
    REQUIRE(input.settings.add(setting));
    return *this;
  }
};

const std::string empty = R"({"schema": "sunstar/1"})";

}  // namespace

TEST_CASE("a section may be a name in the catalogue") {
  Files f;
  f.folder.write("bulbs/argand.json", R"({"schema": "sunstar/1", "filaments": 7})");
  CHECK(f.read(R"({"schema": "sunstar/1", "tower": {"bulb": "argand"}})").tower.bulb == lamp::Bulb{20_ns, 50_MHz, 7});
}

TEST_CASE("a section may be a file, found from the file that names it") {
  Files f;
  f.folder.write("conf/parts/tower.json", R"({"bulb": "../../old.json", "tide": 2, "chart": "chart.txt"})");
  f.folder.write("old.json", R"({"filaments": 9})");
  const auto l = f.read(R"({"schema": "sunstar/1", "tower": "parts/tower.json"})");
  CHECK(l.tower.tide == 2);
  CHECK(l.tower.bulb.filaments == 9);
  CHECK(l.tower.chart == f.folder.path / "conf/parts/chart.txt");
}

TEST_CASE("an error in a section's file or name is reported with that file") {
  Files f;
  f.folder.write("bulbs/argand.json", R"({"filaments": 70})");
  f.folder.write("bulbs/arc.json", "{}");
  f.folder.write("conf/list.json", "[]");
  f.folder.write("conf/self.json", R"({"bulb": "self.json"})");
  const auto tower = [&](const std::string& value) {
    return f.complaint(R"({"schema": "sunstar/1", "tower": )" + value + "}");
  };
  CHECK(tower(R"({"bulb": "argand"})") ==
        "bulbs/argand.json: tower.bulb.filaments is 70; it must be between 1 and 64.");
  CHECK(tower(R"({"bulb": "argant"})") ==
        "conf/l.json: tower.bulb is \"argant\"; there is no such bulb in the catalogue, which has \"arc\" and "
        "\"argand\"; did you mean \"argand\"?");
  CHECK(tower(R"({"bulb": "list.json"})") == "conf/list.json: the file must hold an object.");
  CHECK(tower(R"("argand")") ==
        "conf/l.json: tower is the string \"argand\"; it must be an object, or the path of a JSON file that holds it.");
  CHECK(tower(R"("none.json")") ==
        "conf/l.json: tower is \"none.json\"; there is no file conf/none.json; it must be the path of a file, relative "
        "to the file that names it.");
  CHECK(tower(R"("../conf")") ==
        "conf/l.json: tower is \"../conf\"; this is a folder; it must be the path of a file, relative to the file that "
        "names it.");
  CHECK(tower(R"("self.json")") == "conf/self.json: tower.bulb is \"self.json\", the file that names it.");
}

TEST_CASE("settings override the file, and later settings override earlier ones") {
  Files f;
  f.set("run.trials=3")
      .set("run.trials=4")
      .set("tower.keepers.1.name=Eve")
      .set("tower.signal=fixed")
      .set("tower.fog=\"2ns\"");
  const auto l = f.read(R"({"schema": "sunstar/1", "run": {"trials": 9}})");
  CHECK(l.run.trials == 4);
  CHECK(l.tower.keepers[0].name == "Ann");
  CHECK(l.tower.keepers[1].name == "Eve");
  CHECK(l.tower.signal == lamp::Signal::fixed);
  CHECK(l.tower.fog == 2_ns);
}

TEST_CASE("a setting can change a list of the file and can be null") {
  Files f;
  f.set("tower.keepers.0.signal=occulting").set("tower.fog=null");
  const auto l = f.read(R"({"schema": "sunstar/1", "tower": {"keepers": [{"name": "Eve"}], "fog": "1s"}})");
  CHECK(l.tower.keepers == std::vector<lamp::Keeper>{{"Eve", lamp::Signal::occulting}});
  CHECK_FALSE(l.tower.fog);
}

TEST_CASE("a setting can change a section that is only named, unless a later setting replaces the section") {
  Files f;
  f.folder.write("bulbs/argand.json", R"({"filaments": 7, "mains": "60MHz"})");
  f.folder.write("bulbs/arc.json", R"({"filaments": 1})");
  const std::string named = R"({"schema": "sunstar/1", "tower": {"bulb": "argand"}})";
  CHECK(f.set("tower.bulb.filaments=8").read(named).tower.bulb == lamp::Bulb{20_ns, 60_MHz, 8});
  CHECK(f.set("tower.bulb=arc").read(named).tower.bulb == lamp::Bulb{20_ns, 50_MHz, 1});
  CHECK(f.set("tower.bulb.warm_up=5ns").read(named).tower.bulb == lamp::Bulb{5_ns, 50_MHz, 1});
}

TEST_CASE("an optional section takes what it leaves out from the section that it starts from") {
  Files f;
  f.folder.write("bulbs/argand.json", R"({"filaments": 7, "mains": "60MHz"})");
  f.folder.write("bulbs/arc.json", R"({"filaments": 1})");
  const auto keepers = [&](const std::string& spares) {
    return f.read(R"({"schema": "sunstar/1", "tower": {"bulb": "argand", "keepers": )" + spares + "}}").tower.keepers;
  };
  const auto all = keepers(R"([{"spare": {"warm_up": "5ns"}}, {}, {"spare": "arc"}])");
  CHECK(all[0].spare == lamp::Bulb{5_ns, 60_MHz, 7});
  CHECK_FALSE(all[1].spare);
  CHECK(all[2].spare == lamp::Bulb{20_ns, 50_MHz, 1});
  f.set("tower.keepers.1.spare.filaments=8").set("tower.keepers.2.spare.filaments=9").set("tower.bulb.mains=70MHz");
  const auto set = keepers(R"([{}, {}, {"spare": "arc"}])");
  CHECK_FALSE(set[0].spare);
  CHECK(set[1].spare == lamp::Bulb{20_ns, 70_MHz, 8});
  CHECK(set[2].spare == lamp::Bulb{20_ns, 50_MHz, 9});
}

TEST_CASE("the message about a wrong setting is like that about a wrong file, but names the option") {
  const auto [setting, sentence] = GENERATE(table<std::string, std::string>({
      {"run.trials=0", "run.trials is 0; it must be between 1 and 1000."},
      {"run.trails=3", "run.trails is not a parameter; did you mean \"trials\"?"},
      {"rum.trials=3", "rum is not a parameter; did you mean \"run\"?"},
      {"run.trials.x=3", "run.trials is an object; it must be a whole number."},
      {R"(tower.keepers={})", "tower.keepers is an object; it must be an array."},
      {R"(tower.keepers={"name": "Eve"})",
       "tower.keepers.name does not exist; tower.keepers is a list, whose elements have numbers from 0; it has 2 "
       "elements, 0 to 1."},
      {"tower.keepers.first.name=Eve",
       "tower.keepers.first does not exist; tower.keepers is a list, whose elements have numbers from 0; it has 2 "
       "elements, 0 to 1."},
      {"run.seed=1e20", "run.seed is 1e+20; it must be between 0 and 18446744073709551615."},
      {"tower.keepers.2.name=Eve", "tower.keepers.2 does not exist; tower.keepers has 2 elements, 0 to 1."},
      {"tower.stone.colour=red",
       "there is nothing at tower.stone.colour, because the value around it is not a section."},
      {"tower.position.2=1", "tower.position.2 does not exist; tower.position has 2 elements, 0 to 1."},
  }));
  CHECK(
      Files{}.set(setting).complaint(R"({"schema": "sunstar/1", "tower": {"stone": "granite", "position": [1, 2]}})") ==
      "--set " + setting + ": " + sentence);
}

TEST_CASE("a setting without a path or a value is refused") {
  kit::Settings s;
  for (const char* text : {"", "run.seed", "=3", ".run=3", "run.=3", "run..seed=3"}) CHECK_FALSE(s.add(text));
}

TEST_CASE("a file that is not a configuration is refused in a sentence") {
  const auto [text, sentence] = GENERATE(table<std::string, std::string>({
      {"", "conf/l.json, line 1, column 1: the text ends before the JSON is complete."},
      {"{\"schema\": \"sunstar/1\"", "conf/l.json, line 1, column 23: the text ends before the JSON is complete."},
      {"{\n  \"schema\": sunstar\n}", "conf/l.json, line 2, column 13: this is not valid JSON (syntax error)."},
      {"{\n  // a lamp\n}", "conf/l.json, line 2, column 3: comments are not allowed in JSON."},
      {"{\n  \"run\": {},\n}",
       "conf/l.json, line 3, column 1: a comma before the closing bracket is not allowed in JSON."},
      {"{'run': 1}", "conf/l.json, line 1, column 2: strings are written between double quotes in JSON."},
      {"{\n  \"a\": 1\n  \"b\": 2\n}", "conf/l.json, line 2, column 9: a comma is missing here, behind the value."},
      {"{\"a\": [\"x\"\"y\"]}", "conf/l.json, line 1, column 11: a comma is missing here, behind the value."},
      {"{\"a\" 1}", "conf/l.json, line 1, column 5: a colon is missing here, behind the key."},
      {"{} {}", "conf/l.json, line 1, column 4: this is not valid JSON (extra data)."},
      {"{} x", "conf/l.json, line 1, column 4: this is not valid JSON (extra data)."},
      {"[]", "conf/l.json: the file must hold an object."},
      {R"({"schema": "sunstar/1", "config": {"schema": "sunstar/1"}, "result": {}})",
       "conf/l.json: the file is a result; its section config, in a file of its own, repeats the run."},
      {"{}", "conf/l.json: schema is missing; the file must say \"schema\": \"sunstar/1\"."},
      {R"({"schema": "sunstar/2"})", "conf/l.json: schema is \"sunstar/2\"; it must be \"sunstar/1\"."},
      {R"({"schema": 1, "ruin": 2})", "conf/l.json: schema is 1; it must be \"sunstar/1\"."},
  }));
  CHECK(Files{}.complaint(text) == sentence);
}

TEST_CASE("a key that occurs twice is an error, not a choice") {
  CHECK(Files{}
            .complaint("{\"schema\": \"sunstar/1\",\n \"run\": {\"seed\": 1, \"seed\": 2}}")
            .ends_with(": the key \"seed\" occurs twice in one object."));
}

TEST_CASE("a missing file or a folder in place of one is refused in a sentence") {
  test::TemporaryFolder folder;
  CHECK_THROWS_WITH(load_config<Lighthouse>({folder.path}), folder.path.string() + " cannot be read: it is a folder.");
  CHECK_THROWS_WITH(load_config<Lighthouse>({folder.path / "none.json"}),
                    folder.path.string() + "/none.json cannot be read: No such file or directory.");
}
