// SPDX-License-Identifier: MIT
#include "models/network/cube/flit_core.h"

#include "tests/support/catch.h"
#include "tests/support/flits.h"

using namespace sunstar;
using network::Cube;
using network::FlitCore;
using network::RouterParams;
using network::Topology;
using test::FlitRig;
using test::router;

namespace {

/// The pipelines of docs/validation.md: routing + VC allocation + switch allocation + traversal, link.
RouterParams pipeline(const std::string& name) {
  RouterParams p;
  p.buffer_flits = 8;
  if (name == "d5" || name == "d6") p.routing_delay = 1;
  if (name == "d6") p.link_delay = 2;
  if (name == "s3") p.speculative = true;
  return p;
}

FlitRig::Cycle alone(const RouterParams& params, std::uint32_t from, std::uint32_t to, std::uint32_t flits) {
  FlitRig rig(Cube({6, 6}), params);
  rig.send(from, to, flits);
  rig.run();
  REQUIRE(rig.packets[0].arrived != FlitCore::never);
  REQUIRE(rig.packets[0].hops == rig.core.cube().distance(from, to));
  REQUIRE(consistent(rig.core));
  return rig.packets[0].arrived - rig.packets[0].created;
}

}  // namespace

TEST_CASE("a flit goes through one router in 5 cycles") {
  // Leaves its node in cycle 0, is in the router's buffer in 1, has a virtual channel at the end of 1 and the switch at
  // the end of 2, crosses it in 3, the channel to its node in 4, and is there in 5.
  CHECK(alone(router(8), 0, 0, 1) == 5);
}

TEST_CASE("without contention, latency agrees with the closed forms for all pairs of a 6x6 torus") {
  // Cycles per hop 4, 5, 6 and 3; one cycle is left out at the node's side, see FlitCore::zero_load().
  const auto [name, per_hop, at_zero] = GENERATE(
      table<const char*, std::uint64_t, std::uint64_t>({{"m4", 4, 6}, {"d5", 5, 7}, {"d6", 6, 7}, {"s3", 3, 5}}));
  INFO(name);
  const RouterParams params = pipeline(name);
  for (const std::uint32_t flits : {1u, 8u, 32u})
    for (std::uint32_t from : {0u, 7u, 35u})
      for (std::uint32_t to = 0; to < 36; ++to) {
        const std::uint64_t hops = Cube({6, 6}).distance(from, to);
        REQUIRE(alone(params, from, to, flits) + 1 == at_zero + per_hop * hops + flits - 1);
      }
}

TEST_CASE("buffers shorter than a credit's round trip stop a packet now and then") {
  // A credit is back 5 cycles after its flit got the switch; with B places every B flits wait 5 - B cycles: 31 flits
  // behind the head of 32 make 31 / B such waits. Two links: 13 + 32 - 1 cycles and, from the register of the sources,
  // none here.
  for (const std::uint32_t buffer : {1u, 2u, 3u, 4u, 5u, 8u}) {
    INFO("buffer of " << buffer);
    const std::uint64_t waits = buffer < 5 ? 31 / buffer * (5 - buffer) : 0;
    CHECK(alone(router(buffer), 0, 2, 32) == 3 * 4 + 32 + waits);
  }
}

TEST_CASE("a packet takes the time of the model's own closed form, in other shapes and with other delays") {
  for (const Topology topology : {Topology::torus, Topology::mesh})
    for (const std::uint32_t delay : {1u, 2u, 3u})
      for (const std::uint32_t flit_cycles : {1u, 4u}) {
        RouterParams params = router(6, 3, "dateline");
        params.routing_delay = delay - 1;
        params.vc_allocation_delay = delay;
        params.traversal_delay = delay;
        params.link_delay = delay;
        const Cube cube({3, 4, 2}, topology);
        for (std::uint32_t to = 0; to < cube.routers(); ++to) {
          FlitRig rig(cube, params, flit_cycles);
          rig.send(5, to, 7);
          rig.run();
          FlitCore::Packet packet;
          packet.flits = 7;
          packet.last_flit_cycles = flit_cycles;
          REQUIRE(rig.packets[0].hops == cube.distance(5, to));
          REQUIRE(rig.packets[0].arrived == rig.core.zero_load(cube.distance(5, to), packet));
        }
      }
}

TEST_CASE("a one-flit packet right behind a tail arrives, one cycle later if in the same virtual channel") {
  // On a mesh with one virtual channel: 8 flits from 0 to 2, then one. The first is there after 3 x 4 + 8 cycles; the
  // second leaves the node in cycle 8 and would be there in 8 + 13, but waits a cycle in every router for the virtual
  // channel that the tail has left: the waits are the same cycle, handed on.
  FlitRig rig(Cube({4}, Topology::mesh), router(8, 1, "none"));
  rig.send(0, 2, 8);
  rig.send(0, 2, 1);
  rig.run();
  CHECK(rig.packets[0].arrived == 20);
  CHECK(rig.packets[1].arrived == 22);
}

TEST_CASE("two virtual channels share a channel flit by flit") {
  // From (1,0) and from (0,1) to (0,0), 8 flits each, one link away: they come in by different ports in the same cycles
  // and leave to the node in turn. Alone each would have arrived at 2 x 4 + 8 = 16; both end by 24, one cycle apart.
  FlitRig rig(Cube({6, 6}), router(8));
  rig.send(1, 0, 8);
  rig.send(6, 0, 8);
  rig.run();
  CHECK(std::max(rig.packets[0].arrived, rig.packets[1].arrived) == 24);
  CHECK(std::min(rig.packets[0].arrived, rig.packets[1].arrived) == 23);
}

TEST_CASE("each rule puts packets into the classes that its name says") {
  // A ring of 6, upwards: from 4 to 1 the dateline is crossed by the link from 5 to 0.
  const auto& dateline = network::vc_class_rule("dateline");
  CHECK(dateline.choose({4, 1, 6, true, true, 0, false}) == 0);
  CHECK(dateline.choose({5, 1, 6, true, false, 0, false}) == 1);
  CHECK(dateline.choose({0, 1, 6, true, false, 1, false}) == 1);
  CHECK(dateline.choose({0, 4, 6, false, true, 0, false}) == 1);
  CHECK(dateline.choose({3, 1, 6, false, true, 0, false}) == 0);
  // Static: chosen on entering and kept; up 1 if it wraps, down 1 if it does not.
  const auto& fixed = network::vc_class_rule("static");
  CHECK(fixed.choose({4, 1, 6, true, true, 0, false}) == 1);
  CHECK(fixed.choose({1, 4, 6, true, true, 0, false}) == 0);
  CHECK(fixed.choose({4, 1, 6, false, true, 0, false}) == 1);
  CHECK(fixed.choose({1, 4, 6, false, true, 0, false}) == 0);
  CHECK(fixed.choose({0, 1, 6, true, false, 1, false}) == 1);
  // Balanced: packets that wrap 1, packets that cross the middle (between 2 and 3) 0, others as the coin falls.
  const auto& balanced = network::vc_class_rule("balanced");
  CHECK(balanced.choose({4, 1, 6, true, true, 0, false}) == 1);
  CHECK(balanced.choose({1, 4, 6, true, true, 0, true}) == 0);
  CHECK(balanced.choose({0, 2, 6, true, true, 0, false}) == 0);
  CHECK(balanced.choose({0, 2, 6, true, true, 0, true}) == 1);
  CHECK(balanced.choose({4, 2, 6, false, true, 0, true}) == 0);
  CHECK(balanced.choose({1, 4, 6, false, true, 0, false}) == 1);
}

TEST_CASE("packets that wait in a circle are found at once, and the report shows the circle") {
  // A ring of 4 with one virtual channel and no classes: every node sends 40 flits two links up. Each packet holds a
  // link and waits for the next one, which its neighbour's holds.
  FlitRig rig(Cube({4}), router(2, 1, "none"));
  for (std::uint32_t r = 0; r < 4; ++r) rig.send(r, (r + 2) % 4, 40, ~0ull);
  rig.run();
  CHECK(rig.order.empty());
  CHECK(rig.core.deadlocked());
  CHECK(rig.core.now() < 100);
  const auto circle = rig.core.waiting_circle();
  REQUIRE(circle.size() == 4);
  CHECK_THAT(circle[0],
             Catch::Matchers::ContainsSubstring("the buffer of router") &&
                 Catch::Matchers::ContainsSubstring(".up0, virtual channel 0, 2 flits, first of a packet from router"));
  for (std::size_t i = 0; i < 4; ++i) {
    // Each line ends with the buffer that the next one begins with.
    const std::string waits_for = circle[i].substr(circle[i].rfind("router"));
    CHECK_THAT(circle[(i + 1) % 4], Catch::Matchers::StartsWith("the buffer of " + waits_for + ","));
  }
}

TEST_CASE("the rules with classes avoid a deadlock under the same load") {
  const char* rule = GENERATE("dateline", "static", "balanced");
  FlitRig rig(Cube({4}), router(2, 2, rule));
  for (std::uint32_t r = 0; r < 4; ++r) rig.send(r, (r + 2) % 4, 40, ~0ull);
  rig.run();
  CHECK(rig.order.size() == 4);
  CHECK_FALSE(rig.core.deadlocked());
}

TEST_CASE("an idle core says so, and a sleeping core says when it goes on") {
  FlitRig rig(Cube({6, 6}), router(8));
  CHECK(rig.core.next() == FlitCore::never);
  rig.core.skip_to(1'000'000);
  rig.send(0, 1, 1);
  CHECK(rig.core.next() == 1'000'000);
  rig.run();
  CHECK(rig.packets[0].arrived == 1'000'009);
  CHECK_FALSE(rig.core.deadlocked());
  CHECK(rig.core.flits_waiting() == 0);
}
