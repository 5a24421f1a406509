// SPDX-License-Identifier: MIT
#include "models/kernel/simulation.h"
#include "models/network/message_monitor.h"
#include "models/node/node.h"
#include "platforms/kit/run/sinks.h"
#include "platforms/network/run.h"
#include "sw/messages/endpoint.h"

namespace sunstar::traffic {
namespace {

using node::LibraryParams;
using os::Task;

constexpr std::uint32_t warm_up_rounds = 2, rounds = 10, warm_up_windows = 1, windows = 4, answer_bytes = 4;

struct Kinds {
  struct Length {
    std::uint64_t bytes;
  };
  messages::Protocol protocol;
  messages::Kind<Length> eager{protocol.numbers, "eager", messages::Carries::file_data};
  messages::Kind<Length> announcement{protocol.numbers, "announcement"};
  messages::Kind<Length> go_ahead{protocol.numbers, "go-ahead"};
  messages::Kind<Length> end{protocol.numbers, "end"};
};

/// A program and the library below it. Its two buffers, for sending and receiving, adjoin.
class Program {
 public:
  Program(node::Node& node, os::Common& common, const Kinds& kinds, const LibraryParams& library, Frequency clock,
          std::uint64_t room)
      : os(node, common),
        kinds_(kinds),
        library_(library),
        clock_(clock),
        room_(room),
        endpoint_(os, kinds.protocol),
        progress_(os, "a message") {
    memory_.bytes = 2 * room;
    memory_.base = node.allocate(memory_.bytes);
    memory_.memory = &node.memory();
    endpoint_.offer(memory_);
    kinds.eager.starts_thread(os, "receive", [this](hal::Message& m) { return receive_eager(m); });
    kinds.announcement.starts_thread(os, "receive", [this](hal::Message& m) { return answer_announcement(m); });
    kinds.go_ahead.starts_thread(os, "send", [this](hal::Message& m) { return go_ahead(m); });
    kinds.end.starts_thread(os, "end", [this](hal::Message& m) { return end(m); });
  }

  /// Sends a message; the program may go on before it has left.
  Task<> send(hal::NodeId to, std::uint64_t bytes) {
    os.compute(overhead());
    if (bytes <= library_.eager_limit.count) {
      ++sent_;
      if (library_.eager_copies > 1) charge_copy(bytes);
      co_await os.send(kinds_.eager.message(to, {bytes}, memory_.base, static_cast<std::uint32_t>(bytes)));
    } else {
      co_await os.send(kinds_.announcement.message(to, {bytes}));
    }
  }
  /// Waits until this many messages have been received, or sent.
  Task<> until_received(std::uint64_t messages) {
    while (received_ < messages) co_await progress_.wait();
  }
  Task<> until_sent(std::uint64_t messages) {
    while (sent_ < messages) co_await progress_.wait();
  }
  content::Content received(std::uint32_t bytes) {
    content::Content content;
    memory_.memory->read(memory_.base + room_, bytes, content);
    return content;
  }
  void write(const content::Content& content) { memory_.memory->write(memory_.base, content); }

  os::Os os;

 private:
  Cycles overhead() const { return cycles(library_.overhead); }
  Cycles cycles(Duration time) const { return {seconds(time) * clock_.hertz}; }
  void charge_copy(std::uint64_t bytes) {
    os.compute(cycles(library_.copy_bandwidth.time_for(bytes)));
    os.copied(bytes);
  }
  void count(std::uint64_t& messages) {
    ++messages;
    progress_.wake_all();
  }

  Task<> receive_eager(hal::Message& m) {
    const std::uint64_t bytes = m.bytes;
    os.receive(m, memory_.base + room_);
    os.compute(overhead());
    charge_copy(bytes);
    co_await os.settle();
    count(received_);
  }
  Task<> answer_announcement(hal::Message& m) {
    const hal::NodeId from = m.source;
    const std::uint64_t bytes = messages::Kind<Kinds::Length>::header(m).bytes;
    os.receive(m);
    os.compute(cycles(library_.overhead + library_.rendezvous_overhead));
    if (library_.rendezvous == node::Rendezvous::write) {
      co_await os.send(kinds_.go_ahead.message(from, {bytes}));
      co_return;
    }
    messages::ReplyAction read(endpoint_);
    co_await os.send(
        endpoint_.memget(from, 0, static_cast<std::uint32_t>(bytes), read.expect(from, memory_.base + room_)));
    while (read.outstanding()) co_await read.arrival();
    os.compute(overhead());
    co_await os.send(kinds_.end.message(from, {bytes}));
    count(received_);
  }
  Task<> go_ahead(hal::Message& m) {
    const hal::NodeId to = m.source;
    const std::uint64_t bytes = messages::Kind<Kinds::Length>::header(m).bytes;
    os.receive(m);
    os.compute(overhead());
    messages::ReplyAction written(endpoint_);
    co_await os.send(endpoint_.memput(to, room_, memory_.base, static_cast<std::uint32_t>(bytes), written.expect(to)));
    co_await os.send(kinds_.end.message(to, {bytes}));
    while (written.outstanding()) co_await written.arrival();
    count(sent_);
  }
  // The end of a message that the other program has read from here, or written to here.
  Task<> end(hal::Message& m) {
    os.receive(m);
    os.compute(overhead());
    co_await os.settle();
    count(library_.rendezvous == node::Rendezvous::read ? sent_ : received_);
  }

  const Kinds& kinds_;
  LibraryParams library_;
  Frequency clock_;
  std::uint64_t room_;
  messages::Endpoint endpoint_;
  messages::RemoteMemory memory_;
  os::WaitQueue progress_;
  std::uint64_t sent_ = 0, received_ = 0;
};

/// A library has no costs but its own.
os::Costs no_costs() {
  os::Costs costs;
  boost::mp11::mp_for_each<boost::describe::describe_members<os::Costs, boost::describe::mod_any_access>>(
      [&](auto member) { costs.*member.pointer = Cycles{}; });
  return costs;
}

struct Pair : sc_core::sc_module {
  Pair(const sc_core::sc_module_name& name, const Config& config, std::uint64_t seed)
      : sc_module(name),
        params(config.workload.kind.as<PingPongParams>()),
        library(library_of(config.machine.node)),
        timetable("timetable"),
        network(network::make(config.machine.network.kind, "network", seed, &timetable)),
        router_of{params.from, params.to},
        common(no_costs()) {
    const std::uint64_t room = std::max<std::uint64_t>(params.bytes.count, answer_bytes);
    for (hal::NodeId id = 0; id < 2; ++id) {
      node::Node::Setup setup;
      setup.id = id;
      setup.params = config.machine.node;
      setup.params.clock_variation = 0;
      setup.memory_bytes = 2 * room + 4096;
      setup.seed = seed;
      setup.router_of = &router_of;
      setup.timetable = &timetable;
      setup.payloads = &payloads;
      nodes.push_back(std::make_unique<node::Node>(id == 0 ? "near" : "far", setup));
      network::connect(*network, router_of[id], nullptr, nodes[id]->network_interface.to_network,
                       nodes[id]->network_interface.from_network, nodes[id]->network_interface.name());
      programs.push_back(
          std::make_unique<Program>(*nodes[id], common, kinds, library, config.machine.node.clock, room));
    }
  }

  static LibraryParams library_of(const node::NodeParams& node) {
    const auto* rdma = node.interface.kind.if_is<node::RdmaParams>();
    return rdma ? rdma->library : LibraryParams{};
  }

  Task<> near() {
    Program& me = *programs[0];
    const std::uint64_t bytes = params.bytes.count;
    std::uint64_t messages = 0, answers = 0;
    for (std::uint32_t i = 0; i < warm_up_rounds + rounds; ++i) {
      if (i == warm_up_rounds) begin = me.os.now();
      co_await me.send(1, bytes);
      co_await me.until_received(++answers);
    }
    result.latency_us = seconds(me.os.now() - begin) / (2 * rounds) * 1e6;
    messages = answers;
    for (std::uint32_t w = 0; w < warm_up_windows + windows; ++w) {
      if (w == warm_up_windows) begin = me.os.now();
      for (std::uint32_t i = 0; i < params.window; ++i) {
        co_await me.send(1, bytes);
        co_await me.os.give_way();  // a library handles arrived messages in each of its calls
      }
      co_await me.until_sent(messages += params.window);
      co_await me.until_received(++answers);
    }
    result.bandwidth_mb_per_s =
        static_cast<double>(windows * params.window * bytes) / seconds(me.os.now() - begin) / 1e6;
    finished = true;
  }
  Task<> far() {
    Program& me = *programs[1];
    std::uint64_t messages = 0;
    for (std::uint32_t i = 0; i < warm_up_rounds + rounds; ++i) {
      co_await me.until_received(++messages);
      co_await me.send(0, params.bytes.count);
    }
    for (std::uint32_t w = 0; w < warm_up_windows + windows; ++w) {
      co_await me.until_received(messages += params.window);
      co_await me.send(0, answer_bytes);
    }
  }

  PingPongParams params;
  LibraryParams library;
  Timetable timetable;
  PayloadPool payloads;
  std::unique_ptr<network::Fabric> network;
  std::vector<std::uint32_t> router_of;
  os::Common common;
  Kinds kinds;
  std::vector<std::unique_ptr<node::Node>> nodes;
  std::vector<std::unique_ptr<Program>> programs;
  Time begin{};
  bool finished = false;
  PingPong result;
};

}  // namespace

const network::Fabric& ping_pong_network(const Config& config) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  return *never_destroyed<Pair>("machine", config, config.run.seed).network;
}

Trial run_ping_pong(const Config& config, std::uint32_t trial, const kit::Watch& watch) {
  kit::HostMeter meter;
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  kit::Sinks sinks(watch);
  auto& pair = never_destroyed<Pair>("machine", config, config.run.seed + trial);
  pair.network->probe(sinks.probe());
  for (auto& node : pair.nodes) node->probe(sinks.probe(), Stage::compute_processor);
  sinks.check_scopes();
  const kit::Sinks::End end_of_recording(sinks);
  StatisticSet statistics;
  statistics.group([&pair](StatisticSet& set) {
    pair.network->add_statistics(set);
    for (auto& node : pair.nodes) node->add_statistics(set);
  });
  start_kernel(sc_core::SC_ZERO_TIME);  // elaboration
  meter.set_up();

  content::Content sent(
      content::Piece{content::source(content::Generated{}), static_cast<std::uint32_t>(pair.params.bytes.count)});
  for (auto& program : pair.programs) program->write(sent);
  pair.programs[0]->os.spawn(pair.near(), "ping");
  pair.programs[1]->os.spawn(pair.far(), "pong");
  start_kernel();
  if (!pair.finished) throw SimulationError("the programs of the ping-pong wait for messages that never arrive");

  Result result;
  result.ping_pong = pair.result;
  result.messages = pair.network->messages();
  result.message_bytes = pair.network->message_bytes();
  const auto found = pair.programs[1]->received(sent.size());
  result.verified = std::ranges::equal(found.pieces(), sent.pieces());
  if (!result.verified) throw SimulationError("the second program received other bytes than the first sent");
  HostFigures host{meter.read()};
  host.kernel_events = sc_core::sc_delta_count();
  host.delivered_bytes = pair.network->message_bytes();
  return {std::move(result), kit::to_json(statistics, config.run.statistics), std::move(host), {}};
}

}  // namespace sunstar::traffic
