// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/core/content/content.h"
#include "sw/registry/file_systems.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"

namespace sunstar::test {

/// Calls that a test lists, of processes that may share nodes.
struct ProcessCalls : ListedCalls {
  std::vector<std::uint32_t> node_of;  ///< by process; empty: a node each
  std::uint32_t node(std::uint32_t process) const override { return node_of.empty() ? process : node_of[process]; }
  std::uint64_t bytes_moved() const override { return 1; }
};

/// Fake nodes with PVFS: application nodes, then data nodes with a disk each. A file is striped over the data nodes by
/// 8 KiB, that is two blocks of a cache; block b of file f lies on disk b mod data nodes.
struct PvfsRig {
  static constexpr std::uint32_t stripe = 8192, block = 4096;
  static constexpr std::uint64_t sectors_of_file = 1024;  // on a disk

  PvfsRig(std::uint32_t applications, std::uint32_t data, std::vector<std::uint64_t> files,
          const std::optional<os::SocketParams>& sockets = {})
      : applications(applications),
        machine(applications + data),
        endpoints(machine, free_of_charge(), sockets),
        store(plain_store(machine, applications, data, 1, sectors_of_file * (files.size() + 1))),
        volume(*store, stripe) {
    params.module.size = {16 * block};
    for (std::uint32_t f = 0; f < files.size(); ++f) {
      io::StoredFile stored;
      stored.bytes = files[f];
      stored.on_unit.resize(data);
      for (std::uint64_t s = 0; s * stripe < files[f]; ++s)
        stored.on_unit[s % data].push_back(f * sectors_of_file + s / data * (stripe / 512));
      volume.add(std::move(stored));
      work.files_.push_back({"file" + std::to_string(f), files[f], true, true});
      for (std::uint64_t s = 0; s * stripe < files[f]; ++s)
        content::fill(f, 0, s * stripe, on_disk(f, s).first(volume.bytes_in_block(f, s)));
    }
  }

  std::span<std::byte> on_disk(std::uint32_t f, std::uint64_t s) {
    FakeDisk& disk = machine[applications + volume.unit_of(s)].disk(0);
    return std::span(disk.bytes).subspan(volume.sector_of(f, s) * 512, stripe);
  }

  /// Runs the calls to the end. Written bytes are version 1.
  void run(std::vector<std::vector<requests::Access>> calls, std::vector<std::uint32_t> node_of = {}) {
    work.calls = std::move(calls);
    work.node_of = std::move(node_of);
    job.workload = &work;
    for (std::uint32_t p = 0; p < work.processors(); ++p) {
      nodes.compute.push_back(&endpoints[work.node(p)]);
      const std::uint64_t bytes = work.memory_bytes(p);
      os::Os& own = endpoints.os(work.node(p));
      job.memory.push_back({own.node().allocate(bytes), bytes, &own.memory()});
      for (const requests::Access& a : work.calls[p])
        if (a.operation == requests::Operation::write) content::fill(a.file, 1, a.offset, memory(p, a));
    }
    for (std::size_t i = applications; i < machine.size(); ++i) nodes.add_io(endpoints[i], *store, "cyclical-scan");
    file_systems::FileSystemParams all;
    all.kind = params;
    all.block_size = {stripe};
    file_system = make(all, system);
    file_system->start();
    machine.timeline.run();
    REQUIRE(job.record.finished());
    CHECK(machine.unreleased() == 0);
    file_system->add_statistics(statistics);
    file_system->add_figures(figures);
  }
  std::span<std::byte> memory(std::uint32_t p, const requests::Access& a) {
    return std::span(job.memory[p].base + a.memory, a.bytes);
  }
  /// Whether what the access has read is that version of the file.
  bool has_read(std::uint32_t p, std::size_t call, std::uint32_t version) {
    const requests::Access& a = work.calls[p][call];
    std::vector<std::byte> expected(a.bytes);
    content::fill(a.file, version, a.offset, std::span(expected));
    return std::ranges::equal(memory(p, a), expected);
  }
  /// Sum over all nodes.
  std::uint64_t sum(const std::string& ending) {
    double all = 0;
    statistics.for_each([&](const Statistic& s) {
      if (s.name.ends_with(ending)) all += s.value();
    });
    return static_cast<std::uint64_t>(all);
  }
  std::uint64_t figure(const std::string& name) {
    for (const auto& figure : figures.section("cache").entries())
      if (figure.name == name) return std::get<std::uint64_t>(figure.value);
    FAIL("there is no figure " << name);
    return 0;
  }

  std::uint32_t applications;
  FakeMachine machine;
  Endpoints endpoints;
  io::Nodes nodes;
  std::unique_ptr<io::Store> store;
  io::Volume volume;
  ProcessCalls work;
  workload::Job job;
  file_systems::pvfs::Params params;
  file_systems::Run system{endpoints.protocol, nodes, volume, job};
  std::unique_ptr<file_systems::FileSystem> file_system;
  StatisticSet statistics;
  NamedFigures figures;
};

}  // namespace sunstar::test
