// SPDX-License-Identifier: MIT
#include "models/kernel/timeline_format.h"

#include <map>

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {
/// Chains as text, "s7@1 f7@3 ": s is the first point, f the last, t between.
struct Written {
  std::string text;
  std::map<std::uint32_t, Time> arrows;  // where each request's next arrow comes from
  Flows::Write writer() {
    return [this](std::uint32_t request, const Flows::Point* before, const Flows::Point& p, bool last) {
      CHECK((before ? before->at : Time{}) == arrows[request]);
      arrows[request] = p.at;
      text += (before ? last ? 'f' : 't' : 's') + std::to_string(request) + "@" +
              std::to_string(p.at.time_since_epoch() / 1_us) + " ";
    };
  }
};
Flows::Point point(Duration d) {
  Flows::Point p;
  p.at = Time{d};
  return p;
}
}  // namespace

TEST_CASE("a chain is written in order of time, for any order of its points' arrival") {
  Written w;
  Flows flows(w.writer());
  flows.add(7, point(5_us));
  flows.add(7, point(1_us));
  flows.add(8, point(2_us));
  flows.add(7, point(3_us));
  CHECK(w.text.empty());
  flows.finish();
  CHECK(w.text == "s7@1 t7@3 f7@5 ");
}

TEST_CASE("points at the same time come in their turn") {
  std::vector<std::uint32_t> groups;
  Flows ordered([&](auto, auto, const Flows::Point& p, bool) { groups.push_back(p.group); });
  ordered.add(7, {Time{1_us}, 3, 3});
  ordered.add(7, {Time{1_us}, 2, 2, 9});
  ordered.add(7, {Time{1_us}, 1, 1, 4});
  ordered.finish();
  CHECK(groups == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("a request without a point for long is written, one that goes on is kept") {
  Written w;
  Flows flows(w.writer(), 2);
  flows.add(1, point(1_us));
  flows.add(1, point(2_us));
  flows.add(2, point(3_us));
  flows.add(3, point(4_us));  // 1 and 2 are old now
  flows.add(2, point(5_us));  // and 2 is young again
  flows.add(4, point(6_us));  // 1 goes
  CHECK(w.text == "s1@1 f1@2 ");
  flows.finish();
  CHECK(w.text == "s1@1 f1@2 s2@3 f2@5 ");
}

TEST_CASE("a long chain is written piece by piece") {
  Written w;
  Flows flows(w.writer(), 2, 4);
  for (int i = 1; i <= 5; ++i) flows.add(1, point(i * 1_us));
  CHECK(w.text == "s1@1 t1@2 ");
  flows.finish();
  CHECK(w.text == "s1@1 t1@2 t1@3 t1@4 f1@5 ");
}
