// SPDX-License-Identifier: MIT
// Strided calls to the caches of the I/O processors: one call for many chunks, one request for the chunks of a block.
#include "sw/io/cached/messages.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::FirmwareRig;
using test::reading;
using test::writing;

namespace {

using Calls = std::vector<requests::Access>;

/// `bytes` at each of the offsets, one behind the other in memory.
Calls chunks(bool write, std::uint64_t bytes, const std::vector<std::uint64_t>& offsets) {
  Calls calls;
  for (const std::uint64_t offset : offsets)
    calls.push_back((write ? writing : reading)(offset, bytes, calls.size() * bytes));
  return calls;
}

/// How many requests the processors sent, besides the one to synchronise.
std::size_t block_requests(const FirmwareRig& rig) {
  std::size_t n = 0;
  for (const auto& sent : rig.machine.sent)
    n += sent.message.target == rig.nodes.io.front().endpoint.id() && !sent.message.reply;
  return n - 1;
}

/// Runs the calls of one processor, strided, on a file of 8 blocks on two disks, and checks what is in its memory.
struct Strided : FirmwareRig {
  explicit Strided(const Calls& calls) : FirmwareRig(1, 2, 8 * FirmwareRig::block) {
    caching().strided = true;
    caching().cache.prefetch = false;
    run({calls});
    REQUIRE(record().finished());
    CHECK(machine.unreleased() == 0);
    CHECK(record().units() == calls.size());
    std::uint64_t bytes = 0;
    for (const requests::Access& a : calls) {
      bytes += a.bytes;
      const std::span memory(job.memory[0].base + a.memory, a.bytes);
      if (a.operation == requests::Operation::read) CHECK(content::matches(0, 0, a.offset, memory));
      else CHECK(content::matches(0, 1, a.offset, on_disk(a.offset / block).subspan(a.offset % block, a.bytes)));
    }
    CHECK(record().bytes() == bytes);
  }
};

}  // namespace

TEST_CASE("chunks at equal distances make one request a block, and no list") {
  for (const bool write : {false, true}) {
    // Ten chunks of 100 bytes, 200 bytes apart: five in block 0 and five in block 1.
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < 10; ++i) offsets.push_back(40 + 200 * i);
    Strided rig(chunks(write, 100, offsets));
    CHECK(block_requests(rig) == 2);
    CHECK(rig.endpoints[0].list_bytes() == 0);
    CHECK(rig.job.record.latencies().kept().size() == 1);
  }
}

TEST_CASE("chunks at other distances come as a list, whose bytes count") {
  for (const bool write : {false, true}) {
    Strided rig(chunks(write, 10, {0, 20, 47, 100, 1030, 1040, 1050}));
    CHECK(block_requests(rig) == 2);
    // 0 and 20 are a run, 47 and 100 too; the three of block 1 touch.
    CHECK(rig.endpoints[0].list_bytes() == 2 * sizeof(messages::PieceRun));
  }
}

TEST_CASE("chunks that go backwards, or that do not follow one another in memory, make requests of their own") {
  CHECK(block_requests(Strided(chunks(false, 100, {2048, 1024, 0}))) == 3);
  CHECK(block_requests(Strided({reading(0, 8, 0), reading(16, 8, 100), reading(32, 8, 108)})) == 2);
}

TEST_CASE("a chunk that is wanted again is sent again, and a later write wins") {
  Strided again(chunks(false, 1000, {0, 0, 0}));
  CHECK(block_requests(again) == 3);  // a request asks for at most a block's bytes
}

TEST_CASE("a call that thinks, waits or turns round begins a call of its own") {
  Calls calls = chunks(false, 8, {0, 16, 32, 48, 64});
  calls[2].think = 5_us;
  calls[4].operation = requests::Operation::write;
  Strided rig(calls);
  CHECK(block_requests(rig) == 3);
  CHECK(rig.job.record.latencies().kept().size() == 3);
}

TEST_CASE("a list longer than a block makes several requests") {
  // Chunks of a byte, 2 and 3 bytes apart in turn: two share a run of 24 bytes, and a block has 204 such runs.
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t at = 0; at < FirmwareRig::block; at += offsets.size() % 2 ? 2 : 3) offsets.push_back(at);
  for (const bool write : {false, true}) {
    Strided rig(chunks(write, 1, offsets));
    // A chunk is added if two more runs would fit into 1024 bytes: 81 chunks make 41 runs, and the next one does not.
    CHECK(block_requests(rig) == (offsets.size() + 80) / 81);
    CHECK(rig.endpoints[0].list_bytes() <= block_requests(rig) * 41 * sizeof(messages::PieceRun));
  }
}

TEST_CASE("processors that write interleaved chunks fill each block once") {
  FirmwareRig rig(4, 2, 8 * FirmwareRig::block);
  rig.caching().strided = true;
  std::vector<Calls> calls;
  for (std::uint64_t p = 0; p < 4; ++p) {
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t at = 8 * p; at < 8 * FirmwareRig::block; at += 32) offsets.push_back(at);
    calls.push_back(chunks(true, 8, offsets));
  }
  rig.run(calls);
  REQUIRE(rig.record().finished());
  CHECK(block_requests(rig) == 4 * 8);
  CHECK(rig.nodes.totals().writes == 8);
  CHECK(rig.nodes.totals().reads == 0);
  for (std::uint64_t b = 0; b < 8; ++b) CHECK(content::matches(0, 1, b * 1024, rig.on_disk(b)));
}
