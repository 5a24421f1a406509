// SPDX-License-Identifier: MIT
#include <cstring>

#include "tests/support/catch.h"
#include "tests/support/node_pair.h"
#include "tests/support/simulation.h"
#include "tests/support/time.h"

using namespace sunstar;
using namespace sunstar::literals;
using hal::OneSided;
using test::at_ns;
using test::NodePair;
using test::Simulation;

namespace {

/// 1 us in both interfaces, 0.5 us for a fetch of more than 64 bytes, packets of 1 KiB without headers of their own.
/// The network takes 2 x 20 ns and 5 ns a byte; a message's header has 32 bytes.
node::NodeParams rdma(std::uint32_t outstanding_reads = 16, Duration gap = 5_ns) {
  node::NodeParams params = NodePair::node_params();
  params.memory_bandwidth = {10e9};
  params.interface.kind = node::RdmaParams{.bandwidth = {1e9},
                                           .latency = 1_us,
                                           .fetch_latency = 500_ns,
                                           .inline_data = 64_B,
                                           .message_gap = gap,
                                           .mtu = 1_KiB,
                                           .packet_header = 0_B,
                                           .outstanding_reads = outstanding_reads,
                                           .library = {}};
  return params;
}

constexpr std::uint16_t answer_number = 7;

/// Two nodes with that interface; the far one has opened a kilobyte of its memory.
struct RdmaPair : NodePair {
  explicit RdmaPair(const node::NodeParams& params = rdma()) : NodePair(params) {
    open.base = far().allocate(1024);
    open.bytes = 1024;
    far().network().open(open, answer_number);
    for (auto& f : firmware)
      f.then = [this, &f](hal::Message& m) {
        hal::Node& node = &f == &firmware[0] ? near() : far();
        taken = node.network().accept(m, f.arrivals.back().message.reply ? into : nullptr, now());
        node.network().release(m);
      };
  }
  void send(std::byte* data, std::uint32_t bytes, OneSided one_sided = OneSided::no, std::uint64_t read = 0) {
    hal::Message m;
    m.target = 1;
    m.data = data;
    m.bytes = bytes;
    m.one_sided = one_sided;
    const hal::OneSidedHeader header{16, read, {std::byte{1}, std::byte{2}}};
    std::memcpy(m.header.data(), &header, sizeof header);
    near().network().send(m, now());
  }
  double statistic(std::uint32_t node, const std::string& leaf) {
    StatisticSet set;
    nodes[node]->add_statistics(set);
    double value = -1;
    set.for_each([&](const Statistic& s) {
      if (s.name.ends_with(leaf)) value = s.value();
    });
    return value;
  }
  hal::OpenMemory open;
  std::byte* into = nullptr;
  Time taken{};
};

}  // namespace

TEST_CASE("a short message leaves after the latency of the interfaces, and a second one after the gap") {
  // Both 8 + 32 bytes: 200 + 40 ns on the way.
  Simulation simulation;
  RdmaPair pair(rdma(16, 3_us));
  std::byte* data = pair.near().allocate(64);
  pair.send(data, 8);
  pair.send(data, 8);
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 2; });
  CHECK(pair.firmware[1].arrivals[0].when == at_ns(1240));
  CHECK(pair.firmware[1].arrivals[1].when == at_ns(4240));
}

TEST_CASE("a long message streams: a fetch before its first byte leaves, nothing after its last one has come") {
  // 1500 ns, then (32 + 8192) x 5 + 40 ns.
  Simulation simulation;
  RdmaPair pair;
  std::byte* data = pair.near().allocate(8192);
  pair.send(data, 8192);
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 1; });
  CHECK(pair.firmware[1].arrivals[0].when == at_ns(42'660));
  CHECK(pair.taken == at_ns(42'660));
}

TEST_CASE("a message waits for other traffic of the memory only if its link would run dry") {
  // The link takes 1 us for its 1000 bytes, the memory 0.1 us. A copy moves each of its bytes twice: 4000 take 0.8 us
  // of the memory's time before them, 6000 take 1.2 us, and the link's last byte comes 0.3 us late.
  Simulation simulation;
  RdmaPair pair;
  std::byte* data = pair.near().allocate(1000);
  std::size_t sent = 0;
  const auto takes = [&](std::uint64_t copied) {
    const Time start = now();
    pair.nodes[0]->copied(copied);
    pair.send(data, 1000);
    ++sent;
    simulation.run([&] { return pair.firmware[1].arrivals.size() == sent; });
    return pair.firmware[1].arrivals.back().when - start;
  };
  const Duration alone = takes(0);
  CHECK(takes(4000) == alone);
  CHECK(takes(6000) == alone + 300_ns);
}

TEST_CASE("each packet of a message has a header on the wire") {
  // 2032 + 32 bytes in 3 packets of at most 1 KiB, with 10 bytes each: 1500 + (2064 + 30) x 5 + 40 ns.
  Simulation simulation;
  node::NodeParams params = rdma();
  params.interface.kind.as<node::RdmaParams>().packet_header = 10_B;
  RdmaPair pair(params);
  std::byte* data = pair.near().allocate(2048);
  pair.send(data, 2032);
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 1; });
  CHECK(pair.firmware[1].arrivals[0].when == at_ns(1500 + 2094 * 5 + 40));
}

TEST_CASE("a one-sided write is there without the processor of its node, and the writer gets an answer") {
  // The data arrive at 1240 ns, the answer of 32 bytes 200 ns later.
  Simulation simulation;
  RdmaPair pair;
  std::byte* data = pair.near().allocate(64);
  data[0] = std::byte{42};
  pair.send(data, 8, OneSided::write);
  simulation.run([&] { return pair.firmware[0].arrivals.size() == 1; });
  CHECK(pair.firmware[1].arrivals.empty());
  CHECK(pair.far().memory().bytes(pair.open.base, 1024)[16] == std::byte{42});
  CHECK(pair.open.put_bytes == 8);
  const auto& answer = pair.firmware[0].arrivals[0];
  CHECK(answer.when == at_ns(1440));
  CHECK(answer.message.handler == answer_number);
  CHECK(answer.message.reply);
  CHECK(answer.message.header[1] == std::byte{2});
  CHECK(pair.statistic(1, ".served") == 1);
}

TEST_CASE("a one-sided read brings the data without the processor of their node") {
  // The request arrives at 1200 ns, is answered after a fetch, at 1700, and the answer takes (32 + 8) x 5 + 40 ns.
  Simulation simulation;
  RdmaPair pair;
  pair.open.base[16] = std::byte{43};
  pair.into = pair.near().allocate(64);
  pair.send(nullptr, 0, OneSided::read, 8);
  simulation.run([&] { return pair.firmware[0].arrivals.size() == 1; });
  CHECK(pair.firmware[1].arrivals.empty());
  CHECK(pair.firmware[0].arrivals[0].when == at_ns(1940));
  CHECK(pair.near().memory().bytes(pair.into, 8)[0] == std::byte{43});
  CHECK(pair.open.got_bytes == 8);
}

TEST_CASE("a queue pair has a limited number of reads under way, and the next leaves when one has ended") {
  // The first ends at 1940 ns; the second takes as long from there.
  Simulation simulation;
  RdmaPair pair(rdma(1));
  pair.into = pair.near().allocate(64);
  pair.send(nullptr, 0, OneSided::read, 8);
  pair.send(nullptr, 0, OneSided::read, 8);
  simulation.run([&] { return pair.firmware[0].arrivals.size() == 2; });
  CHECK(pair.firmware[0].arrivals[1].when == at_ns(2 * 1940));
  CHECK(pair.statistic(0, ".queued") == 1);
}

TEST_CASE("a node without open memory gets one-sided requests itself") {
  Simulation simulation;
  RdmaPair pair;
  pair.far().network().close();
  pair.send(pair.near().allocate(64), 8, OneSided::write);
  pair.send(nullptr, 0, OneSided::read, 8);
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 2; });
  CHECK(pair.firmware[0].arrivals.empty());
  CHECK(pair.open.put_bytes == 0);
}

TEST_CASE("reads of a node that is given up do not leave any more, and make room for later ones") {
  Simulation simulation;
  RdmaPair pair(rdma(1));
  pair.into = pair.near().allocate(64);
  for (int i = 0; i < 3; ++i) pair.send(nullptr, 0, OneSided::read, 8);
  CHECK(pair.near().network().give_up(1) == 2);
  CHECK(pair.near().network().give_up(0) == 0);
  pair.send(nullptr, 0, OneSided::read, 8);
  simulation.run([&] { return pair.firmware[0].arrivals.size() == 2; });  // the one under way, and the last
  CHECK(pair.firmware[0].arrivals[1].when < pair.firmware[0].arrivals[0].when + 1_us);  // it did not wait for that one
  CHECK(pair.statistic(1, ".served") == 2);
}
