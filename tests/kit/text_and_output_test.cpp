// SPDX-License-Identifier: MIT
#include <limits>
#include <sstream>

#include "models/core/error.h"
#include "platforms/kit/config.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/progress.h"
#include "platforms/kit/statistics_text.h"
#include "tests/kit/lamp.h"
#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
namespace json = boost::json;

namespace lamp {

/// A declaration with every mistake there is.
struct Careless {
  Duration wait = 0_ns;
  int left_out = 0;
  int unexplained = 0;
  Signal signal = Signal::fixed;
};
BOOST_DESCRIBE_STRUCT(Careless, (), (wait, left_out, unexplained, signal))
inline std::vector<Param> parameters(const Careless*) {
  return {{"wait", "a time", "0"}, {"unexplained", ""}, {"gone", "no member"}, {"signal", "listed", "", "", {"fixed"}}};
}

/// What may be tuned, and what makes a run faster.
struct Tuned {
  int wicks = 1;
  Duration glow = 1_us;
  int keepers = 3;
};
BOOST_DESCRIBE_STRUCT(Tuned, (), (wicks, glow, keepers))
inline constexpr Speedup quicker{"a quicker lamp", {Stage::application, Stage::timer}};
inline std::vector<Param> parameters(const Tuned*) {
  return {{"wicks", "how many burn", Tuning::setting},
          {"glow", "how long", quicker},
          {"keepers", "who asks", Tuning::fixed}};
}

struct Tight {
  int size = 0;
};
BOOST_DESCRIBE_STRUCT(Tight, (), (size))
inline std::vector<Param> parameters(const Tight*) { return {{"size", "a size", "1"}}; }

}  // namespace lamp

TEST_CASE("the schema gives type, default, range and help of each parameter and allows no others") {
  const auto schema = json::value(kit::json_schema("lamp", lamp::Lighthouse{}));
  CHECK(schema.at("additionalProperties") == false);
  CHECK(schema.at("properties").at("schema").at("const") == "sunstar/1");
  const auto& tower = schema.at("properties").at("tower").at("anyOf").at(0).at("properties");
  CHECK(tower.at("tide") ==
        json::parse(
            R"({"description": "water under the rock", "type": "integer", "minimum": -10, "maximum": 10,
              "default": -3})"));
  CHECK(tower.at("signal") ==
        json::parse(
            R"({"description": "what the lamp shows", "enum": ["fixed", "group-flashing", "occulting"],
              "default": "group-flashing"})"));
  CHECK(tower.at("stone").at("enum") == json::parse(R"(["granite", "sandstone"])"));
  CHECK(tower.at("position").at("maxItems") == 2);
  CHECK(tower.at("fog").at("anyOf").at(1) == json::parse(R"({"type": "null"})"));
  const auto& bulb = tower.at("bulb");
  CHECK(bulb.at("anyOf").at(1).at("description") ==
        "the name of a bulb in the catalogue, or the path of a file that holds the object");
  CHECK(bulb.at("anyOf").at(0).at("properties").at("warm_up") ==
        json::parse(
            R"x({"description": "time until it shines (between 1ns and 1ms)", "type": "string",
               "pattern": "^[0-9]+(\\.[0-9]+)?(ps|ns|us|ms|s)$", "default": "20ns"})x"));
}

TEST_CASE("the schema says what a designer may tune, and which stages of a run a parameter speeds up") {
  const auto properties = json::value(kit::json_schema("lamp", lamp::Tuned{})).at("properties");
  CHECK(properties.at("wicks").at("tuning") == "setting");
  CHECK(properties.at("keepers").at("tuning") == "fixed");
  CHECK(properties.at("glow").at("speeds_up") == json::parse(R"(["application", "timer"])"));
  CHECK(properties.at("glow").as_object().if_contains("tuning") == nullptr);
}

TEST_CASE("the table of parameters has a row for each parameter, including those inside sections and lists") {
  const auto text = kit::markdown(kit::parameter_rows(lamp::Lighthouse{}));
  for (const char* row :
       {"| `tower.bulb` | section, bulb |  |  | the source of light |\n",
        "| `tower.bulb.warm_up` | duration | `\"20ns\"` | between 1ns and 1ms | time until it shines |\n",
        "| `tower.keepers.<n>.signal` | name | `\"fixed\"` | fixed, group-flashing or occulting | what is shown on "
        "watch |\n",
        "| `tower.fog` | duration, null | `null` |  | pause of the horn; null: there is none |\n"})
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(row));
}

TEST_CASE("faults in a declaration are found") {
  CHECK(kit::parameter_faults<lamp::Lighthouse>().empty());
  CHECK(kit::parameter_faults<lamp::Careless>() ==
        std::vector<std::string>{"gone: declared, but no described member", "wait: the limit \"0\" is not duration",
                                 "left_out: a member that parameters() leaves out",
                                 "unexplained: without a line of help",
                                 "signal: an enum allows its enumerators; do not list them"});
  CHECK(kit::parameter_faults<lamp::Tight>() == std::vector<std::string>{"size is 0; it must be at least 1."});
}

TEST_CASE("JSON prints for people: indented, short lists and elements on one line, exact numbers") {
  CHECK(kit::pretty(json::parse(R"({"a":[1,2.5,"x"],"b":{},"c":[{"d":0.1}],"e":1e300})")) ==
        "{\n  \"a\": [1, 2.5, \"x\"],\n  \"b\": {},\n  \"c\": [\n    {\"d\": 0.1}\n  ],\n  \"e\": 1e+300\n}\n");
}

TEST_CASE("JSON folds what has no room on one line: a long list, and an element of a list with its own lists") {
  json::array defects;
  for (int i = 10000; i < 10030; ++i) defects.push_back(i);
  CHECK(kit::pretty({{"slipped", defects}}) ==
        "{\n  \"slipped\": [10000, 10001, 10002, 10003, 10004, 10005, 10006, 10007, 10008, 10009, 10010, 10011,\n"
        "   10012, 10013, 10014, 10015, 10016, 10017, 10018, 10019, 10020, 10021, 10022, 10023, 10024, 10025,\n"
        "   10026, 10027, 10028, 10029]\n}\n");
  CHECK(kit::pretty({json::object{{"spares", 3}, {"slipped", {7, 8}}}}) ==
        "[\n  {\"spares\": 3, \"slipped\": [7, 8]}\n]\n");
  const json::value nested = {{"zones", {json::object{{"name", std::string(90, 'x')}, {"slipped", defects}}}}};
  CHECK(json::parse(kit::pretty(nested)) == nested);
}

TEST_CASE("numbers for people have five digits") {
  CHECK(kit::short_number_text(6.123456) == "6.1235");
  CHECK(kit::short_number_text(123456.7) == "123460");
  CHECK(kit::short_number_text(0.1) == "0.1");
  CHECK(kit::short_number_text(0.000012345678) == "1.2346e-05");
  CHECK(kit::short_number_text(0) == "0");
  CHECK(kit::short_number_text(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("statistics are objects by name, with unit and description: whole values are integers") {
  std::uint64_t reads = 12;
  StatisticSet all;
  all.counter("iop0.disk0.reads", "requests read", "1", reads);
  all.add({"bus", "share of time in use", "fraction", [] { return 0.25; }});
  CHECK(kit::to_json(all) == json::parse(R"({
    "iop0.disk0.reads": {"value": 12, "unit": "1", "description": "requests read"},
    "bus": {"value": 0.25, "unit": "fraction", "description": "share of time in use"}})"));
}

TEST_CASE("statistics by kind are the mean, the least, the greatest and the sum of those whose parts are numbered") {
  // Reads: (12 + 3 + 6) / 3 = 7. A share has no sum, and what there is once is as it is by part. Of the two IOPs, one
  // has carried out no read request.
  StatisticSet all;
  const auto add = [&](const char* name, const char* unit, double value) {
    all.add({name, "its description", unit, [value] { return value; }});
  };
  add("m.iop0.disk0.reads", "1", 12);
  add("m.iop0.utilisation", "fraction", 0.25);
  add("m.iop0.disk1.reads", "1", 3);
  add("m.bus.up0_utilisation", "fraction", 0.5);
  add("m.iop10.disk0.reads", "1", 6);
  add("m.iop10.utilisation", "fraction", 0.75);
  add("m.iop10.count.reads", "1", 4);
  CHECK(kit::to_json(all, kit::By::kind) == json::parse(R"({
    "m.iop*.disk*.reads": {"value": 7, "unit": "1", "description": "its description",
                           "parts": 3, "min": 3, "max": 12, "sum": 21},
    "m.iop*.utilisation": {"value": 0.5, "unit": "fraction", "description": "its description",
                           "parts": 2, "min": 0.25, "max": 0.75},
    "m.bus.up0_utilisation": {"value": 0.5, "unit": "fraction", "description": "its description"},
    "m.iop*.count.reads": {"value": 2, "unit": "1", "description": "its description",
                           "parts": 2, "min": 0, "max": 4, "sum": 4}})"));
  CHECK(kit::to_json(all).size() == 7);
}

TEST_CASE("more statistics than a result file holds by part are there by kind, unless they are asked for by part") {
  StatisticSet all;
  std::size_t parts = kit::most_by_part;
  all.group([&](StatisticSet& set) {
    for (std::size_t i = 0; i < parts; ++i)
      set.add({"m.cp" + std::to_string(i) + ".sent", "messages", "1", [i] { return static_cast<double>(i); }});
  });
  CHECK(kit::to_json(all).size() == parts);
  ++parts;  // 0, 1, ..., 30,000: the mean is 15,000
  CHECK(kit::to_json(all) == json::parse(R"({"m.cp*.sent": {"value": 15000, "unit": "1", "description": "messages",
    "parts": 30001, "min": 0, "max": 30000, "sum": 450015000}})"));
  CHECK(kit::to_json(all, kit::By::part).size() == parts);
}

TEST_CASE("the report of a deadlock names at most forty waiting parts and the number of the others") {
  std::vector<std::string> lines(40, "cp0 waits for iop0");
  const auto text = waiting_text("deadlock, and these wait:", lines);
  CHECK(text.starts_with("deadlock, and these wait:\n  cp0 waits for iop0\n"));
  CHECK(std::ranges::count(text, '\n') == 40);
  lines.resize(42, "cp1 waits for iop1");
  CHECK(waiting_text("deadlock:", lines).ends_with("\n  cp0 waits for iop0\n  and 2 more"));
}

TEST_CASE("progress is drawn at most ten times a second, a line every ten seconds elsewhere, and not at all when off") {
  std::ostringstream out;
  auto now = kit::Progress::Clock::time_point{};
  {
    kit::Progress progress(out, true, true, [&] { return now; });
    progress.update(0.1, "trial 1");
    now += std::chrono::milliseconds(99);
    progress.update(0.2, "trial 1");
    now += std::chrono::milliseconds(1);
    progress.update(1.5, "trial 2");
  }
  CHECK(out.str() == "\r\x1b[K 10%  trial 1  0.0 s\r\x1b[K100%  trial 2  0.1 s\r\x1b[K");
  std::ostringstream file;
  {
    kit::Progress progress(file, true, false, [&] { return now; });
    for (int i = 1; i <= 5; ++i) {
      now += std::chrono::seconds(5);
      progress.update(0.1 * i, "trial 1");
    }
  }
  CHECK(file.str() == " 20%  trial 1  10.0 s\n 40%  trial 1  20.0 s\n");
  std::ostringstream nothing;
  kit::Progress(nothing, false, true).update(0.5, "x");
  CHECK(nothing.str().empty());
}

TEST_CASE("a file is replaced as a whole, through a link, and a temporary file is removed if it is not kept") {
  test::TemporaryFolder folder;
  const auto file = folder.write("r.json", "old");
  std::filesystem::create_symlink("r.json", folder.path / "link.json");
  kit::write_file(folder.path / "link.json", "new");
  CHECK(folder.read(file) == "new");
  CHECK(std::filesystem::is_symlink(folder.path / "link.json"));
  {
    kit::TemporaryOutput out(file, ".vcd");
    CHECK(out.temporary().extension() == ".vcd");
    CHECK(out.temporary().parent_path() == std::filesystem::canonical(folder.path));
    CHECK(folder.files() == 3);
  }
  CHECK(folder.files() == 2);
  kit::probe_output(file);
  CHECK(folder.read(file) == "new");
}

TEST_CASE("a file in the working directory needs no folder in its name") {
  test::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path);
  kit::write_file("r.json", "new");
  std::filesystem::current_path(before);
  CHECK(folder.read(folder.path / "r.json") == "new");
}
