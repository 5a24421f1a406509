// SPDX-License-Identifier: MIT
#include <limits>

#include "platforms/kit/config.h"
#include "platforms/kit/results/common.h"
#include "platforms/kit/results/document.h"
#include "platforms/kit/summary.h"
#include "tests/kit/lamp.h"
#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"
#include "tests/support/json_schema.h"

using namespace sunstar;
using namespace sunstar::literals;
namespace json = boost::json;

// A race of boats: one of everything that a result may hold.
namespace race {

struct Wind {
  double knots = 0;
  std::optional<double> gusts = {};
};
BOOST_DESCRIBE_STRUCT(Wind, (), (knots, gusts))
std::vector<Figure> figures(const Wind*) { return {{"knots", "on average", "kn"}, {"gusts", "at most", "kn"}}; }

struct Outcome {
  std::optional<bool> lost = {};
  std::string verdict = {};
};
BOOST_DESCRIBE_STRUCT(Outcome, (), (lost, verdict))
std::vector<Figure> figures(const Outcome*) {
  return {Figure{"lost", "whether one sank"}.of_worst(), Figure{"verdict", "in words"}.of_worst()};
}
double severity(const Outcome*, const json::object& trial) {
  return trial.at("lost").is_null() ? 1 : trial.at("lost").as_bool() ? 2 : 0;
}

struct Race {
  kit::Throughput throughput;
  std::optional<Outcome> outcome = {};
  std::uint64_t boats = 0;
  std::int64_t tide = 0;
  bool fair = false;
  std::string course = "round";
  std::optional<std::uint64_t> protests = {};
  std::optional<double> hours = {};
  std::optional<Wind> wind = {};
  std::vector<std::string> warnings = {};
  std::map<std::string, std::uint64_t> by_class = {};
  NamedFigures extra = {};
};
BOOST_DESCRIBE_STRUCT(Race, (),
                      (throughput, outcome, boats, tide, fair, course, protests, hours, wind, warnings, by_class,
                       extra))
std::vector<Figure> figures(const Race*) {
  return {{"throughput", "of the harbour"},
          Figure{"outcome", "how it ended"}.flat(),
          {"boats", "that started"},
          {"tide", "water under them", "m"},
          {"fair", "whether nobody cheated"},
          {"course", "sailed"},
          {"protests", "against a boat"},
          Figure{"hours", "it took", "h"}.left_out_if_unknown(),
          {"wind", "of the day"},
          {"warnings", "to sailors"},
          {"by_class", "boats of each class"},
          Figure{"extra", "what the club adds"}.flat()};
}

}  // namespace race

namespace {

using race::Race;

json::object document(const std::vector<Race>& races) {
  std::vector<json::object> trials;
  for (const auto& r : races) trials.push_back(kit::to_json(kit::Trial<Race>{r}));
  return kit::run_document<Race>(7, trials);
}
json::value mean(const std::vector<Race>& races) { return document(races).at("result"); }

}  // namespace

TEST_CASE("numbers become their mean, and a mean of counts stays an integer if it is whole") {
  Race a, b, c;
  a.throughput = {2, {}, 1};
  b.throughput = {4, {}, 2};
  c.throughput = {6, {}, 6};
  a.boats = 3, b.boats = 4, c.boats = 8;
  a.tide = -2, b.tide = -4, c.tide = -3;
  const auto all = mean({a, b, c});
  CHECK(all.at("throughput").at("mib_per_s") == 4.0);
  CHECK(all.at("throughput").at("coefficient_of_variation") == 0.5);  // sample variance (4 + 0 + 4) / 2 = 4; 2 / 4
  CHECK(all.at("throughput").at("medium_mib_per_s") == 3.0);
  CHECK(json::serialize(all.at("boats")) == "5");
  CHECK(json::serialize(all.at("tide")) == "-3");
  CHECK(mean({a, b}).at("boats") == 3.5);
}

TEST_CASE("a count too large for a double stays exact if all trials agree") {
  Race a;
  a.boats = std::numeric_limits<std::uint64_t>::max();
  CHECK(mean({a}).at("boats") == std::numeric_limits<std::uint64_t>::max());
  CHECK(mean({a, a}).at("boats") == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("one unverified trial makes the result unverified, and words are the first trial's") {
  Race a, b;
  a.fair = b.fair = true;
  a.course = "long", b.course = "short";
  CHECK(mean({a, b}).at("fair") == true);
  b.fair = false;
  CHECK(mean({a, b}).at("fair") == false);
  CHECK(mean({b, a}).at("fair") == false);
  CHECK(mean({a, b}).at("course") == "long");
}

TEST_CASE("a result has each warning once, whichever trials have it, in the order in which they come") {
  Race a, b, c;
  a.warnings = {"fog", "ice"};
  b.warnings = {"rocks", "fog"};
  CHECK(mean({c, a, b, a}).at("warnings") == json::array{"fog", "ice", "rocks"});
}

TEST_CASE("a number that one trial does not know is unknown in the mean") {
  Race a, b;
  a.protests = 1;
  CHECK(mean({a, b}).at("protests").is_null());
  b.protests = 3;
  CHECK(mean({a, b}).at("protests") == 2);
  a.hours = 2;
  CHECK_FALSE(mean({a, b}).as_object().contains("hours"));
  b.hours = 3;
  CHECK(mean({a, b}).at("hours") == 2.5);
}

TEST_CASE("a missing section has no key, in a trial and in the mean") {
  Race a, b;
  CHECK_FALSE(mean({a, b}).as_object().contains("wind"));
  a.wind = {10, 20}, b.wind = {20, {}};
  const auto all = mean({a, b});
  CHECK(all.at("wind").at("knots") == 15.0);
  CHECK(all.at("wind").at("gusts").is_null());
}

TEST_CASE("the worst trial's figures stand for all, flat beside the other keys") {
  Race calm, unknown, lost;
  calm.outcome = {false, "all came home"};
  unknown.outcome = {{}, "nobody saw them"};
  lost.outcome = {true, "one sank"};
  CHECK(mean({calm, unknown}).at("verdict") == "nobody saw them");
  CHECK(mean({calm, unknown}).at("lost").is_null());
  CHECK(mean({unknown, lost, calm}).at("verdict") == "one sank");
  CHECK(mean({unknown, lost, calm}).at("lost") == true);
  CHECK_FALSE(mean({Race{}}).as_object().contains("verdict"));
}

TEST_CASE("figures whose names are known only at run time are reduced by their type") {
  Race a, b;
  const auto add = [](Race& r, std::uint64_t read, double share, bool ok) {
    auto& trace = r.extra.section("trace");
    trace.section("lines_read").add("requests", read);
    trace.add("share", share);
    trace.add("ok", ok);
    trace.add("file", std::string("a.csv"));
    r.by_class = {{"dinghy", read}};
  };
  add(a, 4, 0.25, true);
  add(b, 6, 0.75, false);
  CHECK(mean({a, b}).at("trace") ==
        json::parse(R"({"lines_read": {"requests": 5}, "share": 0.5, "ok": false, "file": "a.csv"})"));
  CHECK(mean({a, b}).at("by_class").at("dinghy") == 5);
}

TEST_CASE("a trial has its seed and the keys of the mean except the variation, and the host's figures are sums") {
  Race a;
  a.wind = {1, 2};
  a.extra.section("trace").add("lines", 1u);
  std::vector<json::object> trials;
  for (int i = 0; i < 2; ++i) {
    kit::Trial<Race> t{a, {{"bus", i}}};
    t.host = {1.5, 2, 0.5, 10, {}};
    if (i == 0) t.host.watched = kit::Watched{{{"cp0", 5}}, "it ends", 7, {}};
    trials.push_back(kit::to_json(t));
  }
  const auto all = kit::run_document<Race>(7, trials);
  for (const auto& [key, value] : all.at("result").as_object()) {
    CHECK(all.at("trials").at(1).as_object().contains(key));
  }
  CHECK(all.at("trials").at(1).at("seed") == 8);
  CHECK_FALSE(all.at("trials").at(1).at("throughput").as_object().contains("coefficient_of_variation"));
  CHECK(all.at("statistics") == json::parse(R"({"bus": 0})"));
  CHECK(all.at("host") == json::parse(R"({"seconds": 3.0, "cpu_seconds": 4.0, "setup_cpu_seconds": 1.0,
    "kernel_events": 20, "watched": {"monitored": {"cp0": 5}, "vcd": "it ends", "timeline_spans": 7}})"));
}

TEST_CASE("the schema of a result gives unit and help of each figure, and accepts what runs write") {
  const json::value schema = kit::result_schema<lamp::Lighthouse, Race>("sunstar-race");
  const auto& result = schema.at("properties").at("result").at("properties");
  CHECK(result.at("tide").at("unit") == "m");
  CHECK(result.at("wind").at("properties").at("knots").at("description") == "on average");
  CHECK(result.as_object().contains("verdict"));
  CHECK_FALSE(result.as_object().contains("outcome"));
  Race full;
  full.outcome = {true, "one sank"};
  full.wind = {1, {}};
  full.hours = 2;
  full.extra.section("trace").add("lines", 1u);
  Race odd;
  odd.boats = 1;
  for (const auto& races : {std::vector<Race>{{}}, {full}, {full, full, {}}, {odd, {}}}) {
    auto all = document(races);
    all["schema"] = "sunstar/1";
    all["platform"] = "sunstar-race";
    all["version"] = "0.1.0";
    all["seed"] = 7;
    all["config"] = kit::effective(lamp::Lighthouse{});
    CHECK(test::schema_faults(schema, all) == std::vector<std::string>{});
    all["trials"].at(0).at("boats") = 1.5;
    CHECK(test::schema_faults(schema, all) ==
          std::vector<std::string>{"/trials/0/boats: 1.5E0 is not of type \"integer\""});
  }
}

TEST_CASE("trials are summarised by mean and coefficient of variation") {
  const double values[] = {2, 4, 6};  // mean 4, sample variance (4+0+4)/2 = 4, so 2/4
  CHECK(kit::summarise(values).mean == 4);
  CHECK(kit::summarise(values).coefficient_of_variation == 0.5);
  const double one[] = {3};
  CHECK(kit::summarise(one).coefficient_of_variation == 0);
  CHECK(kit::summarise({}).count == 0);
}

TEST_CASE("latencies are percentiles, and unknown if nothing was timed") {
  const auto none = kit::latency("of nothing", {});
  CHECK((none.count == 0 && !none.p50_s && !none.max_s));
  CHECK(kit::latency("of one", percentiles({7_ns})).p99_s == 7e-9);
}

namespace race {

struct Careless {
  kit::Throughput throughput;
  double left_out = 0, variation = 0, worst = 0, unexplained = 0;
};
BOOST_DESCRIBE_STRUCT(Careless, (), (throughput, left_out, variation, worst, unexplained))
std::vector<Figure> figures(const Careless*) {
  return {Figure{"throughput", "t"},
          Figure{"variation", "v"}.variation_of("speed"),
          Figure{"worst", "w"}.of_worst(),
          {"unexplained", ""},
          {"gone", "no member"}};
}

}  // namespace race

TEST_CASE("faults in the declaration of figures are found") {
  CHECK(kit::figure_faults<Race>() == std::vector<std::string>{});
  CHECK(kit::figure_faults<kit::HostFigures>() == std::vector<std::string>{});
  CHECK(kit::figure_faults<race::Careless>() ==
        std::vector<std::string>{"variation: the variation of speed, which is no figure beside it",
                                 "worst: of the worst trial, but no severity() says which that is",
                                 "unexplained: without a line of help", "gone: declared, but no described member",
                                 "left_out: a member that figures() leaves out"});
}
