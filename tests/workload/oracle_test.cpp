// SPDX-License-Identifier: MIT
#include "sw/workload/oracle.h"

#include "models/core/content/content.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"

using namespace sunstar;
using namespace sunstar::workload;
using test::reading;
using test::writing;

namespace {

/// What the oracle says of the medium, as "from-to version".
std::vector<std::string> medium(const Workload& work) {
  std::vector<std::string> all;
  work.oracle()->on_medium(0, [&](const ExpectedBytes& e) {
    const char* version[] = {"before", "after", "either"};
    all.push_back(std::to_string(e.offset) + "-" + std::to_string(e.offset + e.bytes) + " " +
                  version[static_cast<int>(e.version)]);
  });
  return all;
}

std::vector<std::byte> content_of(Version version, std::uint64_t offset, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  content::fill(0, version == Version::after, offset, std::span(data));
  return data;
}

}  // namespace

TEST_CASE("written bytes must be on the medium, and all others unchanged") {
  test::ListedCalls work;
  work.files_ = {{"file", 1000, true, true}};
  work.calls = {{writing(100, 50), reading(0, 200)}, {writing(140, 60), writing(900, 100)}};
  CHECK(medium(work) == std::vector<std::string>{"0-100 before", "100-200 after", "200-900 before", "900-1000 after"});
}

TEST_CASE("a file that is only read must be on the medium as before") {
  test::ListedCalls work;
  work.files_ = {{"file", 1000, true, false}};
  work.calls = {{reading(0, 200)}};
  CHECK(medium(work) == std::vector<std::string>{"0-1000 before"});
}

TEST_CASE(
    "a read of bytes that others write may see them before or after the write, byte by byte, and the rest unchanged") {
  test::ListedCalls work;
  work.files_ = {{"file", 1000, true, true}};
  work.calls = {{reading(0, 300, 64)}, {writing(100, 100)}};
  std::vector<BytesInMemory> all;
  work.oracle()->in_memory(0, [&](const InMemory& m) { all.push_back(std::get<BytesInMemory>(m)); });
  REQUIRE(all.size() == 3);
  CHECK(all[1].version == Version::either);
  CHECK(all[1].offset == 100);
  CHECK(all[1].bytes == 100);
  CHECK(all[1].memory == 164);
  // Half of it old, half of it new: right. One byte of neither: wrong, and named.
  auto data = content_of(Version::before, 100, 100);
  const auto after = content_of(Version::after, 100, 100);
  std::copy(after.begin() + 30, after.begin() + 60, data.begin() + 30);
  CHECK_FALSE(first_wrong(all[1], content::Content(data)));
  for (int i = 0; i < 256; ++i)
    if (data[77] != std::byte(i) && after[77] != std::byte(i)) {
      data[77] = std::byte(i);
      break;
    }
  CHECK(first_wrong(all[1], content::Content(data)) == 177);
}

TEST_CASE("records may come in any order, but each exactly as often as expected") {
  RecordsInMemory expected{0, 16, 0, {0, 160, 32, 32}, Version::before};
  std::vector<std::byte> data;
  const auto read = [&](std::uint64_t at, std::uint32_t bytes) {
    return content::Content(data).slice(static_cast<std::uint32_t>(at), bytes);
  };
  const auto put = [&](std::uint64_t offset) {
    const auto record = content_of(Version::before, offset, 16);
    data.insert(data.end(), record.begin(), record.end());
  };
  for (const std::uint64_t offset : {32, 0, 32, 160}) put(offset);
  CHECK_FALSE(first_wrong(expected, read));
  data.clear();
  for (const std::uint64_t offset : {32, 0, 160, 160}) put(offset);
  CHECK(first_wrong(expected, read) == 48);
  data.clear();
  for (const std::uint64_t offset : {32, 48, 160, 0}) put(offset);
  CHECK(first_wrong(expected, read) == 16);
}

TEST_CASE("a digest detects one changed byte and a changed order") {
  auto data = content_of(Version::before, 0, 100);
  const auto one = digest(data);
  CHECK(one == digest(content_of(Version::before, 0, 100)));
  std::swap(data[0], data[9]);
  CHECK(digest(data) != one);
  std::swap(data[0], data[9]);
  data[99] ^= std::byte{1};
  CHECK(digest(data) != one);
}
