// SPDX-License-Identifier: MIT
#include "models/core/content/content.h"

#include <set>
#include <vector>

#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("content does not depend on how a file is cut into parts") {
  std::vector<std::byte> whole(100);
  content::fill(3, 1, 4096, whole);
  for (std::size_t begin = 0; begin <= 24; ++begin)
    for (std::size_t bytes = 0; bytes <= 40; ++bytes) {
      std::vector<std::byte> part(bytes);
      content::fill(3, 1, 4096 + begin, part);
      CHECK(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin)));
      CHECK(content::matches(3, 1, 4096 + begin, part));
    }
}

TEST_CASE("each wrong byte is found") {
  std::vector<std::byte> data(53);
  content::fill(0, 0, 1003, data);
  for (std::byte& byte : data) {
    byte ^= std::byte{1};
    CHECK_FALSE(content::matches(0, 0, 1003, data));
    byte ^= std::byte{1};
  }
  CHECK(content::matches(0, 0, 1003, data));
}

TEST_CASE("words of neighbouring files, versions and offsets all differ") {
  std::set<std::uint64_t> words;
  for (std::uint32_t file = 0; file < 4; ++file)
    for (std::uint32_t version = 0; version < 2; ++version)
      for (std::uint64_t i = 0; i < 4096; ++i) words.insert(content::word(content::position(file, version, i)));
  CHECK(words.size() == 4 * 2 * 4096);
}
