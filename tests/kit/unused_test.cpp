// SPDX-License-Identifier: MIT
#include "platforms/kit/unused.h"
#include "platforms/kit/config.h"
#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"

using namespace sunstar;

// Tea is made in a kettle, over gas or on the mains.
namespace tea {

enum class Heat { gas, mains };
BOOST_DESCRIBE_ENUM(Heat, gas, mains)

struct Gas {
  std::uint32_t flames = 1;
  bool timed = false;
  double minutes = 4, pressure = 1, height = 2, width = 3;
};
BOOST_DESCRIBE_STRUCT(Gas, (), (flames, timed, minutes, pressure, height, width))
inline std::vector<Param> parameters(const Gas*) {
  return {
      {"flames", "how many"},     {"timed", "whether they go out"}, Param{"minutes", "when"}.used_if("timed", {"true"}),
      {"pressure", "of the gas"}, {"height", "of a flame"},         {"width", "of a flame"}};
}
struct Kettle {
  Heat heat = Heat::mains;
  Gas gas;
  std::string plug = "flat";
  std::uint32_t adapter = 0;
};
BOOST_DESCRIBE_STRUCT(Kettle, (), (heat, gas, plug, adapter))
inline std::vector<Param> parameters(const Kettle*) {
  return {{"heat", "what heats it"},
          Param{"gas", "the flames"}.used_if("heat", {"gas"}),
          Param{"plug", "its form", "", "", {"flat", "round"}}.used_if("heat", {"mains"}),
          Param{"adapter", "for the plug"}.used_unless("plug", "flat")};
}
struct Tea {
  Kettle kettle;
  std::uint32_t fuse = 13;
};
BOOST_DESCRIBE_STRUCT(Tea, (), (kettle, fuse))
inline std::vector<Param> parameters(const Tea*) {
  return {{"kettle", "for the water"}, Param{"fuse", "amperes"}.used_if("kettle.heat", {"mains"})};
}

struct Pot {
  std::string lid;
  std::uint32_t leaves = 1;
};
BOOST_DESCRIBE_STRUCT(Pot, (), (lid, leaves))
inline std::vector<Param> parameters(const Pot*) {
  return {{"lid", "what covers it"}, Param{"leaves", "that one sees"}.used_if("lid", {""})};
}

struct Lost {
  Heat heat = Heat::mains;
  std::uint32_t a = 0, b = 0;
};
BOOST_DESCRIBE_STRUCT(Lost, (), (heat, a, b))
inline std::vector<Param> parameters(const Lost*) {
  return {{"heat", "what heats it"},
          Param{"a", "a"}.used_if("heta", {"gas"}),
          Param{"b", "b"}.used_if("heat", {"gas", "coal"})};
}

}  // namespace tea

namespace {

using Sentences = std::vector<std::string>;

Sentences unused(const tea::Tea& tea, const Sentences& options = {}) {
  kit::Settings settings;
  for (const auto& o : options) REQUIRE(settings.add(o));
  return kit::unused_settings(tea, tea::Tea{}, settings, {});
}

}  // namespace

TEST_CASE("a warning names a parameter of another kind, its value and what would use it") {
  tea::Tea t;
  CHECK(unused(t) == Sentences{});
  t.kettle.gas.flames = 3;
  CHECK(unused(t) == Sentences{"kettle.gas.flames (3) is not used in this run; it is used if kettle.heat is gas"});
  t.kettle.heat = tea::Heat::gas;
  CHECK(unused(t) == Sentences{});
  t.fuse = 5;
  t.kettle.plug = "round";
  CHECK(unused(t) ==
        Sentences{"kettle.plug (round) and fuse (5) are not used in this run; they are used if kettle.heat is mains"});
}

TEST_CASE("a choice that the run does not use has no effect") {
  tea::Tea t;
  t.kettle.adapter = 2;
  CHECK(unused(t) == Sentences{"kettle.adapter (2) is not used in this run; it is used if kettle.plug is not flat"});
  t.kettle.plug = "round";
  CHECK(unused(t) == Sentences{});
  t.kettle.heat = tea::Heat::gas;
  CHECK(unused(t) == Sentences{"kettle.plug (round) and kettle.adapter (2) are not used in this run; they are used if "
                               "kettle.heat is mains"});
  t.kettle.plug = "flat";
  CHECK(unused(t) == Sentences{"kettle.adapter (2) is not used in this run; it is used if kettle.plug is not flat and "
                               "kettle.heat is mains"});
  t.kettle.adapter = 0;
  t.kettle.gas.minutes = 9;
  CHECK(unused(t) ==
        Sentences{"kettle.gas.minutes (9) is not used in this run; it is used if kettle.gas.timed is true"});
  t.kettle.gas.timed = true;
  CHECK(unused(t) == Sentences{});
}

TEST_CASE("a warning names a default that an option sets, but not one that a file spells out") {
  CHECK(unused({}, {"kettle.gas.flames=1", "fuse=13"}) ==
        Sentences{"kettle.gas.flames (1) is not used in this run; it is used if kettle.heat is gas"});
}

TEST_CASE("a warning names the first of many parameters that are unused for one reason") {
  tea::Tea t;
  t.kettle.gas = {2, true, 5, 2, 3, 4};
  CHECK(unused(t) == Sentences{"kettle.gas.flames (2), kettle.gas.timed (true), kettle.gas.minutes (5), "
                               "kettle.gas.pressure (2) and 2 more are not used in this run; "
                               "they are used if kettle.heat is gas"});
}

TEST_CASE("help begins with the condition of a parameter's use") {
  const auto help = [](const auto& row) { return row.help; };
  Sentences all;
  for (const auto& row : kit::parameter_rows(tea::Kettle{})) all.push_back(help(row));
  CHECK(all == Sentences{"what heats it", "if heat is gas: the flames", "how many", "whether they go out",
                         "if timed is true: when", "of the gas", "of a flame", "of a flame",
                         "if heat is mains: its form", "if plug is not flat and heat is mains: for the plug"});
}

TEST_CASE("a parameter that is used if another one is empty says so") {
  CHECK(kit::parameter_rows(tea::Pot{}).back().help == "if lid is empty: that one sees");
}

TEST_CASE("a dependence on a choice that does not exist is found") {
  CHECK(kit::parameter_faults<tea::Lost>() ==
        Sentences{"a: depends on heta, which is no parameter", "b: depends on heat being coal, which it never is"});
}
