// SPDX-License-Identifier: MIT
// Collectives: disk-directed I/O, the hybrid's, and those of two-phase I/O.
#include <cstring>

#include "sw/workload/pattern/params.h"
#include "sw/workload/subset/params.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::FirmwareRig;

namespace {

constexpr std::uint64_t blocks_of_file = 8, bytes_of_record = FirmwareRig::block / 4;

/// Two processors write or read 8 blocks on two disks, records of a quarter of a block in turn.
std::unique_ptr<workload::Workload> records_in_turn(const char* pattern) {
  return workload::make(workload::PatternParams{pattern, {bytes_of_record}, {blocks_of_file * FirmwareRig::block}, ""},
                        {2});
}

/// The file systems that carry out collectives.
std::vector<file_systems::Kinds> with_collectives() {
  file_systems::disk_directed::Params gathers;
  gathers.gather = true;
  return {file_systems::disk_directed::Params{}, gathers, file_systems::hybrid::Params{},
          file_systems::two_phase::Params{}};
}

}  // namespace

TEST_CASE("blocks are written in their order on the disk, although a later one is ready first") {
  // Of block 0 only 8 bytes are written, so it is read first, which takes 1 ms; block 1 is ready at once.
  const test::TemporaryFolder folder;
  workload::SubsetParams params;
  params.operation = requests::Operation::write;
  params.file_size = {4 * FirmwareRig::block};
  params.list = folder.write("list.csv", "processor,offset,length\n0,0,8\n0,1024,1024\n");
  const auto work = workload::make(params, {1});
  FirmwareRig rig(1, 1, 4 * FirmwareRig::block);
  rig.kind = file_systems::disk_directed::Params{};
  rig.run(*work);
  REQUIRE(rig.record().finished());
  CHECK(rig.blocks(0, false) == std::vector<std::uint64_t>{0});
  CHECK(rig.blocks(0, true) == std::vector<std::uint64_t>{0, 1});
}

TEST_CASE("I/O processors begin with different compute processors, so that these are not all sent to at once") {
  // Half of each block is of compute processor 0, the other half of 1; I/O processors 2 and 3 each have four blocks.
  const auto halves = workload::make(
      workload::PatternParams{"rc", {FirmwareRig::block / 2}, {blocks_of_file * FirmwareRig::block}, ""}, {2});
  for (const bool gather : {false, true}) {
    INFO(gather);
    FirmwareRig rig(2, 2, blocks_of_file * FirmwareRig::block, test::free_of_charge(), 2);
    rig.kind = file_systems::disk_directed::Params{};
    rig.kind.as<file_systems::disk_directed::Params>().gather = gather;
    rig.run(*halves);
    REQUIRE(rig.record().finished());
    const auto first_with_data = [&](hal::NodeId from) {
      const auto first = std::ranges::find_if(rig.machine.sent, [&](const test::FakeMachine::Entry& e) {
        return e.message.source == from && e.message.bytes > 0;
      });
      REQUIRE(first != rig.machine.sent.end());
      return first->message.target;
    };
    CHECK(first_with_data(2) == 0);
    CHECK(first_with_data(3) == 1);
  }
}

TEST_CASE("where a collective cannot fetch the new bytes the file keeps its old ones, and the collective says where") {
  // Processor 1 stops when the n-th message leaves.
  const auto work = records_in_turn("wc");
  for (const file_systems::Kinds& kind : with_collectives()) {
    std::uint64_t kept = 0;
    for (std::size_t n = 1, messages = n; n <= messages; n += 3) {
      INFO(kind.kind_name() << ", message " << n);
      FirmwareRig rig(2, 2, blocks_of_file * FirmwareRig::block);
      rig.kind = kind;
      rig.endpoints.common.peers = os::Watched{};
      rig.machine.copies = [&](const hal::Message&) {
        if (rig.machine.sent.size() == n) rig.machine.timeline.at({}, [&] { rig.stop(1); });
        return 1;
      };
      rig.run(*work);
      messages = std::min<std::size_t>(rig.machine.sent.size(), 100);
      REQUIRE(rig.record().finished());
      for (std::uint64_t at = 0; at < blocks_of_file * FirmwareRig::block; ++at) {
        const auto byte = rig.on_disk(at / FirmwareRig::block).subspan(at % FirmwareRig::block, 1);
        if (content::matches(0, 1, at, byte)) continue;
        INFO("byte " << at);
        REQUIRE(content::matches(0, 0, at, byte));
        REQUIRE(rig.told_of(requests::Operation::write, at));
        ++kept;
      }
    }
    CHECK(kept > 0);
  }
}

TEST_CASE("a block that a collective cannot read fails that collective, and the next one tries it again") {
  const auto once = records_in_turn("rc");
  for (const file_systems::Kinds& kind : with_collectives())
    for (const bool mended : {false, true}) {
      INFO(kind.kind_name() << (mended ? ", mended" : ""));
      FirmwareRig rig(2, 2, blocks_of_file * FirmwareRig::block);
      rig.kind = kind;
      rig.disk(0).bad = {rig.volume.sector_of(0, 2)};
      rig.workload.files_ = once->files();
      rig.workload.collectives_ = {once->collectives().front(), once->collectives().front()};
      rig.workload.collectives_.back().not_before = 1000_ms;
      rig.workload.calls = {{test::reading(0, once->memory_bytes(0))}, {test::reading(0, once->memory_bytes(1))}};
      rig.endpoints.common.peers = os::Watched{};
      rig.before_start = [&] {
        for (const messages::RemoteMemory& memory : rig.job.memory) std::memset(memory.base, 0x5a, memory.bytes);
      };
      if (mended) rig.machine.timeline.at(Time{500_ms}, [&] { rig.disk(0).bad.clear(); });
      rig.run(rig.workload);
      REQUIRE(rig.record().finished());
      CHECK(rig.record().units() == 2);
      CHECK(rig.record().failed_units() == (mended ? 1 : 2));
      for (std::uint64_t b = 0; b < blocks_of_file; ++b)
        CHECK(rig.told_of(requests::Operation::read, b * FirmwareRig::block) == (b == 2));
      for (std::uint64_t at = 0; at < blocks_of_file * FirmwareRig::block; at += bytes_of_record) {
        const auto read = rig.job.memory[at / bytes_of_record % 2].base + at / bytes_of_record / 2 * bytes_of_record;
        const bool there = content::matches(0, 0, at, std::span(read, bytes_of_record));
        CHECK(there == (mended || at / FirmwareRig::block != 2));
      }
    }
}
