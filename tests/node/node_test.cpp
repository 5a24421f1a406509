// SPDX-License-Identifier: MIT
#include "models/node/node.h"

#include <cstring>

#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/node_pair.h"
#include "tests/support/simulation.h"
#include "tests/support/statistics.h"
#include "tests/support/time.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::at_ns;
using test::NodePair;
using test::NotingCallback;
using test::Simulation;

namespace {

hal::Message message_to(hal::NodeId target, std::byte* data, std::uint32_t bytes, bool reply = true) {
  hal::Message m;
  m.target = target;
  m.data = data;
  m.bytes = bytes;
  m.reply = reply;
  return m;
}

}  // namespace

// --- processor: 20 ns a cycle ---

TEST_CASE("the processor calls back when it has done the work it was given") {
  // 100 cycles: 2000 ns. Given again at once, with 50 cycles that nobody waits for in between: 2000 + 1000 + 2000.
  Simulation simulation;
  NodePair pair;
  NotingCallback done;
  pair.near().processor().execute(Cycles{100}, done);
  sc_core::sc_start();
  pair.near().processor().add(Cycles{50});
  pair.near().processor().execute(Cycles{100}, done);
  simulation.run([&] { return done.times.size() == 2; });
  CHECK(done.times == std::vector{at_ns(2000), at_ns(5000)});
}

TEST_CASE("interrupts delay the end of a copy by exactly their handlers' time, also on the simulated processor") {
  // 50,000 cycles are 1 ms; 20 timers interrupt for 150 cycles, 3 us: 1060 us.
  Simulation simulation;
  NodePair pair;
  struct Interrupter final : hal::Callback {
    hal::Processor* processor;
    Time end;
    void run() override { end = processor->interrupt(Cycles{150}); }
  } interrupter;
  interrupter.processor = &pair.near().processor();
  NotingCallback done;
  pair.near().processor().execute(Cycles{50'000}, done);
  for (int i = 1; i <= 20; ++i) pair.near().processor().at(at_ns(i * 5'000), interrupter);
  simulation.run([&] { return done.times.size() == 1; });
  CHECK(done.times[0] == at_ns(1'060'000));
  CHECK(interrupter.end == at_ns(103'000));
}

TEST_CASE("timers ring in order of time, and in the order of the calls when their times are equal") {
  Simulation simulation;
  NodePair pair;
  std::vector<int> order;
  struct Timer final : hal::Callback {
    std::vector<int>* order;
    int number;
    void run() override { order->push_back(number); }
  } timers[4];
  const std::int64_t when[] = {300, 100, 300, 200};
  for (int i = 0; i < 4; ++i) {
    timers[i].order = &order;
    timers[i].number = i;
    pair.near().processor().at(at_ns(when[i]), timers[i]);
  }
  simulation.run([&] { return order.size() == 4; });
  CHECK(order == std::vector{1, 3, 0, 2});
}

TEST_CASE("fractions of a cycle are charged") {
  // 0.5 cycles a byte: 100.5 cycles are 2010 ns.
  Simulation simulation;
  NodePair pair;
  NotingCallback done;
  pair.near().processor().execute(Cycles{100.5}, done);
  simulation.run([&] { return done.times.size() == 1; });
  CHECK(done.times[0] == at_ns(2010));
}

TEST_CASE("the nodes' clocks deviate within their bound, each differently, and in the same way for the same seed") {
  Simulation simulation;
  std::vector<std::uint32_t> router_of{0, 1, 2};
  node::Node::Setup setup;
  setup.params.clock_variation = 0.001;
  setup.router_of = &router_of;
  Timetable timetable("timetable");
  setup.timetable = &timetable;
  PayloadPool payloads;
  setup.payloads = &payloads;
  const auto cycles = [&](const char* name, std::uint64_t seed) {
    setup.seed = seed;
    const node::Node node(name, setup);
    return node.cpu.length(Cycles{1'000'000});  // 20 ms, 20 us more or less
  };
  const Duration a = cycles("a", 1), b = cycles("b", 1);
  CHECK(a != b);
  CHECK(a != cycles("a", 2));
  CHECK(a == cycles("a", 1));
  for (const Duration d : {a, b}) {
    CHECK(d >= 20_ms - 20_us);
    CHECK(d <= 20_ms + 20_us);
  }
}

// --- memory ---

TEST_CASE("memory answers accesses beyond its end with an address error") {
  Simulation simulation;
  struct Master : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Master> socket;
    explicit Master(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {}
  } master("master");
  node::Memory memory("memory", 4096);
  master.socket.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto access = [&](tlm::tlm_command command, std::uint64_t address, unsigned length) {
    unsigned char data[8192] = {42};
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time delay;
    master.socket->b_transport(payload, delay);
    CHECK(delay == sc_core::SC_ZERO_TIME);  // its time is the bus's
    return std::pair(payload.get_response_status(), data[0]);
  };
  using Status = tlm::tlm_response_status;
  CHECK(access(tlm::TLM_WRITE_COMMAND, 4095, 1).first == Status::TLM_OK_RESPONSE);
  CHECK(access(tlm::TLM_READ_COMMAND, 4095, 1) == std::pair<Status, unsigned char>(Status::TLM_OK_RESPONSE, 42));
  CHECK(access(tlm::TLM_READ_COMMAND, 0, 1) == std::pair<Status, unsigned char>(Status::TLM_OK_RESPONSE, 0));
  CHECK(access(tlm::TLM_READ_COMMAND, 4096, 1).first == Status::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(tlm::TLM_WRITE_COMMAND, 4090, 7).first == Status::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(tlm::TLM_READ_COMMAND, 0, 8192).first == Status::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(tlm::TLM_READ_COMMAND, ~0ull - 3, 8).first == Status::TLM_ADDRESS_ERROR_RESPONSE);  // the sum runs over
}

TEST_CASE("memory is allocated in pieces aligned to 64 bytes, and when it runs out, a sentence says so") {
  Simulation simulation;
  node::Memory memory("memory", 256);
  CHECK(memory.address_of(memory.allocate(1)) == 0);
  CHECK(memory.address_of(memory.allocate(64)) == 64);
  CHECK(memory.address_of(memory.allocate(65)) == 128);
  CHECK(memory.allocated() == 256);
  CHECK_THROWS_AS(memory.allocate(1), ConfigError);
  CHECK_THROWS_WITH(memory.allocate(1), "memory: 1 bytes are asked for, 0 of 256 are left");
}

// --- DMA engine and node bus: 400 MB/s, 2.5 ns a byte ---

TEST_CASE("the DMA engine crosses the node bus twice for each move, serves moves one by one, and then interrupts") {
  // 8192 bytes read and written: 2 x 20,480 ns; the second move begins when the first has ended.
  Simulation simulation;
  NodePair pair;
  std::byte* a = pair.near().allocate(8192);
  std::byte* b = pair.near().allocate(8192);
  std::byte* c = pair.near().allocate(8192);
  for (int i = 0; i < 8192; ++i) a[i] = std::byte(i * 7);
  NotingCallback done;
  pair.near().dma().copy(b, a, 8192, done);
  pair.near().dma().copy(c, a, 8192, done);
  simulation.run([&] { return done.times.size() == 2; });
  CHECK(done.times == std::vector{at_ns(40'960), at_ns(81'920)});
  CHECK(std::memcmp(a, b, 8192) == 0);
  CHECK(std::memcmp(a, c, 8192) == 0);
  CHECK(pair.nodes[0]->bus.bytes(node::NodeBus::dma_engine) == 4 * 8192);
  CHECK(pair.nodes[0]->bus.bytes(node::NodeBus::processor) == 0);
}

TEST_CASE("a copy by the processor takes its share of the node bus from the DMA engine") {
  // 8192 bytes copied are read and written: 40,960 ns of the bus, after which the move has its own 40,960.
  Simulation simulation;
  NodePair pair;
  std::byte* a = pair.near().allocate(8192);
  std::byte* b = pair.near().allocate(8192);
  NotingCallback done;
  pair.near().copied(8192);
  pair.near().dma().copy(b, a, 8192, done);
  simulation.run([&] { return done.times.size() == 1; });
  CHECK(done.times[0] == at_ns(81'920));
  CHECK(pair.nodes[0]->bus.bytes(node::NodeBus::processor) == 2 * 8192);
}

// --- network interface: messages have a header of 32 bytes; 5 ns a byte and 2 x 20 ns of routers on the way ---

TEST_CASE("a short message leaves at once and arrives after its header and data have crossed the wire") {
  // 8 bytes, moved by the processor: (32 + 8) x 5 + 40 = 240 ns after it left at 1000 ns.
  Simulation simulation;
  NodePair pair;
  std::byte data[8] = {std::byte{1}, std::byte{2}};
  pair.firmware[1].then = [&](hal::Message& m) {
    CHECK(m.source == 0);
    CHECK(m.bytes == 8);
    CHECK(std::memcmp(m.content->bytes(), data, 8) == 0);
    CHECK(pair.far().network().accept(m, nullptr, now()) == at_ns(1240));
    pair.far().network().release(m);
  };
  pair.near().network().send(message_to(1, data, 8), at_ns(1000));
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 1; });
  CHECK(pair.firmware[1].arrivals[0].when == at_ns(1240));
  CHECK(pair.nodes[0]->bus.bytes(node::NodeBus::network_interface) == 0);
}

TEST_CASE("DMA fetches a long message, and after the network DMA writes it to memory") {
  // 8192 bytes: fetched in 20,480 ns; (32 + 8192) x 5 + 40 = 41,160 ns on the way: 61,640 ns; laid down in 20,480:
  // 82,120 ns.
  Simulation simulation;
  NodePair pair;
  std::byte* from = pair.near().allocate(8192);
  std::byte* to = pair.far().allocate(8192);
  for (int i = 0; i < 8192; ++i) from[i] = std::byte(i * 13);
  Time there{};
  pair.firmware[1].then = [&](hal::Message& m) {
    there = pair.far().network().accept(m, to, now());
    pair.far().network().release(m);
  };
  pair.near().network().send(message_to(1, from, 8192), Time{});
  std::memset(from, 0, 64);  // header and data were taken over at once
  simulation.run([&] { return there != Time{}; });
  CHECK(pair.firmware[1].arrivals[0].when == at_ns(61'640));
  CHECK(there == at_ns(82'120));
  CHECK(to[1] == std::byte{13});
  CHECK(to[63] == std::byte(63 * 13 % 256));
  CHECK(to[8191] == std::byte(8191 * 13 % 256));
}

TEST_CASE("messages of one node leave in the order of the doorbells, short ones behind long ones") {
  // The long one enters the network at 20,480 ns and frees the injection channel at 61,600 ns; then 8 bytes: 240 ns,
  // and 5 ns more since they wait for the virtual channel that the long one has left.
  Simulation simulation;
  NodePair pair;
  std::byte* data = pair.near().allocate(8192);
  pair.firmware[1].then = [&](hal::Message& m) { pair.far().network().release(m); };
  pair.near().network().send(message_to(1, data, 8192), Time{});
  pair.near().network().send(message_to(1, data, 8), Time{});
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 2; });
  CHECK(pair.firmware[1].arrivals[0].message.bytes == 8192);
  CHECK(pair.firmware[1].arrivals[1].when == at_ns(61'845));
}

TEST_CASE("long messages are fetched one after the other while those before them are on the wire") {
  // The second is fetched from 20,480 to 40,960 ns, waits for the injection channel until 61,600 ns, and then takes
  // 41,160 and the 5 ns that a virtual channel needs for its next message.
  Simulation simulation;
  NodePair pair;
  std::byte* data = pair.near().allocate(8192);
  pair.firmware[1].then = [&](hal::Message& m) { pair.far().network().release(m); };
  for (int i = 0; i < 2; ++i) pair.near().network().send(message_to(1, data, 8192), Time{});
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 2; });
  CHECK(pair.firmware[1].arrivals[1].when == at_ns(102'765));
}

TEST_CASE("the processor moves 64 bytes, DMA moves 65") {
  // 65 bytes: 162.5 ns of the bus, then 97 x 5 + 40 = 525 ns.
  Simulation simulation;
  NodePair pair;
  std::byte* data = pair.near().allocate(128);
  pair.firmware[1].then = [&](hal::Message& m) { pair.far().network().release(m); };
  pair.near().network().send(message_to(1, data, 64), Time{});
  sc_core::sc_start();
  CHECK(pair.firmware[1].arrivals[0].when == at_ns(520));
  const Time start = now();
  pair.near().network().send(message_to(1, data, 65), start);
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 2; });
  CHECK(pair.firmware[1].arrivals[1].when - start == 525_ns + 162500_ps);
  CHECK(pair.nodes[0]->bus.bytes(node::NodeBus::network_interface) == 65);
}

TEST_CASE("the monitors of node bus, network interface and network agree on the bytes of messages") {
  Simulation simulation;
  NodePair pair;
  std::byte* from = pair.near().allocate(8192);
  std::byte* to = pair.far().allocate(8192);
  pair.firmware[1].then = [&](hal::Message& m) {
    pair.far().network().accept(m, to, now());
    pair.far().network().release(m);
  };
  std::uint64_t long_bytes = 0, all_bytes = 0;
  for (std::uint32_t bytes : {0, 8, 64, 65, 1000, 8192}) {
    pair.near().network().send(message_to(1, from, bytes), now());
    all_bytes += bytes;
    if (bytes > 64) long_bytes += bytes;
  }
  simulation.run([&] { return pair.firmware[1].arrivals.size() == 6; });
  StatisticSet statistics;
  for (auto& node : pair.nodes) node->add_statistics(statistics);
  pair.network->add_statistics(statistics);
  const auto value = [&](const std::string& name) {
    return static_cast<std::uint64_t>(test::value_of(statistics, name));
  };
  CHECK(value("near.bus.network_interface_bytes") == long_bytes);
  CHECK(value("far.bus.network_interface_bytes") == long_bytes);
  CHECK(value("near.network_interface.sent_bytes") == all_bytes);
  CHECK(value("far.network_interface.received_bytes") == all_bytes);
  CHECK(value("near.network_interface.sent") == 6);
  CHECK(value("far.network_interface.received") == 6);
  CHECK(value("network.message_bytes") == all_bytes);
  CHECK(value("network.messages") == 6);
}

TEST_CASE("a request keeps its place in the input FIFO until its data are out of it") {
  // The FIFO has 64 places; the far node takes nothing out: the 65th request stays outside, and comes in when one has
  // left.
  Simulation simulation;
  NodePair pair;
  std::vector<hal::Message*> kept;
  pair.firmware[1].then = [&](hal::Message& m) { kept.push_back(&m); };
  for (int i = 0; i < 65; ++i) pair.near().network().send(message_to(1, nullptr, 0, false), Time{});
  sc_core::sc_start();
  CHECK(kept.size() == 64);
  std::vector<std::string> waiting;
  pair.network->describe_waiting(waiting);
  CHECK(waiting.size() == 1);
  pair.far().network().accept(*kept.front(), nullptr, now());
  pair.far().network().release(*kept.front());
  simulation.run([&] { return kept.size() == 65; });
  for (std::size_t i = 1; i < kept.size(); ++i) {
    pair.far().network().accept(*kept[i], nullptr, now());
    pair.far().network().release(*kept[i]);
  }
}

TEST_CASE("a message that comes while the processor pauses interrupts it once, when the pause ends") {
  Simulation simulation;
  NodePair pair;
  std::vector<hal::Message*> kept;
  pair.firmware[1].then = [&](hal::Message& m) { kept.push_back(&m); };
  pair.nodes[1]->pause(at_ns(100'000));
  pair.near().network().send(message_to(1, nullptr, 0), now());
  sc_core::sc_start();
  pair.nodes[1]->pause(at_ns(300'000));
  pair.near().network().send(message_to(1, nullptr, 0), now());
  simulation.run([&] { return kept.size() == 2; });
  CHECK(pair.firmware[1].arrivals[0].when == at_ns(100'000));
  CHECK(pair.firmware[1].arrivals[1].when == at_ns(300'000));
  for (hal::Message* m : kept) {
    pair.far().network().accept(*m, nullptr, now());
    pair.far().network().release(*m);
  }
}

// --- messages that the network spoils ---

namespace {

/// Sends spoilt messages of 100 bytes from node 0: a request, a reply, and a request that the network also duplicates.
/// Returns the data that arrive.
std::vector<std::vector<std::byte>> send_spoilt(NodePair& pair, bool file_data) {
  faults::Strikes always({faults::AtTime{}}, {faults::Extent::no_limit}, 1, "spoilt");
  faults::Strikes third({faults::AtOperation{3}}, {}, 1, "twice");
  pair.network->add_fault_at_port(0, network::MessageCorrupted{}, std::move(always));
  pair.network->add_fault_at_port(0, network::MessageDuplicated{}, std::move(third));
  std::byte* const data = pair.near().allocate(100);
  for (std::size_t i = 0; i < 100; ++i) data[i] = std::byte(i);
  std::vector<std::vector<std::byte>> arrived;
  pair.firmware[1].then = [&](hal::Message& m) {
    m.content->make_bytes(arrived.emplace_back(m.bytes).data());
    pair.far().network().accept(m, nullptr, now());
    pair.far().network().release(m);
  };
  for (const bool reply : {false, true, false}) {
    hal::Message m = message_to(1, data, 100, reply);
    m.file_data = file_data;
    pair.near().network().send(m, now());
  }
  sc_core::sc_start();
  CHECK(pair.network->in_flight() == 0);
  return arrived;
}

}  // namespace

TEST_CASE("an interface with a CRC refuses spoilt messages, and counts them") {
  Simulation simulation;
  NodePair pair;
  CHECK(send_spoilt(pair, true).empty());
  CHECK(pair.network->dropped(network::Fabric::Loss::refused).messages == 4);
  CHECK(pair.nodes[1]->network_interface.passed_spoilt() == 0);
}

TEST_CASE("without a CRC, a spoilt message of file data passes with its middle byte inverted, also the second time") {
  Simulation simulation;
  auto params = NodePair::node_params();
  params.crc = false;
  NodePair pair(params);
  const auto arrived = send_spoilt(pair, true);
  REQUIRE(arrived.size() == 4);
  for (const auto& data : arrived)
    for (std::size_t i = 0; i < 100; ++i) REQUIRE(data[i] == (i == 50 ? ~std::byte(i) : std::byte(i)));
  CHECK(pair.nodes[1]->network_interface.passed_spoilt() == 3);
}

TEST_CASE("without a CRC, a spoilt message of other than file data is found by its software and does not pass") {
  Simulation simulation;
  auto params = NodePair::node_params();
  params.crc = false;
  NodePair pair(params);
  CHECK(send_spoilt(pair, false).empty());
}
