// SPDX-License-Identifier: MIT
#include "platforms/kit/run/trials.h"

#include "tests/support/catch.h"

using namespace sunstar;
namespace json = boost::json;

namespace {

/// What `progress` receives, without repetitions, when each trial reports that half of it is done.
std::vector<double> told(std::uint32_t trials, std::uint32_t jobs) {
  std::vector<double> all;
  const auto half = [](std::uint32_t, const kit::Done& done) {
    done(0.5, {});
    return json::object{};
  };
  kit::run_trials(trials, jobs, half, [&](double done, std::string_view) {
    if (all.empty() || done != all.back()) all.push_back(done);
  });
  return all;
}

}  // namespace

TEST_CASE("the progress that trials report adds up") {
  CHECK(told(1, 0) == std::vector<double>{0, 0.5});
  CHECK(told(3, 1) == std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5, 3});
  const auto side_by_side = told(4, 2);
  CHECK(std::ranges::is_sorted(side_by_side));
  CHECK(side_by_side.back() == 4);
}

TEST_CASE("trials run without a receiver of their progress") {
  for (const std::uint32_t trials : {1u, 2u}) {
    const auto tells = [](std::uint32_t, const kit::Done& done) {
      return json::object{{"tells", static_cast<bool>(done)}};
    };
    for (const auto& result : kit::run_trials(trials, 1, tells, {})) CHECK(result.at("tells") == false);
  }
}

TEST_CASE("a trial that runs out of memory says so in a sentence") {
  for (const std::uint32_t trials : {2u, 3u})
    CHECK_THROWS_WITH(
        kit::run_trials(trials, 1, [](std::uint32_t) -> json::object { throw std::bad_alloc(); }),
        Catch::Matchers::ContainsSubstring("trial 0: the host gives no more memory to this process, which has taken"));
}
