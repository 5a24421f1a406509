// SPDX-License-Identifier: MIT
#include "sw/file_systems/versioned/version_log.h"

#include <array>

#include "models/core/random.h"
#include "tests/support/catch.h"

namespace sunstar::file_systems::versioned {
using sunstar::io::ByteRange;

TEST_CASE("the newest bytes of a stripe are the last writes', also with merges in between") {
  constexpr std::uint32_t stripe = 200;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "versions");
    std::array<std::byte, 1000> memory{};
    VersionLog log(memory.data(), memory.size());
    const VersionLog::Key key{3, 7};
    std::array<std::byte, stripe> expected{}, home{};  // as it should be; what has been merged
    std::optional<std::pair<VersionLog::Version, std::array<std::byte, stripe>>> merge;
    const auto as_read = [&] {
      std::array<std::byte, stripe> found = home;
      for (const auto& piece : log.newest(key, {0, stripe}))
        std::copy_n(piece.data, piece.range.bytes(), found.begin() + piece.range.from);
      return found;
    };
    for (int step = 0; step < 300; ++step) {
      const auto from = static_cast<std::uint32_t>(random.below(stripe));
      const ByteRange range{from, from + 1 + static_cast<std::uint32_t>(random.below(stripe - from))};
      std::byte* const data = log.take(range.bytes());
      if (data) {
        const std::byte value{static_cast<std::uint8_t>(step % 255 + 1)};
        std::fill_n(data, range.bytes(), value);
        log.publish(key, range, data);
        std::fill(expected.begin() + range.from, expected.begin() + range.to, value);
      }
      if (merge && (!data || random.below(3) == 0)) {
        home = merge->second;
        log.end_merge(key, merge->first);
        merge.reset();
      } else if (!merge && (!data || random.below(4) == 0)) {
        const auto all = as_read();
        merge.emplace(log.begin_merge(key), all);
      }
      CHECK(as_read() == expected);
    }
    if (merge) log.end_merge(key, merge->first);
    if (log.holds(key)) log.end_merge(key, log.begin_merge(key));
    CHECK(log.empty());
    CHECK(log.used() == 0);
  }
}

TEST_CASE("old versions take room until their stripe is merged") {
  std::array<std::byte, 100> memory{};
  VersionLog log(memory.data(), memory.size());
  for (int i = 0; i < 10; ++i) log.publish({0, 0}, {0, 10}, log.take(10));
  CHECK(log.bytes({0, 0}) == 10);
  CHECK(log.take(1) == nullptr);
  log.end_merge({0, 0}, log.begin_merge({0, 0}));
  CHECK(log.take(100) != nullptr);
}

TEST_CASE("stripes are merged in the order of their oldest versions") {
  std::array<std::byte, 100> memory{};
  VersionLog log(memory.data(), memory.size());
  for (const std::uint64_t s : {5, 2, 5, 9}) log.publish({0, s}, {0, 10}, log.take(10));
  const VersionLog::Key first = *log.oldest();
  CHECK(first.second == 5);
  const auto version = log.begin_merge(first);
  CHECK(log.oldest()->second == 2);
  log.publish(first, {20, 30}, log.take(10));
  log.end_merge(first, version);
  CHECK(log.bytes(first) == 10);
  CHECK(log.oldest()->second == 2);
}

}  // namespace sunstar::file_systems::versioned
