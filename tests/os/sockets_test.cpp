// SPDX-License-Identifier: MIT
#include "sw/os/sockets.h"

#include "models/core/random.h"
#include "sw/messages/kind.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"
#include "tests/support/fake_node.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::os;
using test::at_ns;
using test::FakeMachine;
using test::free_of_charge;

namespace {

/// Sockets that cost nothing, with segments of 1000 bytes and windows of 4000.
SocketParams small_segments() {
  SocketParams params;
  params.segment = {1000};
  params.window = {4000};
  return params;
}

struct Header {
  std::uint32_t number;
};

/// Nodes that send each other messages of one kind, and what has arrived.
struct Rig {
  struct Arrival {
    hal::NodeId at;
    std::uint32_t number, bytes;
    Time when;
    bool right;  ///< all bytes are as they were sent
  };

  explicit Rig(std::size_t nodes, const SocketParams& params, const std::optional<Acknowledged>& delivery = {},
               std::uint32_t cores = 1)
      : machine(nodes), endpoints(with_cores(machine, cores), free_of_charge(), params, delivery) {
    for (std::size_t n = 0; n < nodes; ++n)
      kind.on_arrival(endpoints.os(n), [this, n](hal::Message& m) {
        Arrival arrival{static_cast<hal::NodeId>(n), messages::Kind<Header>::header(m).number, m.bytes,
                        endpoints.os(n).handler_end(), true};
        for (std::uint32_t b = 0; b < m.bytes; ++b) arrival.right &= m.content->bytes()[b] == byte(arrival.number, b);
        arrivals.push_back(arrival);
        endpoints.os(n).take(m);
        machine[n].release(m);
      });
  }
  static FakeMachine& with_cores(FakeMachine& machine, std::uint32_t cores) {
    for (std::size_t n = 0; n < machine.size(); ++n) machine[n].set_cores(cores, hal::Interrupts::spread);
    return machine;
  }
  static std::byte byte(std::uint32_t number, std::uint32_t at) { return static_cast<std::byte>(number * 7 + at); }

  Task<> send(hal::NodeId from, hal::NodeId to, std::uint32_t number, std::uint32_t bytes) {
    std::vector<std::byte> data(bytes);
    for (std::uint32_t b = 0; b < bytes; ++b) data[b] = byte(number, b);
    const hal::Message m = kind.message(to, {number}, data.data(), bytes);
    co_await endpoints.os(from).send(m);
  }
  void spawn(hal::NodeId from, hal::NodeId to, std::uint32_t number, std::uint32_t bytes) {
    endpoints.os(from).spawn(send(from, to, number, bytes), "sender");
  }
  /// Bytes on the wire that `from` has sent, message headers not counted.
  std::vector<std::int64_t> on_wire(hal::NodeId from) const {
    std::vector<std::int64_t> all;
    for (const auto& s : machine.sent)
      if (s.message.source == from) all.push_back(std::int64_t{s.message.bytes} + s.message.more_on_wire);
    return all;
  }

  FakeMachine machine;
  test::Endpoints endpoints;
  messages::Kind<Header> kind{endpoints.protocol.numbers, "kind"};
  std::vector<Arrival> arrivals;
};

}  // namespace

TEST_CASE("a long message goes as segments, and arrives with the last of them") {
  Rig rig(2, small_segments());
  rig.spawn(0, 1, 5, 2500);
  rig.machine.timeline.run();
  CHECK(rig.on_wire(0) == std::vector<std::int64_t>{1000, 1000, 500});
  REQUIRE(rig.arrivals.size() == 1);
  CHECK(rig.arrivals[0].bytes == 2500);
  CHECK(rig.arrivals[0].right);
  CHECK(rig.machine.unreleased() == 0);
}

TEST_CASE("a message through sockets costs what the table says, at both ends") {
  // 2500 bytes, three segments. The sender: write 100, then per segment 10 and 1 a byte: the segments leave at 1110,
  // 2120 and 2630 ns. They arrive a microsecond later. The receiver pays 20 and 2 a byte for each, 300 to read the
  // first, which takes the others along, and 40 for an acknowledgement after the second. At 2110 it starts: 2320 to
  // 4430. The second, there at 3120, ends at 4430 + 2020 + 40 = 6490, the third at 6490 + 1020 = 7510.
  SocketParams params = small_segments();
  params.socket_write = Cycles{100};
  params.segment_send = Cycles{10};
  params.send_per_byte = Cycles{1};
  params.segment_receive = Cycles{20};
  params.receive_per_byte = Cycles{2};
  params.socket_read = Cycles{300};
  params.acknowledgement = Cycles{40};
  Rig rig(2, params);
  rig.spawn(0, 1, 1, 2500);
  rig.machine.timeline.run();
  std::vector<Time> left;
  for (const auto& s : rig.machine.sent)
    if (s.message.source == 0) left.push_back(s.when);
  CHECK(left == std::vector<Time>{at_ns(1110), at_ns(2120), at_ns(2630)});
  REQUIRE(rig.arrivals.size() == 1);
  CHECK(rig.arrivals[0].when == at_ns(7510));
}

TEST_CASE("select() looks at every open socket before a message is read") {
  SocketParams params = small_segments();
  params.socket_read = Cycles{100};
  params.select_per_socket = Cycles{10};
  Rig rig(4, params);
  for (const hal::NodeId from : {1u, 3u, 1u}) {  // 110, 120 and 120 cycles, a microsecond after the message left
    rig.spawn(from, 0, from, 8);
    rig.machine.timeline.run();
  }
  REQUIRE(rig.arrivals.size() == 3);
  REQUIRE(rig.machine.sent.size() >= 3);
  std::vector<Duration> reading;
  for (std::size_t i = 0; i < 3; ++i)
    reading.push_back(rig.arrivals[i].when - rig.machine.sent[i].when - rig.machine.latency);
  using std::chrono::nanoseconds;
  CHECK(reading == std::vector<Duration>{nanoseconds{110}, nanoseconds{120}, nanoseconds{120}});
}

TEST_CASE("a receiver reads at one go what one message brings, and anew when another comes in between") {
  SocketParams params = small_segments();
  params.window = {100'000};
  params.socket_read = Cycles{1000};
  params.segment_send = Cycles{100};
  const auto reads = [&](bool two) {
    Rig rig(3, params);
    rig.spawn(0, 2, 1, 4000);
    if (two) rig.spawn(1, 2, 2, 4000);
    rig.machine.timeline.run();
    StatisticSet set;
    rig.endpoints.os(2).add_statistics(set);
    double count = 0;
    set.for_each([&](const Statistic& s) {
      if (s.name == "node2.count.interrupt.socket_read") count = s.value();
    });
    return count;
  };
  CHECK(reads(false) == 1);
  CHECK(reads(true) == 8);  // the segments of two senders alternate
}

TEST_CASE("no more bytes are on their way to a node than its window holds") {
  // Four segments of 1000 bytes fill the window of 4000, so the fifth waits for the acknowledgement of the first two:
  // they arrive after 1 us, the acknowledgement after another. Headers of segments do not count.
  Rig rig(2, small_segments());
  rig.spawn(0, 1, 1, 6000);
  rig.machine.timeline.run();
  std::vector<Time> left;
  for (const auto& s : rig.machine.sent)
    if (s.message.source == 0) left.push_back(s.when);
  const Time first{}, later{2_us};
  CHECK(left == std::vector<Time>{first, first, first, first, later, later});
  CHECK(rig.arrivals.size() == 1);
}

TEST_CASE("messages take connections in turn: each has its window, and the cores share what they bring") {
  // A byte costs its receiver 1 ns, a read 100 ns. Two messages of two segments are there after 1 us. On one connection
  // a core receives them, one after the other; on two connections of node 1, which its second and third core receive.
  SocketParams params = small_segments();
  params.window = {2000};
  params.receive_per_byte = Cycles{1};
  params.socket_read = Cycles{100};
  const auto ends = [&](std::uint32_t connections) {
    params.connections = connections;
    Rig rig(2, params, {}, 3);
    rig.spawn(1, 0, 1, 2000);
    rig.spawn(1, 0, 2, 2000);
    rig.machine.timeline.run();
    std::vector<Time> all;
    for (const auto& a : rig.arrivals) all.push_back(a.when);
    return all;
  };
  CHECK(ends(2) == std::vector<Time>{at_ns(3100), at_ns(3100)});
  // Half a window is acknowledged: at 2100 ns, so the third segment leaves at 3100 and is handled from 4100 to 5200,
  // with a read. The fourth, acknowledged at 3100, is there at 5100 and ends at 6200.
  CHECK(ends(1) == std::vector<Time>{at_ns(3100), at_ns(6200)});
}

TEST_CASE("a receiver acknowledges every third segment") {
  SocketParams params = small_segments();
  params.window = {100'000};
  params.acknowledge_every = 3;
  Rig rig(2, params);
  rig.spawn(0, 1, 1, 7000);
  rig.machine.timeline.run();
  // Of seven segments the third and the sixth are acknowledged.
  std::vector<std::uint32_t> acknowledged;
  for (const auto& s : rig.machine.sent)
    if (s.message.source == 1) acknowledged.push_back(s.message.acknowledged);
  CHECK(acknowledged == std::vector<std::uint32_t>{3000, 3000});
}

TEST_CASE("a message of the receiver's own carries the acknowledgement along") {
  Rig rig(2, small_segments());
  rig.endpoints.os(0).spawn(rig.send(0, 1, 1, 500), "sender");
  rig.machine.timeline.run();
  rig.endpoints.os(1).spawn(rig.send(1, 0, 2, 500), "sender");
  rig.machine.timeline.run();
  REQUIRE(rig.machine.sent.size() == 2);  // no acknowledgement went alone
  CHECK(rig.machine.sent[1].message.acknowledged == 500);
}

TEST_CASE("messages of nodes to each other at the same time arrive whole, with the smallest windows") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, "traffic");
    SocketParams params = small_segments();
    params.segment = {64 + random.below(900)};
    params.window = {2 * params.segment.count + random.below(3000)};
    params.acknowledge_every = 1 + static_cast<std::uint32_t>(random.below(5));
    params.segment_send = Cycles{static_cast<double>(random.below(400))};
    params.segment_receive = Cycles{static_cast<double>(random.below(400))};
    params.socket_write = Cycles{static_cast<double>(random.below(900))};
    Rig rig(3, params);
    const std::uint32_t messages = 40;
    for (std::uint32_t m = 0; m < messages; ++m)
      rig.spawn(static_cast<hal::NodeId>(random.below(3)), static_cast<hal::NodeId>(random.below(3)), m,
                static_cast<std::uint32_t>(random.below(6000)));
    rig.machine.timeline.run();
    INFO("seed " << seed);
    CHECK(rig.arrivals.size() == messages);
    for (const auto& a : rig.arrivals) CHECK(a.right);
    CHECK(rig.machine.unreleased() == 0);
  }
}

namespace {

/// A receiver that needs 10 us for a segment.
SocketParams slow_receiver() {
  SocketParams params = small_segments();
  params.window = {100'000};
  params.segment_receive = Cycles{10'000};
  return params;
}
/// Messages can be lost. A node has room for so many segments.
Acknowledged room_for(std::uint64_t segments) {
  Acknowledged params;
  params.receive_pool = {segments * 1048};
  return params;
}

}  // namespace

TEST_CASE("a segment that finds no room in the receive pool is sent again after the timeout") {
  // All three leave at 0 and arrive at 1 us; the third finds two there. The sender is told of both at 21 us, and hears
  // it at 22 us. At the first tick of 10 ms that is 200 ms later, it sends the third again, which is served 11 us
  // later.
  Rig rig(2, slow_receiver(), room_for(2));
  rig.spawn(0, 1, 1, 3000);
  rig.machine.timeline.run();
  REQUIRE(rig.arrivals.size() == 1);
  CHECK(rig.arrivals[0].right);
  CHECK(rig.arrivals[0].when == at_ns(210'011'000));
  CHECK(rig.on_wire(0) == std::vector<std::int64_t>{1000, 1000, 1000, 1000});
  CHECK(rig.machine.unreleased() == 0);
}

TEST_CASE("what comes behind a lost segment waits for it") {
  Rig rig(2, slow_receiver(), Acknowledged{});
  int segments = 0;
  rig.machine.copies = [&](const hal::Message& m) { return m.source == 0 && ++segments == 1 ? 0 : 1; };
  rig.spawn(0, 1, 1, 500);
  rig.spawn(0, 1, 2, 500);
  rig.machine.timeline.run();
  REQUIRE(rig.arrivals.size() == 2);
  CHECK(rig.arrivals[0].number == 1);
  CHECK(rig.arrivals[1].number == 2);
  CHECK(rig.arrivals[1].when > at_ns(200'000'000));
}

TEST_CASE("the third acknowledgement in a row that says nothing new brings a lost segment back at once") {
  Rig rig(2, slow_receiver(), Acknowledged{});
  int segments = 0;
  rig.machine.copies = [&](const hal::Message& m) { return m.source == 0 && ++segments == 1 ? 0 : 1; };
  rig.spawn(0, 1, 1, 4000);  // three segments follow the lost one
  rig.machine.timeline.run(at_ns(1'000'000));
  REQUIRE(rig.arrivals.size() == 1);
  CHECK(rig.arrivals[0].right);
}

TEST_CASE("a sender's second window halves when segments are lost, and grows again") {
  // Of ten segments the first is lost. The three acknowledgements that say nothing new come when ten are on their way:
  // from then on five may be, and six when all ten have been acknowledged.
  SocketParams params = slow_receiver();
  params.window = {10'000};
  Rig rig(2, params, Acknowledged{});
  int segments = 0;
  rig.machine.copies = [&](const hal::Message& m) { return m.source == 0 && ++segments == 1 ? 0 : 1; };
  rig.spawn(0, 1, 1, 30'000);
  rig.machine.timeline.run();
  REQUIRE(rig.arrivals.size() == 1);
  std::vector<Time> left;
  for (const auto& s : rig.machine.sent)
    if (s.message.source == 0) left.push_back(s.when);
  REQUIRE(left.size() == 31);
  // Ten at once, the lost one, and the next when it has been acknowledged with those behind it.
  CHECK(left[9] == Time{});
  CHECK(left[10] > left[9]);
  CHECK(std::count(left.begin(), left.end(), left[11]) == 6);
}

TEST_CASE("messages arrive once and whole, with small pools on a network that loses segments") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "losses");
    SocketParams params = small_segments();
    params.segment = {64 + random.below(900)};
    params.window = {2 * params.segment.count + random.below(3000)};
    params.segment_receive = Cycles{static_cast<double>(random.below(4000))};
    Acknowledged delivery;
    delivery.receive_pool = {2 * params.segment.count + random.below(3000)};
    delivery.resends = 100;
    Rig rig(3, params, delivery);
    const std::uint64_t lost = random.below(20);  // percent
    rig.machine.copies = [&](const hal::Message&) { return random.below(100) < lost ? 0 : 1; };
    const std::uint32_t messages = 30;
    for (std::uint32_t m = 0; m < messages; ++m)
      rig.spawn(static_cast<hal::NodeId>(random.below(3)), static_cast<hal::NodeId>(random.below(3)), m,
                static_cast<std::uint32_t>(random.below(6000)));
    rig.machine.timeline.run();
    INFO("seed " << seed);
    CHECK(rig.arrivals.size() == messages);
    for (const auto& a : rig.arrivals) CHECK(a.right);
    CHECK(rig.machine.unreleased() == 0);
  }
}

TEST_CASE("a window must hold two segments") {
  SocketParams params;
  params.segment = 16_KiB;
  params.window = 31_KiB;
  Problems problems;
  check(params, "machine.sockets", problems);
  CHECK_THROWS_WITH(problems.throw_if_any(),
                    Catch::Matchers::ContainsSubstring(
                        "machine.sockets.window is 31744 bytes; it must hold two segments, 32768 bytes"));
}
