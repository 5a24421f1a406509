// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sw/file_systems/galley/gfs/gfs.h"
#include "sw/file_systems/galley/on_disk/inspection.h"
#include "tests/support/catch.h"
#include "tests/support/endpoints.h"
#include "tests/support/firmware_rig.h"

namespace sunstar::test {

/// Fake nodes with Galley: compute processors with a buffer each, then I/O processors with their disks. The disks are
/// formatted and hold no file.
struct GalleyRig {
  static constexpr std::uint32_t block = 1024;

  GalleyRig(std::uint32_t compute, std::uint32_t io, std::uint32_t disks_each = 1, std::uint64_t blocks_of_disk = 400,
            std::uint64_t memory = 64 << 10)
      : machine(compute + io),
        endpoints(machine, free_of_charge()),
        store(plain_store(machine, compute, io, disks_each, blocks_of_disk * block / 512)),
        volume(*store, block) {
    params.cache_blocks = 16;
    params.packet = {block};
    params.entries = 16;
    nodes.compute = endpoints.first(compute);
    for (std::uint32_t p = 0; p < compute; ++p)
      job.memory.push_back({endpoints.os(p).node().allocate(memory), memory, &endpoints.os(p).memory()});
    job.workload = &nothing;
    nothing.calls.resize(compute);
  }

  /// Runs the program on every compute processor, to the end of the run.
  void run(file_systems::galley::Program program) {
    for (std::size_t i = nodes.compute.size(); i < machine.size(); ++i)
      nodes.add_io(endpoints[i], *store, "cyclical-scan");
    file_system = make(params, system, std::move(program));
    file_system->format(*store);
    file_system->start();
    machine.timeline.run();
    REQUIRE(job.record.finished());
    CHECK(machine.unreleased() == 0);
  }
  /// The buffer of a compute processor.
  std::span<std::byte> memory(std::uint32_t p) {
    const messages::RemoteMemory& buffer = job.memory[p];
    return {buffer.memory->bytes(buffer.base, buffer.bytes), buffer.bytes};
  }
  FakeDisk& disk(std::uint32_t d) {
    const io::Place& place = volume.place(d);
    return machine[nodes.compute.size() + place.io_processor].disk(place.unit);
  }
  /// What lies on the disks. Checks that nothing there contradicts itself.
  file_systems::galley::Inspection inspect() {
    std::vector<file_systems::galley::InspectedDisk> disks;
    for (std::uint32_t d = 0; d < volume.units(); ++d) {
      const io::RawDisk& raw = store->raw(d);
      const auto form = file_systems::galley::form_of(raw.shape().sectors, 512, block, params);
      disks.push_back({form, [&raw](std::uint64_t b, std::span<std::byte> to) { raw.read(b * (block / 512), to); }});
    }
    auto found = file_systems::galley::inspect(disks);
    CHECK(found.findings == std::vector<std::string>{});
    return found;
  }
  /// The bytes of a fork as they lie on its disk.
  std::vector<std::byte> on_disk(const std::string& file, std::uint32_t subfile, const std::string& fork) {
    std::vector<std::byte> bytes;
    for (const auto& f : inspect().files) {
      if (f.name != file) continue;
      for (const auto& k : f.subfiles.at(subfile)) {
        if (k.name != fork) continue;
        const std::uint32_t d = (f.first_disk + subfile) % volume.units();
        for (const auto number : k.blocks) {
          const auto from = disk(d).bytes.begin() + static_cast<std::ptrdiff_t>(std::uint64_t{number} * block);
          bytes.insert(bytes.end(), from, from + block);
        }
        bytes.resize(k.bytes);
      }
    }
    return bytes;
  }

  file_systems::galley::Params params;
  FakeMachine machine;
  Endpoints endpoints;
  io::Nodes nodes;
  std::unique_ptr<io::Store> store;
  io::Volume volume;
  ListedCalls nothing;
  workload::Job job;
  file_systems::Run system{endpoints.protocol, nodes, volume, job};
  std::unique_ptr<file_systems::FileSystem> file_system;
};

}  // namespace sunstar::test
