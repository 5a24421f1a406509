// SPDX-License-Identifier: MIT
#include "platforms/kit/run/command_line.h"

#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using kit::parse_window;

TEST_CASE("a window is two times with units, and one may be missing") {
  const Window both = parse_window("--w", "2ms,5ms");
  CHECK(both.from == Time{2_ms});
  CHECK(both.to == Time{5_ms});
  CHECK(parse_window("--w", "0.5us,").to == Time::max());
  CHECK(parse_window("--w", ",5ms").from == Time{});
}

TEST_CASE("a window contains its beginning and not its end, and meets the spans that reach into it") {
  const Window w{Time{2_ms}, Time{5_ms}};
  CHECK(w.contains(Time{2_ms}));
  CHECK_FALSE(w.contains(Time{5_ms}));
  CHECK(w.meets(Time{1_ms}, Time{3_ms}));
  CHECK(w.meets(Time{1_ms}, Time{9_ms}));
  CHECK(w.meets(Time{2_ms}, Time{2_ms}));
  CHECK_FALSE(w.meets(Time{1_ms}, Time{2_ms}));
  CHECK_FALSE(w.meets(Time{5_ms}, Time{6_ms}));
}

TEST_CASE("a text that is no window is answered in a sentence") {
  const auto why = [](const char* text) -> std::string {
    try {
      parse_window("--timeline-window", text);
    } catch (const kit::UsageError& e) {
      return e.what();
    }
    return "";
  };
  const std::string is = "--timeline-window is ";
  CHECK(why("2ms") == is + "\"2ms\"; it must be two times with a comma between them, as in 2ms,5ms.");
  CHECK(why(",") == is + "\",\"; it must be two times with a comma between them, as in 2ms,5ms.");
  CHECK(why("5ms,2ms") == is + "\"5ms,2ms\"; its end must be after its beginning.");
  CHECK(why("2,5ms") == is + "\"2,5ms\"; the unit is missing (ps, ns, us, ms or s).");
}
