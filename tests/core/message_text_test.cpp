// SPDX-License-Identifier: MIT
#include "models/core/error.h"

#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("a word in quotes shows control characters, and of a long word the beginning and its length") {
  CHECK(in_quotes("plain") == "\"plain\"");
  CHECK(in_quotes(std::string_view("a\0b\x1b\n", 5)) == "\"a\\x00b\\x1b\\x0a\"");
  CHECK(in_quotes("b\u00e4r") == "\"b\u00e4r\"");
  const std::string sixty(60, 'x');
  CHECK(in_quotes(std::string(50'000, 'x')) == "\"" + sixty + "...\" (50000 characters)");
  // A character of two bytes is not cut.
  std::string umlauts = "x";
  for (int i = 0; i < 200; ++i) umlauts += "\u00e4";
  CHECK(in_quotes(umlauts).substr(0, 63) == "\"" + umlauts.substr(0, 59) + "...");
}

TEST_CASE("an error's sentence is whole for any input") {
  const std::string sentence = std::string("key \"a") + '\0' + "b\" is not known.\nIt \x7f ends.";
  CHECK(std::string(ConfigError(sentence).what()) == "key \"a\\x00b\" is not known.\nIt \\x7f ends.");
  const std::string long_path = ConfigError("machine." + std::string(5000, 'k') + " is unknown.").what();
  CHECK(long_path.size() < 150);
  CHECK(long_path.ends_with(" is unknown."));
}
