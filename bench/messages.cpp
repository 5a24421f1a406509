// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/in_child.h"
#include "bench/kernel_events.h"
#include "models/kernel/simulation.h"
#include "platforms/machine/assembly/machine.h"
#include "platforms/machine/run/config.h"

// What a message costs the host, in nanoseconds and as a multiple of the bare kernel's timed event. One program
// measures both in turn and takes the least of each, because other programs on the host can only add time.
namespace sunstar::bench {
namespace {

/// The machine of TR94-226 with 8-byte records. A cyclic distribution of them gives the most messages.
machine::Config small_records(const std::string& file_system, const std::string& pattern) {
  machine::Config config;
  config.file_system.kind.choose(file_system);
  auto& work = config.workload.kind.as<workload::PatternParams>();
  work.pattern = pattern;
  work.record_size = {8};
  return config;
}

struct Run {
  double seconds, messages, kernel_events;
};

/// A whole trial, including set-up, verification and statistics.
Run run(const machine::Config& config) {
  const auto trial = run_trial(config, 0);
  return {trial.host.cpu_seconds, static_cast<double>(trial.result.messages),
          static_cast<double>(trial.host.kernel_events.value_or(0))};
}

void messages_of(benchmark::State& state, const machine::Config& config) {
  double message = std::numeric_limits<double>::max(), event = message;
  Run last{};
  for (auto _ : state) {
    event = std::min(event, in_child([] { return seconds_per_event(64, 2'000'000); }));
    last = in_child([&] { return run(config); });
    state.SetIterationTime(last.seconds);
    message = std::min(message, last.seconds / last.messages);
  }
  state.counters["messages"] = last.messages;
  state.counters["messages_per_second"] = 1 / message;
  state.counters["ns_per_message"] = message * 1e9;
  state.counters["ns_per_raw_event"] = event * 1e9;
  state.counters["raw_events_per_message"] = message / event;
  state.counters["kernel_events_per_message"] = last.kernel_events / last.messages;
}
void messages(benchmark::State& state, const char* file_system, const char* pattern) {
  messages_of(state, small_records(file_system, pattern));
}
BENCHMARK_CAPTURE(messages, traditional_caching_rc_8B, "traditional-caching", "rc")
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages, traditional_caching_wc_8B, "traditional-caching", "wc")
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages, disk_directed_rc_8B, "disk-directed", "rc")
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

/// Messages of 8 bytes between the compute processors of that machine, each checked on arrival.
void messages_exchanged(benchmark::State& state, workload::ExchangePattern pattern) {
  machine::Config config;
  workload::ExchangeParams work;
  work.pattern = pattern;
  work.message_size = {8};
  work.rounds = pattern == workload::ExchangePattern::all_to_all ? 4'000 : 15'000;
  config.workload.kind = work;
  messages_of(state, config);
}
BENCHMARK_CAPTURE(messages_exchanged, all_to_all_8B, workload::ExchangePattern::all_to_all)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages_exchanged, allreduce_8B, workload::ExchangePattern::allreduce)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

/// Hardware's part of these messages: in place of the executive, a few lines take each message as a disk-directed read
/// does. Half of the nodes send 8 bytes to the others in turn, which acknowledge; each has `at_once` on their way.
class Bouncer final : public hal::Firmware {
 public:
  static constexpr std::uint32_t at_once = 16, bytes = 8;
  Bouncer(hal::Node& node, std::uint32_t others, std::uint64_t messages)
      : node_(node), buffer_(node.allocate(std::uint64_t{bytes} * others)), others_(others), left_(messages) {
    node_.boot(*this);
  }
  void send() {
    if (left_ == 0) return;
    --left_;
    message_.target = others_ + next_;
    message_.bytes = bytes;
    message_.data = buffer_ + std::uint64_t{bytes} * next_;
    if (++next_ == others_) next_ = 0;
    node_.network().send(message_, node_.now());
  }
  std::uint64_t arrived() const { return arrived_; }
  void message_arrived(hal::Message& m) override {
    ++arrived_;
    const Time end = node_.processor().interrupt(Cycles{120});
    const hal::NodeId source = m.source;
    const bool data = m.bytes > 0;
    const Time there = node_.network().accept(m, data ? buffer_ + std::uint64_t{bytes} * source : nullptr, end);
    node_.network().release(m);
    if (!data) return send();
    hal::Message acknowledgement = message_;
    acknowledgement.target = source;
    node_.network().send(acknowledgement, there);
  }
  void block_done(hal::BlockCommand&) override {}

 private:
  hal::Node& node_;
  std::byte* const buffer_;
  const std::uint32_t others_;
  std::uint64_t left_, arrived_ = 0;
  std::uint32_t next_ = 0;
  hal::Message message_;
};
void messages_without_firmware(benchmark::State& state) {
  constexpr std::uint32_t senders = 16;
  constexpr std::uint64_t each = 40'000;
  machine::Config config;
  config.machine.compute_processors = 2 * senders;
  config.machine.io_processors = config.machine.disks = 1;
  const machine::Blueprint blueprint = machine::blueprint(config);
  double message = std::numeric_limits<double>::max(), event = message;
  for (auto _ : state) {
    event = std::min(event, in_child([] { return seconds_per_event(64, 2'000'000); }));
    const double seconds = in_child([&] {
      auto& machine =
          never_destroyed<machine::Machine>("machine", blueprint, config.run.seed, [](const auto&) { return 1 << 20; });
      std::vector<std::unique_ptr<Bouncer>> all;
      for (std::uint32_t i = 0; i < 2 * senders; ++i)
        all.push_back(std::make_unique<Bouncer>(machine.compute(i).node(), senders, i < senders ? each : 0));
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
      const double before = cpu_seconds();
      for (std::uint32_t k = 0; k < Bouncer::at_once; ++k)
        for (std::uint32_t i = 0; i < senders; ++i) all[i]->send();
      sc_core::sc_start();
      for (const auto& one : all)
        if (one->arrived() != each) throw std::runtime_error("not all messages have arrived");
      return cpu_seconds() - before;
    });
    state.SetIterationTime(seconds);
    message = std::min(message, seconds / (2 * senders * each));
  }
  state.counters["ns_per_message"] = message * 1e9;
  state.counters["ns_per_raw_event"] = event * 1e9;
  state.counters["raw_events_per_message"] = message / event;
}
BENCHMARK(messages_without_firmware)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

/// The same machine on a fat tree, with interfaces for messages only or with RDMA.
void messages_on_fat_tree(benchmark::State& state, const char* file_system, const char* interface) {
  machine::Config config = small_records(file_system, "rc");
  config.machine.network.kind = network::FatTreeParams{};
  config.machine.node.interface.kind.choose(interface);
  messages_of(state, config);
}
BENCHMARK_CAPTURE(messages_on_fat_tree, traditional_caching_rc_8B, "traditional-caching", "messages")
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages_on_fat_tree, rdma_traditional_caching_rc_8B, "traditional-caching", "rdma")
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages_on_fat_tree, rdma_disk_directed_rc_8B, "disk-directed", "rdma")
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

/// Building a machine up to the first event: routers, nodes, buses and drives. Most nodes are idle compute processors.
void start_up_of(benchmark::State& state, const machine::Config& config) {
  struct Cost {
    double seconds, host_bytes;
  };
  const machine::Blueprint blueprint = machine::blueprint(config);
  Cost most{};
  for (auto _ : state) {
    const Cost cost = in_child([&] {
      const Cost before{cpu_seconds(), resident_bytes()};
      never_destroyed<machine::Machine>("machine", blueprint, config.run.seed, [](const auto&) { return 64 << 20; });
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
      return Cost{cpu_seconds() - before.seconds, resident_bytes() - before.host_bytes};
    });
    state.SetIterationTime(cost.seconds);
    if (cost.host_bytes > most.host_bytes) most = cost;
  }
  state.counters["host_bytes"] = most.host_bytes;
  state.counters["host_bytes_a_node"] = most.host_bytes / static_cast<double>(blueprint.machine.nodes.size());
}
void start_up(benchmark::State& state) {
  machine::Config config;
  config.machine.compute_processors = static_cast<std::uint32_t>(state.range(0));
  start_up_of(state, config);
}
BENCHMARK(start_up)->ArgName("cps")->RangeMultiplier(16)->Range(16, 65536)->UseManualTime()->Iterations(3)->Unit(
    benchmark::kMillisecond);
/// 32 nodes among n x n routers.
void start_up_of_routers(benchmark::State& state) {
  machine::Config config;
  const auto k = static_cast<std::uint32_t>(state.range(0));
  config.machine.network.kind.as<network::CubeParams>().shape = {k, k};
  start_up_of(state, config);
}
BENCHMARK(start_up_of_routers)
    ->ArgName("k")
    ->Arg(6)
    ->Arg(256)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

/// The SP-2 with 64-byte records: all messages go through TCP sockets.
void messages_through_tcp(benchmark::State& state) {
  machine::Config config = machine::preset("sp2");
  auto& forks = config.workload.kind.as<workload::ForksParams>();
  forks.record_size = {64};
  forks.fork_size = {256 << 10};
  messages_of(state, config);
}
BENCHMARK(messages_through_tcp)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

/// PVFS on a cluster whose nodes share a hub: a message is a frame.
void messages_on_a_hub(benchmark::State& state) { messages_of(state, machine::preset("cluster")); }
BENCHMARK(messages_on_a_hub)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sunstar::bench
