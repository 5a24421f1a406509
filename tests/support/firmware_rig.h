// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/core/content/content.h"
#include "sw/registry/file_systems.h"
#include "tests/support/endpoints.h"
#include "tests/support/fake_store.h"

namespace sunstar::test {

/// Calls that a test lists, instead of a pattern or a trace.
struct ListedCalls : workload::Workload {
  using Workload::collectives_, Workload::files_;
  std::vector<std::vector<requests::Access>> calls;  ///< of each processor

  std::uint32_t processors() const override { return static_cast<std::uint32_t>(calls.size()); }
  std::uint64_t memory_bytes(std::uint32_t p) const override {
    std::uint64_t most = 0;
    for (const auto& a : calls[p]) most = std::max(most, a.memory + a.bytes);
    return most;
  }
  std::unique_ptr<requests::AccessSource> accesses(std::uint32_t p) const override {
    return requests::source_of(calls[p]);
  }
  std::uint64_t bytes_moved() const override { return 0; }
  std::uint64_t access_count() const override { return 0; }
};

/// Fake nodes with one file of 1 KiB blocks: the first nodes compute, the last one, or the last `io_processors`, do I/O
/// for as many disks each. Block b of the file lies on disk b mod disks, at sectors 10 + 2 * (b / disks); the disks
/// hold version 0 of its content.
struct FirmwareRig {
  static constexpr std::uint32_t block = 1024;

  FirmwareRig(std::uint32_t compute, std::uint32_t disks, std::uint64_t file_bytes,
              const os::Costs& costs = free_of_charge(), std::uint32_t io_processors = 1)
      : machine(compute + io_processors),
        endpoints(machine, costs),
        store(plain_store(machine, compute, io_processors, disks / io_processors, 1000)),
        volume(*store, block) {
    nodes.compute = endpoints.first(compute);
    io::StoredFile stored;
    stored.bytes = file_bytes;
    stored.on_unit.resize(disks);
    for (std::uint64_t b = 0; b * block < file_bytes; ++b) stored.on_unit[b % disks].push_back(10 + 2 * (b / disks));
    volume.add(std::move(stored));
    for (std::uint64_t b = 0; b * block < file_bytes; ++b) content::fill(0, 0, b * block, on_disk(b));
  }

  os::Os& io() { return endpoints.os(nodes.compute.size()); }
  FakeDisk& disk(std::uint32_t d) {
    const std::size_t io_processors = machine.size() - nodes.compute.size();
    return machine[nodes.compute.size() + d % io_processors].disk(d / io_processors);
  }
  /// A block of the file as it lies on its disk.
  std::span<std::byte> on_disk(std::uint64_t b) {
    return std::span(disk(volume.unit_of(b)).bytes).subspan(volume.sector_of(0, b) * 512, block);
  }
  /// Which blocks of the file the disk was told to read or write, in order.
  std::vector<std::uint64_t> blocks(std::uint32_t d, bool write) {
    std::vector<std::uint64_t> all;
    for (const auto& e : disk(d).log)
      if (e.write == write) all.push_back((e.sector - 10) / 2 * volume.units() + d);
    return all;
  }
  /// The drivers of the disks and the store, for tests of what lies above them and below a file system.
  io::IoNode& io_node() {
    if (nodes.io.empty())
      for (std::size_t n = nodes.compute.size(); n < machine.size(); ++n)
        nodes.add_io(endpoints[n], *store, queue_order);
    return nodes.io.front();
  }
  /// Runs the file system of that kind on the given calls, with version 1 of the file in the writers' buffers.
  void run(std::vector<std::vector<requests::Access>> calls) {
    workload.files_ = {{"file", volume.file_bytes(0), true, true}};
    workload.calls = std::move(calls);
    run(workload);
  }
  /// The same for any workload on the file.
  void run(const workload::Workload& work) {
    job.workload = &work;
    for (std::uint32_t p = 0; p < nodes.compute.size(); ++p) {
      const std::uint64_t bytes = work.memory_bytes(p);
      job.memory.push_back({endpoints.os(p).node().allocate(bytes), bytes, &endpoints.os(p).memory()});
      requests::Access a;
      for (const auto source = work.accesses(p); source->next(a);)
        if (a.operation == requests::Operation::write)
          content::fill(a.file, 1, a.offset, std::span(job.memory[p].base + a.memory, a.bytes));
    }
    if (before_start) before_start();
    io_node();
    file_systems::FileSystemParams params;
    params.kind = kind;
    params.block_size = {block};
    file_system = make(params, system);
    file_system->start();
    machine.timeline.run();
  }
  /// The processor stops, at once.
  void stop(std::uint32_t processor) {
    endpoints.os(processor).power_off();
    file_system->stop(processor);
  }
  workload::RunRecord& record() { return job.record; }
  /// Whether it was reported that this byte of the file could not be read, or written.
  bool told_of(requests::Operation operation, std::uint64_t offset) {
    return std::ranges::any_of(record().failures(), [&](const requests::Failed& f) {
      return f.operation == operation && f.offset <= offset && offset < f.offset + f.bytes;
    });
  }

  file_systems::Kinds kind;
  file_systems::traditional_caching::Params& caching() { return kind.as<file_systems::traditional_caching::Params>(); }
  file_systems::enwrich::Params& enwrich() { return kind.as<file_systems::enwrich::Params>(); }
  std::function<void()> before_start;  ///< once memories are filled
  std::string queue_order = "first-come-first-served";
  FakeMachine machine;
  Endpoints endpoints;
  io::Nodes nodes;
  std::unique_ptr<io::Store> store;
  io::Volume volume;
  ListedCalls workload;
  workload::Job job;
  file_systems::Run system{endpoints.protocol, nodes, volume, job};
  std::unique_ptr<file_systems::FileSystem> file_system;
};

inline requests::Access reading(std::uint64_t offset, std::uint64_t bytes, std::uint64_t memory = 0) {
  return {0, requests::Operation::read, offset, memory, bytes, {}, {}};
}
inline requests::Access writing(std::uint64_t offset, std::uint64_t bytes, std::uint64_t memory = 0) {
  return {0, requests::Operation::write, offset, memory, bytes, {}, {}};
}

}  // namespace sunstar::test
