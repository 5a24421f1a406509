// SPDX-License-Identifier: MIT
#include "sw/os/transport.h"

#include <memory>

#include "models/core/random.h"
#include "sw/messages/kind.h"
#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::FakeMachine;

namespace {

struct Numbered {
  std::uint32_t number;
};

/// Two nodes over a network that may lose messages; node 0 sends, node 1 notes what arrives.
struct LossyPair {
  explicit LossyPair(const std::optional<os::SocketParams>& sockets = {})
      : machine(2), common(test::free_of_charge(), sockets) {
    common.delivery = os::Acknowledged{};
    for (std::size_t i = 0; i < 2; ++i) executives.push_back(std::make_unique<os::Os>(machine[i], common));
    kind.on_arrival(*executives[1], [this](hal::Message& m) {
      arrived.push_back(messages::Kind<Numbered>::header(m).number);
      std::byte first{};
      if (m.bytes > 0) messages::copy_data(m, 0, &first, 1);
      first_bytes.push_back(first);
      executives[1]->receive(m);
    });
  }
  void send(std::uint32_t n, std::uint32_t bytes) {
    std::byte* const data = machine[0].allocate(std::max(bytes, 64u));
    const auto body = [](LossyPair& pair, std::uint32_t count, std::byte* from, std::uint32_t size) -> os::Task<> {
      for (std::uint32_t i = 0; i < count; ++i) {
        std::memset(from, static_cast<int>(i), size);  // the buffer is used again
        co_await pair.executives[0]->send(pair.kind.message(1, {i}, from, size));
      }
    };
    executives[0]->spawn(body(*this, n, data, bytes), "sender");
  }
  FakeMachine machine;
  os::Common common;
  messages::Numbers numbers;
  messages::Kind<Numbered> kind{numbers, "numbered"};
  std::vector<std::unique_ptr<os::Os>> executives;
  std::vector<std::uint32_t> arrived;
  std::vector<std::byte> first_bytes;
};

}  // namespace

TEST_CASE("over a network that loses and doubles messages each arrives once, with the bytes that it had when it left") {
  for (const bool sockets : {false, true})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      INFO("seed " << seed << (sockets ? ", TCP" : ""));
      LossyPair pair(sockets ? std::optional(os::SocketParams{}) : std::nullopt);
      RandomStream random(seed, "network");
      pair.machine.copies = [&](const hal::Message&) {
        const std::uint64_t n = random.below(10);
        return n < 3 ? 0 : n < 5 ? 2 : 1;
      };
      pair.send(100, 50);
      pair.machine.timeline.run();
      REQUIRE(pair.arrived.size() == 100);
      for (std::size_t i = 0; i < 100; ++i) CHECK(pair.first_bytes[i] == static_cast<std::byte>(pair.arrived[i]));
      std::ranges::sort(pair.arrived);
      for (std::uint32_t i = 0; i < 100; ++i) CHECK(pair.arrived[i] == i);
      CHECK(pair.machine.unreleased() == 0);
    }
}

TEST_CASE("a network that loses nothing costs an acknowledgement for every second message, and none is sent again") {
  LossyPair pair;
  pair.send(10, 8);
  pair.machine.timeline.run();
  CHECK(pair.arrived.size() == 10);
  CHECK(pair.machine.sent.size() == 15);
  CHECK(pair.machine.sent.front().message.more_on_wire == 8);
}

TEST_CASE("what is never acknowledged is sent as often as it may be, at doubling times, and then given up") {
  LossyPair given;
  given.machine.copies = [](const hal::Message&) { return 0; };
  given.send(1, 8);
  given.machine.timeline.run();
  REQUIRE(given.machine.sent.size() == 16);
  CHECK(given.machine.sent[1].when - given.machine.sent[0].when == 200_ms);
  CHECK(given.machine.sent[2].when - given.machine.sent[1].when == 400_ms);
  CHECK(given.machine.sent[3].when - given.machine.sent[2].when == 800_ms);
  CHECK(given.arrived.empty());
}

TEST_CASE("a node that was forgotten, and is there after all, gets what is sent to it from then on") {
  LossyPair pair;
  bool cut_off = false;
  pair.machine.copies = [&](const hal::Message&) { return cut_off ? 0 : 1; };
  pair.send(10, 8);
  pair.machine.timeline.at(Time{1'000_ms}, [&] {
    cut_off = true;
    pair.send(5, 8);  // for nothing
  });
  pair.machine.timeline.at(Time{1'001_ms}, [&] { pair.executives[0]->forget(1); });
  pair.machine.timeline.at(Time{2'000_ms}, [&] {
    cut_off = false;
    pair.send(3, 8);
  });
  pair.machine.timeline.run();
  CHECK(pair.arrived.size() == 13);
  // Of the 18 numbers that it was to get it misses those of five messages that will not come, and waits for none.
  CHECK(pair.machine.sent.back().message.all_below == 19);
  CHECK(pair.machine.unreleased() == 0);
}

TEST_CASE("an acknowledgement that nothing else carries goes alone before the message would be sent again") {
  LossyPair pair;
  pair.send(1, 8);
  pair.machine.timeline.run();
  CHECK(pair.arrived.size() == 1);
  CHECK(pair.machine.sent.size() == 2);
}
