// SPDX-License-Identifier: MIT
// Inputs that no user writes by hand.
#include "platforms/kit/config.h"
#include "tests/kit/lamp.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using Catch::Matchers::ContainsSubstring;
using kit::load_config;
using lamp::Lighthouse;

namespace {

const test::TemporaryFolder& folder() {
  static const test::TemporaryFolder one;
  return one;
}

Lighthouse loaded(const std::string& text) { return load_config<Lighthouse>({folder().write("l.json", text)}); }

std::string complaint(const std::string& text) {
  try {
    loaded(text);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("a byte-order mark before a configuration is no fault") {
  CHECK(loaded("\xef\xbb\xbf{\"schema\": \"sunstar/1\", \"tower\": {\"tide\": 4}}").tower.tide == 4);
}

TEST_CASE("a configuration in Latin-1 is refused with line and column") {
  CHECK_THAT(complaint("{\"schema\": \"sunstar/1\",\n \"tower\": {\"signal\": \"\xe4\"}}"),
             ContainsSubstring("line 2, column 23: this byte is no UTF-8, but may be Latin-1; the file must be UTF-8"));
}

TEST_CASE("a number that no double holds is named as it was written") {
  CHECK_THAT(complaint(R"({"schema": "sunstar/1", "tower": {"lean": 1e400}})"),
             ContainsSubstring("line 1, column ") && ContainsSubstring("the number 1e400 is too large"));
}

TEST_CASE("a character 0 in a name does not cut the sentence") {
  const auto said = complaint(R"({"schema": "sunstar/1", "tower": {"signal": "a\u0000b"}})");
  CHECK_THAT(said, ContainsSubstring("is \"a\\x00b\"; it must be"));
  const auto key = complaint(R"({"schema": "sunstar/1", "tower": {"\u0000\u001b": 1}})");
  CHECK_THAT(key, ContainsSubstring("tower.\\x00\\x1b"));
  CHECK(key.ends_with('.'));
}

TEST_CASE("of a huge name the message has the beginning") {
  const std::string huge(100'000, 'y');
  CHECK(complaint(R"({"schema": "sunstar/1", "tower": {"signal": ")" + huge + "\"}}").size() < 1000);
  CHECK(complaint(R"({"schema": "sunstar/1", "tower": {")" + huge + "\": 1}}").size() < 1000);
}

TEST_CASE("a configuration without end is refused") {
  CHECK_THROWS_WITH(load_config<Lighthouse>({"/dev/zero"}),
                    "/dev/zero cannot be read: it is longer than 64 MiB, which no configuration is.");
}
