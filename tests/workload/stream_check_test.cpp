// SPDX-License-Identifier: MIT
#include "sw/workload/workload.h"

#include <string>
#include <vector>

#include "models/core/content/content.h"
#include "models/core/error.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::workload;

namespace {

/// Two sources, three sinks, four messages of 64 bytes from each to each.
constexpr Streams small{2, 3, 64, 4};

std::vector<std::byte> bytes_of(const content::Content& content) {
  std::vector<std::byte> bytes(content.size());
  content.make_bytes(bytes.data());
  return bytes;
}

std::string said_of(StreamCheck& check, const StreamMessage& message, const content::Content& data) {
  try {
    check.arrived(message, data);
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("streams add up to sources times sinks times messages") {
  CHECK(small.all_messages() == 24);
  CHECK(small.all_bytes() == 24 * 64);
}

TEST_CASE("each stream has the content of a file of its own, and its messages follow one another in it") {
  const StreamCheck check(small);
  // From source 1 to sink 2: stream 1 * 3 + 2. Message 3 begins at byte 192.
  CHECK(content::matches(5, 0, 192, bytes_of(check.content({1, 2, 3}))));
}

TEST_CASE("streams are complete when each message has arrived, in any order") {
  StreamCheck check(small);
  for (std::uint32_t number = 4; number-- > 0;)
    for (std::uint32_t source = 0; source < 2; ++source)
      for (std::uint32_t sink = 0; sink < 3; ++sink) {
        check.arrived({source, sink, number}, check.content({source, sink, number}));
      }
}

TEST_CASE("a message that arrives wrong, short, twice or at the wrong sink is named") {
  StreamCheck check(small);
  const content::Content right = check.content({1, 2, 3});
  const std::string message = "verification failed: message 3 from I/O processor 1 to compute processor ";
  auto wrong = bytes_of(right);
  wrong[63] ^= std::byte{1};
  CHECK(said_of(check, {1, 2, 3}, content::Content(wrong)) == message + "2 arrived with a wrong byte 63");
  CHECK(said_of(check, {1, 2, 3}, right.slice(0, 8)) == message + "2 arrived with 8 bytes; it has 64");
  CHECK(said_of(check, {1, 0, 3}, right) == message + "0 arrived with a wrong byte 0");
  CHECK(said_of(check, {1, 3, 3}, right) == message + "3 is none of the workload's");
  CHECK(said_of(check, {1, 2, 3}, right).empty());
  CHECK(said_of(check, {1, 2, 3}, right) == message + "2 arrived twice");
}
