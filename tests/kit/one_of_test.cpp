// SPDX-License-Identifier: MIT
#include "models/core/one_of.h"

#include "platforms/kit/config.h"
#include "platforms/kit/output.h"
#include "tests/kit/ferry.h"
#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
namespace json = boost::json;
using ferry::Ferry;
using ferry::Line;
using ferry::Oars;
using ferry::Sails;
using ferry::Steam;

namespace {

using Words = std::vector<std::string>;

/// Reads a line whose ferry is `body`, with settings over it.
struct Harbour {
  test::TemporaryFolder folder;
  Words unused;

  Line read(const std::string& body, const Words& settings = {}) {
    return read_all("\"ferry\": {" + body + "}", settings);
  }
  Line read_all(const std::string& body, const Words& settings = {}) {
    kit::ConfigInput input{folder.write("f.json", R"({"schema": "sunstar/1", )" + body + "}")};
    for (const auto& s : settings) REQUIRE(input.settings.add(s));
    unused.clear();
    return kit::load_config<Line>(std::move(input), &unused);
  }
  std::string complaint(const std::string& body, const Words& settings = {}) {
    try {
      read(body, settings);
    } catch (const ConfigError& e) {
      std::string text = e.what();
      const auto prefix = folder.path.string() + "/";
      for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
      return text;
    }
    return "nothing is wrong";
  }
};

std::string printed(const Line& line) { return json::serialize(kit::effective(line).at("ferry")); }

}  // namespace

TEST_CASE("a choice holds one of its alternatives, initially the first") {
  OneOf<Sails, Steam, Oars> drive;
  CHECK(drive.is<Sails>());
  CHECK(drive.as<Sails>().masts == 2);
  CHECK(drive.if_is<Steam>() == nullptr);
  CHECK(drive.choose("oars"));
  CHECK(drive.kind_name() == "oars");
  drive.as<Oars>().crew = 8;
  CHECK(drive.choose("oars"));
  CHECK(OneOf<Oars>(drive.as<Oars>()).visit([](const auto& d) { return d == Oars{8} ? 1 : 0; }) == 1);
  CHECK_FALSE(drive.choose("rudder"));
  CHECK(drive == OneOf<Sails, Steam, Oars>(Oars{8}));
  CHECK(drive.kind_names() == Words{"sails", "steam", "oars"});
}

TEST_CASE("a section that is given as the name of a kind is refused, and the message says where the kind goes") {
  Harbour h;
  CHECK_THROWS_WITH(
      h.read_all(R"("ferry": "steam")"),
      Catch::Matchers::ContainsSubstring("ferry is the string \"steam\"; it must be an object; did you mean "
                                         "ferry.drive \"steam\"?"));
}

TEST_CASE("the keys of the chosen alternative stand flat beside the tag, wherever the tag stands") {
  Harbour h;
  CHECK(h.read("").ferry.drive.is<Sails>());
  CHECK(h.read(R"("masts": 3)").ferry.drive == Sails{3});
  const auto steam = h.read(R"("crew": 9, "berths": 5, "engine": {"pistons": 8}, "drive": "steam", "name": "Eve")");
  CHECK(steam.ferry.drive == Steam{9, {8}});
  CHECK(steam.ferry.berths == 5);
  CHECK(steam.ferry.name == "Eve");
  CHECK(h.unused.empty());
}

TEST_CASE("the effective configuration has the tag first, the chosen keys alone, and reads back") {
  Harbour h;
  const auto oars = h.read(R"("crew": 4, "drive": "oars", "masts": 1)");
  CHECK(printed(oars) == R"({"drive":"oars","name":"Ann","boats":1,"crew":4,"berths":10})");
  CHECK(printed({}) == R"({"drive":"sails","name":"Ann","boats":1,"masts":2,"hoist":"30s","berths":10})");
  const auto again = json::serialize(kit::effective(oars).at("ferry"));
  CHECK(h.read(again.substr(1, again.size() - 2)) == oars);
}

TEST_CASE("a setting overrides the kind in the file, and a warning names the keys of the old kind") {
  Harbour h;
  const auto line = h.read(R"("drive": "steam", "crew": 7, "engine": {"pistons": 6})", {"ferry.drive=oars"});
  CHECK(line.ferry.drive == Oars{7});
  CHECK(h.unused == Words{"ferry.engine.pistons (6) is not used in this run; it is used if ferry.drive is steam"});
  CHECK(h.read(R"("drive": "oars")", {"ferry.drive=steam", "ferry.drive=sails", "ferry.masts=4"}).ferry.drive ==
        Sails{4});
}

TEST_CASE("a warning names a key of another kind, from a file or an option, and the kinds that would use it") {
  Harbour h;
  h.read(R"("crew": 7, "masts": 3, "log": "l.txt")");
  CHECK(h.unused == Words{"ferry.crew (7) is not used in this run; it is used if ferry.drive is steam or oars",
                          "ferry.log (" + (h.folder.path / "l.txt").string() +
                              ") is not used in this run; it is used if ferry.drive is steam"});
  h.read(R"("drive": "oars")", {"ferry.masts=3", "ferry.hoist=5s", "ferry.engine.safe=false"});
  CHECK(h.unused ==
        Words{"ferry.masts (3) and ferry.hoist (5s) are not used in this run; they are used if ferry.drive is sails",
              "ferry.engine.safe (false) is not used in this run; it is used if ferry.drive is steam"});
  h.read(R"("drive": "steam", "engine": {"safe": false, "pressure": 3})");
  CHECK(h.unused ==
        Words{"ferry.engine.pressure (3) is not used in this run; it is used if ferry.engine.safe is true"});
}

TEST_CASE("a warning names a value that is allowed but hardly meant") {
  Harbour h;
  h.read(R"("drive": "steam", "engine": {"pressure": 8})");
  CHECK(h.unused == Words{"ferry.engine.pressure is 8, which is hardly meant; usual values are at most 7"});
  h.read(R"("drive": "steam", "engine": {"pressure": 7})");
  CHECK(h.unused.empty());
  CHECK(h.complaint(R"("drive": "steam", "engine": {"pressure": 10})") ==
        "f.json: ferry.engine.pressure is 10; it must be between 1 and 9.");
}

TEST_CASE("a warning names a default of another kind if an option sets it, but not if a file spells it out") {
  Harbour h;
  h.read(R"("drive": "oars", "masts": 2)");
  CHECK(h.unused.empty());
  h.read(R"("drive": "oars")", {"ferry.masts=2"});
  CHECK(h.unused == Words{"ferry.masts (2) is not used in this run; it is used if ferry.drive is sails"});
}

TEST_CASE("a warning names a key of another kind inside a list, too") {
  Harbour h;
  const auto line = h.read_all(R"("others": [{}, {"drive": "oars", "masts": 4}])");
  CHECK(line.others[1].drive.is<Oars>());
  CHECK(h.unused == Words{"others.1.masts (4) is not used in this run; it is used if others.1.drive is sails"});
}

TEST_CASE("an error in a choice is reported in a sentence") {
  const auto [body, sentence] = GENERATE(table<std::string, std::string>({
      {R"("drive": "steem")",
       "ferry.drive is \"steem\"; it must be \"sails\", \"steam\" or \"oars\"; did you mean \"steam\"?"},
      {R"("drive": 3)", "ferry.drive is 3; it must be a name, such as \"sails\"."},
      {R"("drive": {"kind": "oars"})", "ferry.drive is an object; it must be a name, such as \"sails\"."},
      {R"("mast": 3)", "ferry.mast is not a parameter; did you mean \"masts\"?"},
      {R"("drive": "oars", "mast": 3)", "ferry.mast is not a parameter; did you mean \"masts\"?"},
      {R"("crwe": 3)", "ferry.crwe is not a parameter; did you mean \"crew\"?"},
      {R"("berth": 3)", "ferry.berth is not a parameter; did you mean \"berths\"?"},
      {R"("anchor": 3)", "ferry.anchor is not a parameter; ferry has name, boats, drive, masts, hoist and berths."},
      {R"("drive": "oars", "anchor": 3)",
       "ferry.anchor is not a parameter; ferry has name, boats, drive, crew and berths."},
      {R"("drive": "oars", "masts": 9)", "ferry.masts is 9; it must be between 1 and 4."},
      {R"("drive": "oars", "masts": "two")", "ferry.masts is the string \"two\"; it must be a whole number."},
      {R"("engine": {"piston": 3})", "ferry.engine.piston is not a parameter; did you mean \"pistons\"?"},
      {R"("drive": "steam", "crew": 3)", "ferry.crew is 3; it must be 4 at least."},
      {R"("name": "")", "ferry.name is empty."},
      {R"("berths": 30)", "ferry.berths is too many for the boats."},
  }));
  CHECK(Harbour{}.complaint(body) == "f.json: " + sentence);
}

TEST_CASE("a tag that is misspelt leaves no key unread") {
  CHECK(Harbour{}.complaint(R"("drive": "steem", "crew": 0, "masts": 9)") ==
        "f.json: ferry.drive is \"steem\"; it must be \"sails\", \"steam\" or \"oars\"; did you mean \"steam\"?\n"
        "f.json: ferry.masts is 9; it must be between 1 and 4.\n"
        "f.json: ferry.crew is 0; it must be between 1 and 99.");
}

TEST_CASE("a tag given twice is an error in a file, and of two settings the later one counts") {
  Harbour h;
  CHECK(
      h.complaint(R"("drive": "oars", "drive": "sails")").ends_with(": the key \"drive\" occurs twice in one object."));
  CHECK(h.read("", {"ferry.drive=steam", "ferry.drive=oars"}).ferry.drive.is<Oars>());
  CHECK(h.complaint("", {"ferry.drive=steem"}).starts_with("--set ferry.drive=steem: ferry.drive is \"steem\"; "));
}

TEST_CASE("a section with a choice may stand in a file of its own, and settings reach into it") {
  Harbour h;
  h.folder.write("oars.json", R"({"drive": "oars", "crew": 3})");
  CHECK(h.read_all(R"("ferry": "oars.json")").ferry.drive == Oars{3});
  CHECK(h.read_all(R"("ferry": "oars.json")", {"ferry.crew=5"}).ferry.drive == Oars{5});
  CHECK(h.read_all(R"("ferry": "oars.json")", {"ferry.drive=sails", "ferry.masts=1"}).ferry.drive == Sails{1});
  CHECK(h.unused == Words{"ferry.crew (3) is not used in this run; it is used if ferry.drive is steam or oars"});
}

TEST_CASE("only the files that the chosen alternative names are known") {
  Harbour h;
  std::vector<kit::NamedFile> files;
  const Line line = h.read(R"("drive": "steam", "log": "l.txt")");
  kit::add_files(line, "", files);
  REQUIRE(files.size() == 1);
  CHECK(files[0].name == "ferry.log");
}

TEST_CASE("the table says which kinds have each key, in one row if they describe it alike") {
  Words rows;
  for (const auto& row : kit::parameter_rows(Ferry{}))
    rows.push_back(row.path + " | " + row.preset + " | " + row.range + " | " + row.help);
  CHECK(rows ==
        Words{"name | \"Ann\" |  | painted on her", "boats | 1 | between 0 and 9 | for the worst, on both sides",
              ("drive | \"sails\" | sails, steam or oars | what moves her (sails: the wind does the work; steam: coal "
               "does the work; oars: the crew does the work)"),
              "masts | 2 | between 1 and 4 | if drive is sails: that carry sails",
              "hoist | \"30s\" | between 1s and 1000s | if drive is sails: time to set them",
              "crew | 6 | between 1 and 99 | if drive is steam or oars: hands aboard",
              "engine |  |  | if drive is steam: what turns the wheel",
              "engine.pistons | 4 | between 1 and 16 | how many", "engine.safe | true |  | whether a valve opens",
              "engine.pressure | 2 | between 1 and 9 | if safe is true: at which it opens",
              "log | \"\" |  | if drive is steam: file of the engineer",
              "berths | 10 | between 0 and 100 | for passengers"});
}

TEST_CASE("the schema allows what the program reads, and knows the ranges of the kind that is chosen") {
  const json::value schema = kit::json_schema("ferries", Line{});
  const auto faults = [&](const std::string& ferry) {
    return test::schema_faults(schema, json::parse(R"({"schema": "sunstar/1", "ferry": )" + ferry + "}"));
  };
  for (const char* good :
       {"{}", R"({"masts": 4})", R"({"drive": "oars", "crew": 99})", R"({"drive": "oars", "masts": 1})",
        R"({"drive": "steam", "engine": {"pistons": 16}})", R"("oars.json")"})
    CHECK(faults(good) == Words{});
  CHECK(faults(R"({"masts": 5})") == Words{"/ferry/masts: 5 is more than 4"});
  CHECK(faults(R"({"drive": "oars", "crew": 0})") == Words{"/ferry/crew: 0 is less than 1"});
  CHECK(faults(R"({"anchor": 5})") == Words{"/ferry/anchor: not allowed"});
  CHECK(faults(R"({"drive": "rudder"})") ==
        Words{"/ferry/drive: \"rudder\" is none of [\"sails\",\"steam\",\"oars\"]"});
}

namespace ferry {

struct Wheel {
  static constexpr std::string_view kind = "wheel";
  static constexpr std::string_view help{};
  std::uint32_t berths = 1, spokes = 9;
};
BOOST_DESCRIBE_STRUCT(Wheel, (), (berths, spokes))
inline std::vector<Param> parameters(const Wheel*) {
  return {{"berths", "in it"}, Param{"spokes", "of it", "1", "8"}.used_if("drive", {"wheel"})};
}
struct Paddles {
  static constexpr std::string_view kind = "oars";
  static constexpr std::string_view help = "short ones";
  std::uint32_t crew = 6;
};
BOOST_DESCRIBE_STRUCT(Paddles, (), (crew))
inline std::vector<Param> parameters(const Paddles*) { return {{"crew", "hands aboard", "1", "99"}}; }
struct Raft {
  OneOf<Oars, Paddles, Wheel> drive;
  std::uint32_t berths = 1;
};
BOOST_DESCRIBE_STRUCT(Raft, (), (drive, berths))
inline std::vector<Param> parameters(const Raft*) { return {{"drive", "what moves it"}, {"berths", "on it"}}; }

}  // namespace ferry

TEST_CASE("faults in the declaration of a choice are found") {
  CHECK(kit::parameter_faults<Line>() == Words{});
  CHECK(kit::parameter_faults<ferry::Raft>() ==
        Words{"drive: two alternatives are called oars", "drive: wheel is without a line of help",
              "berths: a key of wheel and of the section around it", "spokes is 9; it must be between 1 and 8."});
}
