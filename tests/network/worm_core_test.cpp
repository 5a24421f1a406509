// SPDX-License-Identifier: MIT
#include "models/network/cube/cube_worms.h"

#include <map>

#include "models/core/random.h"
#include "models/network/cube/flit_core.h"
#include "models/network/input_room.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::Cube;
using network::CubeWorms;
using network::FlitCore;
using network::InputRoom;
using network::WormCore;

namespace {
// 20 ns a router, 5 ns a byte, and buffers of 16 bytes: 80 ns.
CubeWorms core_of(std::vector<std::uint32_t> shape) { return CubeWorms(Cube(std::move(shape)), {20_ns, 200_MBps, 16}); }

/// Lets worms go on and arrive when they are due, as the network does.
struct Runner {
  CubeWorms& core;
  std::map<WormCore::Ticket, std::size_t> under_way{};
  std::vector<Time> arrived{};  // by number, in order of sending; the present estimate until then

  std::size_t send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time when, std::uint64_t random = 0) {
    run(when);
    const auto passage = core.inject(from, to, bytes, when, random);
    under_way[passage.ticket] = arrived.size();
    arrived.push_back(passage.tail);
    return arrived.size() - 1;
  }
  // Everything that happens until then.
  void run(Time until = Time::max() - 1_ps) {
    for (;;) {
      auto first = under_way.end();
      for (auto i = under_way.begin(); i != under_way.end(); ++i)
        if (first == under_way.end() || arrived[i->second] < arrived[first->second]) first = i;
      const Time arrival = first == under_way.end() ? Time::max() : arrived[first->second];
      if (std::min(arrival, core.next()) > until) return;
      if (core.next() <= arrival) {
        if (const auto passage = core.proceed()) arrived[under_way.at(passage->ticket)] = passage->tail;
      } else if (const Duration more = core.late(first->first); more > 0_ns) {
        arrived[first->second] += more;
      } else {
        under_way.erase(first);
      }
    }
  }
  // Until the next to leave its node may enter.
  Time free(std::uint32_t from, Time when) {
    run(when);
    while (core.free_at(core.cube().injection(from)) == Time::max()) run(core.next());
    return std::max(when, core.free_at(core.cube().injection(from)));
  }
};

struct Sent {
  std::uint32_t from, to;
  std::int64_t cycle;  // of 5 ns
};

/// When messages that are sent in this order have arrived, in a 6x6 torus of default routers.
std::vector<Time> by_flits(const std::vector<Sent>& sent, std::uint32_t bytes) {
  FlitCore core(Cube({6, 6}), network::RouterParams{});
  std::vector<Time> arrived(sent.size());
  std::size_t next = 0;
  for (std::size_t left = sent.size(); left > 0;) {
    for (; next < sent.size() && static_cast<std::int64_t>(core.now()) == sent[next].cycle; ++next) {
      FlitCore::Packet packet;
      packet.from = sent[next].from;
      packet.to = sent[next].to;
      packet.flits = bytes;
      packet.tag = next;
      core.send(packet);
    }
    core.step();
    for (const auto& arrival : core.arrivals()) {
      arrived[arrival.tag] = Time{static_cast<std::int64_t>(core.now() - 1) * 5_ns};
      --left;
    }
  }
  return arrived;
}

std::vector<Time> by_worms(CubeWorms& core, const std::vector<Sent>& sent, std::uint32_t bytes) {
  Runner runner{core};
  for (const Sent& s : sent) runner.send(s.from, s.to, bytes, Time{s.cycle * 5_ns});
  runner.run();
  return runner.arrived;
}
}  // namespace

TEST_CASE(
    "without contention, a message takes (H+1) x 20 ns plus bytes / (200e6 bytes/s), for all pairs of a 6x6 torus") {
  CubeWorms core = core_of({6, 6});
  Time when{};
  for (std::uint64_t bytes : {1, 40, 8224})
    for (std::uint32_t from = 0; from < 36; ++from)
      for (std::uint32_t to = 0; to < 36; ++to)
        for (std::uint32_t tie : {0u, 3u}) {
          when += 1_ms;
          const auto passage = core.inject(from, to, bytes, when, tie);
          const std::uint32_t hops = core.cube().distance(from, to);
          REQUIRE(passage.hops == hops);
          REQUIRE(passage.head == when + (hops + 1) * 20_ns);
          REQUIRE(passage.tail == when + (hops + 1) * 20_ns + static_cast<std::int64_t>(bytes) * 5_ns);
        }
}

TEST_CASE("two messages to one node arrive one after the other") {
  // From (1,0) and (0,1) to (0,0), 200 bytes or 1000 ns each. The first has passed the ejection channel at 2 x 20 +
  // 1000 ns; the second, ready for it at 40 ns, needs it for 1000 ns more.
  CubeWorms core = core_of({6, 6});
  // They come in by different ports and share the channel to the node byte by byte from the beginning, so the first is
  // late by as much.
  const auto first = core.inject(1, 0, 200, Time{});
  CHECK(first.tail == Time{1040_ns});
  const auto second = core.inject(6, 0, 200, Time{});
  CHECK(second.head == Time{40_ns});
  CHECK(second.tail == Time{2040_ns});
  CHECK(core.late(first.ticket) == 1000_ns);
  CHECK(core.late(first.ticket) == 0_ns);
  CHECK(core.late(second.ticket) == 0_ns);
  CHECK(core.busy(core.cube().ejection(0)) == 2_us);
}

TEST_CASE("a blocked worm holds the channels behind it, except for what the buffers on the way absorb") {
  // As above, the second worm, from (0,1), has left the ejection channel at 2040 ns. The last byte leaves the link
  // before it one router and one full buffer earlier, at 2040 - 20 - 80 = 1940 ns, and the injection channel at 1840
  // ns. So a third message, from (0,1) to its neighbour (1,1), enters at 1840 ns, not at 1000 ns: 1840 + 2 x 20 + 1000.
  CubeWorms core = core_of({6, 6});
  core.inject(1, 0, 200, Time{});
  core.inject(6, 0, 200, Time{});
  CHECK(core.inject(6, 7, 200, Time{}).tail == Time{2880_ns});
}

TEST_CASE("a worm that has waited needs the links behind its head for what the buffer did not hold") {
  // A ring of 8, upwards, 200 bytes each. 2 to 3 is taken until 1020 ns by a message from 2 to 4, for which one from 1
  // to 4 waits. Of that, 16 bytes are in the buffer; the other 184 cross 1 to 2 from 1020 to 1940 ns. There the one
  // from 0 to 2 has waited for it: 1940 + 20 + 1000.
  CubeWorms core = core_of({8});
  Runner runner{core};
  runner.send(2, 4, 200, Time{});
  const std::size_t second = runner.send(1, 4, 200, Time{});
  const std::size_t third = runner.send(0, 2, 200, Time{100_ns});
  runner.run();
  CHECK(runner.arrived[second] == Time{1020_ns + 40_ns + 1000_ns});
  CHECK(runner.arrived[third] == Time{1940_ns + 20_ns + 1000_ns});
}

TEST_CASE("a short worm passes a long one in the other virtual channel") {
  // 2000 bytes from (1,0) to (0,0), 10 us; 10 bytes, 50 ns, from (0,1) come to the ejection channel at 1040 ns. They
  // take turns, so the short one needs 100 ns there, and the long one is late by the 50 ns it gave away.
  CubeWorms core = core_of({6, 6});
  const auto first = core.inject(1, 0, 2000, Time{});
  const auto second = core.inject(6, 0, 10, Time{1_us});
  CHECK(second.tail == Time{1040_ns + 100_ns});
  CHECK(core.late(first.ticket) == 50_ns);
  // One that comes in by the port of the long one, in its virtual channel, waits behind it; and 5 ns, were there a
  // turnaround.
  CHECK(core.inject(1, 0, 10, Time{10_us}).tail > Time{10_us + 40_ns + 50_ns});
}

TEST_CASE("messages of two classes share the links of a ring, messages of one class do not") {
  // A ring of 8, upwards, 200 bytes each. From 7 to 2 wraps and has class 1, on the link from 0 to 1 from 40 to 1040
  // ns; from 0 to 3 class 0, there at 40 ns when it is sent at 20 ns: in turns from the beginning, so both end late by
  // a whole message.
  CubeWorms core(Cube({8}), {20_ns, 200_MBps, 16});
  const auto first = core.inject(7, 2, 200, Time{});
  CHECK(core.inject(0, 3, 200, Time{20_ns}).tail == Time{20_ns + 80_ns + 1000_ns + 1000_ns});
  CHECK(core.late(first.ticket) == 1000_ns);
  // Downwards from 3 and from 2 to 0 by the dateline's rule: both class 0, so the second waits and the first is not
  // held up.
  CubeWorms alike(Cube({8}), {20_ns, 200_MBps, 16}, network::vc_class_rule("dateline"));
  const auto ahead = alike.inject(3, 0, 200, Time{});
  CHECK(alike.inject(2, 0, 200, Time{20_ns}).tail == WormCore::waits_on_the_way);
  // The first's tail is out of the link from 2 at 40 + 1000 ns.
  CHECK(alike.next() == Time{1040_ns});
  CHECK(alike.proceed()->tail == Time{1040_ns + 40_ns + 1000_ns});
  CHECK(alike.late(ahead.ticket) == 0_ns);
}

TEST_CASE("a waiting worm holds no link that it has not reached") {
  // In a ring of 8, 2 to 3 is taken until 20 + 1000 ns by a message of 2, and 1 to 4 waits for it. From 3 to 4 is free
  // all the time.
  CubeWorms core = core_of({8});
  core.inject(2, 3, 200, Time{});
  CHECK(core.inject(1, 4, 200, Time{}).tail == WormCore::waits_on_the_way);
  CHECK(core.inject(3, 4, 200, Time{}).tail == Time{40_ns + 1000_ns});
  // It goes on at 1020 ns, comes to the link from 3 at 1040 ns, which is free since 1020 ns, and to its node at 1060
  // ns.
  CHECK(core.next() == Time{1020_ns});
  CHECK(core.proceed()->tail == Time{1060_ns + 1000_ns});
}

TEST_CASE("worms that wait for the same link proceed round-robin, as in the flit model") {
  // To (1,1) through the link from (1,0), 1000 ns each: one from there at once, whose tail leaves it at 20 + 1000 ns.
  // Those from (5,0), (2,0) and (0,0) come to it at 60, 50 and 55 ns. The first came from the node, the last input;
  // behind it the turn is that of what comes up dimension 0 in class 0, from (0,0), then in class 1, from (5,0) round
  // the ring, then down, from (2,0): at 1020, 2020 and 3020 ns.
  const std::vector<Sent> sent = {{1, 7, 0}, {5, 7, 0}, {2, 7, 2}, {0, 7, 3}};
  CubeWorms core = core_of({6, 6});
  CHECK(by_worms(core, sent, 200) ==
        std::vector<Time>{Time{1040_ns}, Time{2020_ns + 1020_ns}, Time{3020_ns + 1020_ns}, Time{1020_ns + 1020_ns}});
  const auto flits = by_flits(sent, 200);
  CHECK(flits[0] < flits[3]);
  CHECK(flits[3] < flits[1]);
  CHECK(flits[1] < flits[2]);
}

TEST_CASE("worms that wait for the same node proceed round-robin, as in the flit model") {
  // To (1,1), 1000 ns each, from all four sides and from itself: two at a time share the channel to the node, and whose
  // turn it is has the next.
  const std::vector<Sent> sent = {{7, 7, 0}, {1, 7, 1}, {13, 7, 2}, {8, 7, 3}, {6, 7, 4}};
  CubeWorms core(Cube({6, 6}), {20_ns, 200_MBps, 16, 5_ns});
  const auto worms = by_worms(core, sent, 200), flits = by_flits(sent, 200);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    INFO("from " << sent[i].from << ": " << worms[i].time_since_epoch().count() << " and by flits "
                 << flits[i].time_since_epoch().count() << " ps");
    CHECK(std::chrono::abs(worms[i] - flits[i]) <= 100_ns);
  }
}

TEST_CASE("a waiting worm leaves the wires behind it to others") {
  // 2000 bytes from (1,0) to (1,1), 10 us, and one of (0,0) that waits for them at (1,0), its body in class 0 of the
  // link from (0,0), with a buffer of 80 ns there passed. One from (5,0) to (1,0) comes by that link in class 1, at
  // 1040 ns, as if alone.
  CubeWorms core = core_of({6, 6});
  core.inject(1, 7, 2000, Time{});
  const auto waits = core.inject(0, 7, 200, Time{});
  CHECK(waits.tail == WormCore::waits_on_the_way);
  CHECK(core.free_at(core.cube().injection(0)) == Time::max());
  CHECK(core.inject(5, 1, 200, Time{1_us}).tail == Time{1_us + 60_ns + 1000_ns});
  // When it goes on, at 20 + 10,000 ns, all is free.
  CHECK(core.next() == Time{10020_ns});
  CHECK(core.proceed()->tail == Time{10040_ns + 1000_ns});
  // The last of its bytes has left its node when all but two buffers of them have passed the link: 10,020 + 1000 - 2 x
  // 80 ns.
  CHECK(core.free_at(core.cube().injection(0)) == Time{10860_ns});
  CHECK(core.late(waits.ticket) == 0_ns);
}

TEST_CASE("a worm that fits into the buffers while it waits has left its node") {
  // As above, but the one that waits has 20 bytes, 100 ns: two buffers, of (0,0) and (1,0), hold it, so it left its
  // node at 100 ns.
  CubeWorms core = core_of({6, 6});
  core.inject(1, 7, 2000, Time{});
  CHECK(core.inject(0, 7, 20, Time{}).tail == WormCore::waits_on_the_way);
  CHECK(core.free_at(core.cube().injection(0)) == Time{100_ns});
}

TEST_CASE("a worm waits longer for another that has to share a wire") {
  // From (1,0) and (0,1) to (1,1), 1000 ns each, in turns: both end at 2040 ns. One of (2,0) waits for the link from
  // (1,0), which the first leaves 1000 ns later than it was to: at 2020 ns.
  CubeWorms core = core_of({6, 6});
  Runner runner{core};
  runner.send(1, 7, 200, Time{});
  runner.send(2, 7, 200, Time{});
  runner.send(6, 7, 200, Time{});
  runner.run();
  CHECK(runner.arrived == std::vector<Time>{Time{2040_ns}, Time{2020_ns + 20_ns + 1000_ns}, Time{2040_ns}});
}

TEST_CASE("in a mesh a worm takes the virtual channel that is free first") {
  // Four in a row send 200 bytes through the link from 3 to 4 of a row of 6. Its two virtual channels are for all, so
  // the second goes beside the first, and the third waits for the first.
  CubeWorms core(Cube({6, 2}, network::Topology::mesh), {20_ns, 200_MBps, 16});
  Runner runner{core};
  runner.send(3, 4, 200, Time{});
  runner.send(2, 5, 200, Time{});
  runner.send(1, 4, 200, Time{});
  runner.send(0, 5, 200, Time{});
  CHECK(core.next() < Time::max());
  runner.run();
  CHECK(runner.under_way.empty());
  CHECK(*std::ranges::max_element(runner.arrived) < Time{5_us});
}

TEST_CASE("sixteen nodes that write to four at once are served in the flit model's order") {
  // What 16 compute processors of a 6x6 torus send to four I/O processors, 8 KiB each, at the times at which they did
  // in a run, in cycles of 5 ns: heads meet on the links before the nodes as much as there. Every message, 41.12 us on
  // a link, arrives within 2.5 us of when it does by flits.
  const std::vector<Sent> sent = {{0, 16, 1},    {2, 18, 53},   {1, 17, 68},  {4, 16, 148},
                                  {5, 17, 165},  {3, 19, 266},  {7, 19, 348}, {10, 18, 416},
                                  {12, 16, 493}, {13, 17, 509}, {9, 17, 510}, {6, 18, 593},
                                  {15, 19, 597}, {11, 19, 651}, {8, 16, 665}, {14, 18, 910}};
  constexpr std::uint32_t bytes = 8224;
  CubeWorms core(Cube({6, 6}), {20_ns, 200_MBps, 16, 5_ns});
  const auto worms = by_worms(core, sent, bytes), flits = by_flits(sent, bytes);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    INFO("from " << sent[i].from << " to " << sent[i].to << ": " << worms[i].time_since_epoch().count()
                 << " and by flits " << flits[i].time_since_epoch().count() << " ps");
    CHECK(std::chrono::abs(worms[i] - flits[i]) < 2500_ns);
  }
}

TEST_CASE("a worm that fits into the time before a reservation goes first") {
  // In a ring of 8 a worm of 0 is to be on the link from 2 to 3 at 60 ns and at its node at 80 ns; one of 2, 4 bytes or
  // 20 ns, is there from 20 to 40 ns, and at the node from 40 to 60 ns: as if alone.
  CubeWorms core = core_of({8});
  core.inject(0, 3, 200, Time{});
  CHECK(core.inject(2, 3, 4, Time{}).tail == Time{40_ns + 20_ns});
}

TEST_CASE("a worm that goes into the time before a reservation leaves the channels behind it when the buffers let it") {
  // 100 ns a router, buffers of 40 ns. The link from 4 to 5 has a worm of 200 ns from 200 to 400 ns, and one from 700
  // ns on. A third is there at 300 ns, goes in between, from 400 to 600 ns, and has left its node one buffer earlier.
  CubeWorms core(Cube({12}), {100_ns, 200_MBps, 8});
  core.inject(3, 5, 40, Time{});
  core.inject(0, 5, 40, Time{200_ns});
  CHECK(core.inject(4, 6, 40, Time{200_ns}).tail == Time{400_ns + 2 * 100_ns + 200_ns});
  CHECK(core.free_at(core.cube().injection(4)) == Time{600_ns - 100_ns - 40_ns});
}

TEST_CASE("messages of one node leave it one after the other") {
  // To different neighbours: the injection channel is free after 1000 ns.
  CubeWorms core = core_of({6, 6});
  core.inject(0, 1, 200, Time{});
  CHECK(core.inject(0, 6, 200, Time{}).tail == Time{1000_ns + 40_ns + 1000_ns});
}

TEST_CASE("messages on different paths do not disturb each other") {
  CubeWorms core = core_of({6, 6});
  CHECK(core.inject(0, 1, 200, Time{}).tail == Time{1040_ns});
  CHECK(core.inject(1, 0, 200, Time{}).tail == Time{1040_ns});
  CHECK(core.inject(14, 15, 200, Time{}).tail == Time{1040_ns});
}

TEST_CASE("a message to its own node passes one router") {
  CHECK(core_of({6, 6}).inject(5, 5, 200, Time{}).tail == Time{1020_ns});
}

TEST_CASE("no channel is ever given more time than passes, under any load") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "worms");
    CubeWorms core = core_of({4, 3});
    Runner runner{core};
    Time when{};
    std::vector<Time> earliest;
    for (int i = 0; i < 2000; ++i) {
      const auto from = static_cast<std::uint32_t>(random.below(12)), to = static_cast<std::uint32_t>(random.below(12));
      const std::uint64_t bytes = 1 + random.below(300);
      when = runner.free(from, when + Duration{static_cast<std::int64_t>(random.below(300'000))});
      runner.send(from, to, bytes, when, static_cast<std::uint32_t>(random.next()));
      earliest.push_back(when + core.zero_load(core.cube().distance(from, to), bytes));
    }
    runner.run();
    REQUIRE(runner.under_way.empty());
    for (std::size_t i = 0; i < earliest.size(); ++i) CHECK(runner.arrived[i] >= earliest[i]);
    const Time last = *std::ranges::max_element(runner.arrived);
    for (std::uint32_t c = 0; c < core.cube().channels(); ++c) CHECK(core.busy(c) <= last - Time{});
  }
}

TEST_CASE("an input FIFO has room again when a message that was taken out has left") {
  InputRoom room(2);
  CHECK(room.take(Time{}));
  CHECK(room.take(Time{}));
  CHECK_FALSE(room.take(Time{1_ms}));
  CHECK(room.next_free() == Time::max());
  room.give_back(Time{2_ms});
  CHECK(room.next_free() == Time{2_ms});
  CHECK_FALSE(room.take(Time{2_ms - 1_ps}));
  CHECK(room.take(Time{2_ms}));
  CHECK_FALSE(room.take(Time{2_ms}));
}

TEST_CASE("places given back slightly out of order become free in the order of the calls") {
  InputRoom room(2);
  room.take(Time{});
  room.take(Time{});
  room.give_back(Time{2_us});
  room.give_back(Time{1_us});
  CHECK_FALSE(room.take(Time{1_us}));
  CHECK(room.take(Time{2_us}));
  CHECK(room.take(Time{2_us}));
}

TEST_CASE("worms take the route of the cube, also where the path is known or shares its place with another", "[worm]") {
  // 6 x 6 x 4 x 4: 331,776 pairs of routers with 16 ways out of ties each, far more than the paths that are kept.
  CubeWorms core = core_of({6, 6, 4, 4});
  const Cube& cube = core.cube();
  for (std::uint32_t turn = 0; turn < 2; ++turn)
    for (std::uint32_t from = 0; from < cube.routers(); from += 83)
      for (std::uint32_t to = 0; to < cube.routers(); to += 5)
        for (std::uint32_t up : {0u, 5u, 15u}) {
          std::vector<std::uint32_t> channels, taken;
          cube.route(from, to, {up}, [&](std::uint32_t channel) { channels.push_back(channel); });
          for (const auto& hop : core.path(from, to, up)) taken.push_back(hop.channel);
          REQUIRE(taken == channels);
        }
}
