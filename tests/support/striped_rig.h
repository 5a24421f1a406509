// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sw/registry/file_systems.h"
#include "tests/support/catch.h"
#include "tests/support/pvfs_rig.h"

namespace sunstar::test {

/// Fake nodes with a file system of servers of objects: clients, then I/O processors with a disk each. A file is
/// striped by 8 KiB, two pages. Each write fills its bytes with a number of its own; the file holds zeros before.
struct StripedRig {
  static constexpr std::uint32_t stripe = 8192;
  static constexpr std::uint64_t disk_sectors = 4096;

  StripedRig(std::uint32_t clients_, std::uint32_t servers, std::uint64_t file_bytes, file_systems::Kinds kind,
             const os::Costs& costs = free_of_charge())
      : clients(clients_),
        machine(clients + servers),
        endpoints(machine, costs),
        store(plain_store(machine, clients, servers, 1, disk_sectors)),
        volume(*store, stripe) {
    params.kind = std::move(kind);
    params.block_size = {stripe};
    io::StoredFile stored;
    stored.bytes = file_bytes;
    work.files_ = {{"file", file_bytes, true, true}};
    stored.stripes = file_systems::stripes(params, work, volume).front();
    stored.on_unit.resize(servers);
    const io::Stripes stripes = stored.stripes.value_or(io::Stripes{0, servers, servers});
    for (std::uint32_t u = 0; u < servers; ++u)
      for (std::uint64_t i = 0; i < stripes.blocks_on(u, volume.blocks_in(file_bytes)); ++i)
        stored.on_unit[u].push_back(16 + i * (stripe / 512));
    volume.add(std::move(stored));
  }

  struct Done {
    requests::Access access;
    std::uint32_t process;
    std::byte value;  ///< that a write has written
    Time start, end;
    hal::Status status;
  };

  /// Runs the calls of each process to the end, and notes them.
  void run(std::vector<std::vector<requests::Access>> calls, std::vector<std::uint32_t> node_of = {}) {
    work.calls = std::move(calls);
    work.node_of = std::move(node_of);
    job.workload = &work;
    std::uint8_t value = 0;
    std::vector<std::vector<std::byte>> values(work.processors());
    for (std::uint32_t p = 0; p < work.processors(); ++p) {
      nodes.compute.push_back(&endpoints[work.node(p)]);
      const std::uint64_t bytes = work.memory_bytes(p);
      os::Os& own = endpoints.os(work.node(p));
      job.memory.push_back({own.node().allocate(bytes), bytes, &own.memory()});
      for (const requests::Access& a : work.calls[p]) {
        values[p].push_back(a.operation == requests::Operation::write ? std::byte{++value} : std::byte{0});
        std::ranges::fill(std::span(job.memory[p].base + a.memory, a.bytes), values[p].back());
      }
    }
    for (std::size_t i = clients; i < machine.size(); ++i) nodes.add_io(endpoints[i], *store, "cyclical-scan");
    std::vector<std::size_t> made(work.processors());
    job.record.when_ended = [&](const workload::Ended& e) {
      const std::size_t n = made[e.processor]++;
      done.push_back({work.calls[e.processor][n], e.processor, values[e.processor][n], e.start, e.end, e.status});
    };
    file_system = make(params, system);
    file_system->start();
    machine.timeline.run();
    REQUIRE(job.record.finished());
    CHECK(machine.unreleased() == 0);
    file_system->add_statistics(statistics);
  }
  /// What the call has read.
  std::span<const std::byte> seen(const Done& d) const {
    return std::span(job.memory[d.process].base + d.access.memory, d.access.bytes);
  }
  std::byte on_disk(std::uint64_t at) {
    const std::uint64_t block = at / stripe;
    const FakeDisk& disk = machine[clients + volume.unit_of(0, block)].disk(0);
    return disk.bytes[volume.sector_of(0, block) * 512 + at % stripe];
  }
  std::uint64_t sum(const std::string& ending) {
    double all = 0;
    statistics.for_each([&](const Statistic& s) {
      if (s.name.ends_with(ending)) all += s.value();
    });
    return static_cast<std::uint64_t>(all);
  }

  std::uint32_t clients;
  FakeMachine machine;
  Endpoints endpoints;
  io::Nodes nodes;
  std::unique_ptr<io::Store> store;
  io::Volume volume;
  ProcessCalls work;
  workload::Job job;
  file_systems::FileSystemParams params;
  file_systems::Run system{endpoints.protocol, nodes, volume, job};
  std::unique_ptr<file_systems::FileSystem> file_system;
  std::vector<Done> done;
  StatisticSet statistics;
};

/// Small caches and requests, so that everything that can happen does.
inline file_systems::locking::Params small_locking() {
  file_systems::locking::Params p;
  p.objects.request_size = {16 << 10};
  p.objects.server_threads = 2;
  p.objects.requests_in_flight = 2;
  p.pages.size = {48 << 10};
  p.pages.dirty = {24 << 10};
  return p;
}
inline file_systems::versioned::Params small_versioned() {
  file_systems::versioned::Params p;
  p.objects.request_size = {16 << 10};
  p.objects.server_threads = 2;
  p.objects.requests_in_flight = 2;
  p.log.size = {40 << 10};
  return p;
}

}  // namespace sunstar::test
