// SPDX-License-Identifier: MIT
// Programs on Galley's run-time library, on nodes without a kernel.
#include <algorithm>
#include <cstring>
#include <set>

#include "models/core/random.h"
#include "sw/file_systems/galley/requests/error.h"
#include "tests/support/bytes.h"
#include "tests/support/galley_chunks.h"
#include "tests/support/galley_rig.h"

using namespace sunstar;
using namespace sunstar::file_systems::galley;
using test::copy;
using test::difference;
using test::fill;
using test::GalleyRig;

TEST_CASE("what one processor writes to a fork lies on the disk after a sync, and another processor reads it") {
  GalleyRig rig(2, 2);
  fill(rig.memory(0).first(5000), 1);
  const auto written = copy(rig.memory(0).first(5000));
  bool ready = false;
  rig.run([&](Gfs& gfs, std::uint32_t processor) -> os::Task<> {
    if (processor == 0) {
      const Answer file = co_await gfs.gfs_create("data", 2);
      CHECK(file.error == Error::none);
      CHECK(gfs.gfs_subfiles(file.number) == 2);
      const Answer fork = co_await gfs.gfs_create_fork(file.number, 1, "rows");
      const Answer write = co_await gfs.gfs_write(fork.number, 0, 0, 5000);
      CHECK(write.error == Error::none);
      CHECK(write.bytes == 5000);
      ready = true;
    } else {
      while (!ready) co_await gfs.os().sleep_until(gfs.os().now() + Duration{1'000'000'000});
      const Answer file = co_await gfs.gfs_open("data");
      const Answer fork = co_await gfs.gfs_open_fork(file.number, 1, "rows");
      CHECK(fork.bytes == 5000);
      const Answer read = co_await gfs.gfs_read(fork.number, 100, 10, 4990);
      CHECK(read.error == Error::none);
      CHECK(read.bytes == 4990);
    }
  });
  CHECK(difference(rig.on_disk("data", 1, "rows"), written) == -1);
  CHECK(difference(rig.memory(1).subspan(100, 4990), std::span(written).subspan(10)) == -1);
}

TEST_CASE("calls that cannot be carried out answer with an error and change nothing") {
  GalleyRig rig(1, 2);
  std::vector<std::pair<std::string, Error>> errors;
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    const auto note = [&](const char* what, Error error) { errors.emplace_back(what, error); };
    Answer a = co_await gfs.gfs_open("nothing");
    note("open", a.error);
    a = co_await gfs.gfs_delete("nothing");
    note("delete", a.error);
    a = co_await gfs.gfs_create("wide", 3);
    note("subfiles", a.error);
    a = co_await gfs.gfs_create("none", 0);
    note("no subfile", a.error);
    a = co_await gfs.gfs_create("", 1);
    note("no name", a.error);
    a = co_await gfs.gfs_create(std::string(64, 'x'), 1);
    note("long name", a.error);
    const Answer file = co_await gfs.gfs_create(std::string(63, 'x'), 1);
    note("longest name", file.error);
    a = co_await gfs.gfs_create(std::string(63, 'x'), 1);
    note("twice", a.error);
    a = co_await gfs.gfs_open_fork(file.number, 0, "f");
    note("open fork", a.error);
    a = co_await gfs.gfs_open_fork(file.number, 1, "f");
    note("subfile", a.error);
    a = co_await gfs.gfs_create_fork(7, 0, "f");
    note("file not open", a.error);
    const Answer fork = co_await gfs.gfs_create_fork(file.number, 0, "f");
    a = co_await gfs.gfs_create_fork(file.number, 0, "f");
    note("fork twice", a.error);
    a = co_await gfs.gfs_delete_fork(file.number, 0, "g");
    note("delete fork", a.error);
    a = co_await gfs.gfs_read(-1, 0, 0, 1);
    note("fid", a.error);
    a = co_await gfs.gfs_read(fork.number, 0, 0, 1);
    note("behind the end", a.error);
    a = co_await gfs.gfs_read(fork.number, 0, 0, 0);
    note("nothing", a.error);
    a = co_await gfs.gfs_write(fork.number, 65000, 0, 1000);
    note("memory", a.error);
    a = co_await gfs.gfs_write(fork.number, 0, -1, 10);
    note("before the fork", a.error);
    a = co_await gfs.gfs_write_strided(fork.number, 0, 0, 10, 20, 10, -1);
    note("count", a.error);
    a = co_await gfs.gfs_write_strided(fork.number, 0, 0, 10, INT64_MAX / 2, 0, 4);
    note("overflow", a.error);
    a = co_await gfs.gfs_extend(fork.number, -1);
    note("extend", a.error);
    a = co_await gfs.gfs_extend(99, 1);
    note("extend what", a.error);
    a = co_await gfs.gfs_extend(fork.number, 1 << 20);
    note("full disk", a.error);
    a = co_await gfs.gfs_write(fork.number, 0, 1 << 20, 10);
    note("write to a full disk", a.error);
  });
  const std::vector<std::pair<std::string, Error>> expected{
      {"open", Error::no_such_file},          {"delete", Error::no_such_file},
      {"subfiles", Error::too_many_subfiles}, {"no subfile", Error::bad_argument},
      {"no name", Error::name_too_long},      {"long name", Error::name_too_long},
      {"longest name", Error::none},          {"twice", Error::exists},
      {"open fork", Error::no_such_fork},     {"subfile", Error::no_such_subfile},
      {"file not open", Error::not_open},     {"fork twice", Error::exists},
      {"delete fork", Error::no_such_fork},   {"fid", Error::not_open},
      {"behind the end", Error::out_of_file}, {"nothing", Error::none},
      {"memory", Error::out_of_memory},       {"before the fork", Error::out_of_file},
      {"count", Error::bad_argument},         {"overflow", Error::overflow},
      {"extend", Error::bad_argument},        {"extend what", Error::not_open},
      {"full disk", Error::no_space},         {"write to a full disk", Error::no_space}};
  CHECK(errors == expected);
  CHECK(rig.on_disk(std::string(63, 'x'), 0, "f").empty());
}

TEST_CASE("files and forks are listed, and what is deleted gives its blocks back") {
  GalleyRig rig(1, 3, 1, 60);
  std::set<std::string> files, forks;
  std::vector<Error> again;
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    for (const char* name : {"a", "b", "c", "d"}) {
      const Answer file = co_await gfs.gfs_create(name, 2, 1);
      co_await gfs.gfs_create_fork(file.number, 0, "index");
      co_await gfs.gfs_create_fork(file.number, 0, "data");
    }
    const Names all = co_await gfs.gfs_list();
    files.insert(all.names.begin(), all.names.end());
    const Answer file = co_await gfs.gfs_open("c");
    const Names of_file = co_await gfs.gfs_list_forks(file.number, 0);
    forks.insert(of_file.names.begin(), of_file.names.end());
    // 60 blocks of 1 KiB: 1 + 1 + 8 are Galley's, so the disk takes one fork of 45 blocks, and two only one after the
    // other.
    for (int round = 0; round < 3; ++round) {
      const Answer fork = co_await gfs.gfs_create_fork(file.number, 0, "large");
      const Answer write = co_await gfs.gfs_write(fork.number, 0, 0, 45 * 1024);
      again.push_back(write.error);
      const Answer gone = co_await gfs.gfs_delete_fork(file.number, 0, "large");
      again.push_back(gone.error);
    }
    const Answer gone = co_await gfs.gfs_delete("b");
    again.push_back(gone.error);
    const Answer open = co_await gfs.gfs_open("b");
    again.push_back(open.error);
  });
  CHECK(files == std::set<std::string>{"a", "b", "c", "d"});
  CHECK(forks == std::set<std::string>{"index", "data"});
  CHECK(again == std::vector<Error>{Error::none, Error::none, Error::none, Error::none, Error::none, Error::none,
                                    Error::none, Error::no_such_file});
  const Inspection found = rig.inspect();
  CHECK(found.files.size() == 3);
  for (const auto& file : found.files) CHECK(file.subfiles[0].size() == 2);
}

TEST_CASE("a fork that has been extended, or written behind its end, holds zeros where nobody wrote") {
  GalleyRig rig(1, 1);
  fill(rig.memory(0), 3);
  // What lay on the disk before must not shine through.
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    const Answer file = co_await gfs.gfs_create("file", 1);
    const Answer old = co_await gfs.gfs_create_fork(file.number, 0, "old");
    co_await gfs.gfs_write(old.number, 0, 0, 40000);
    co_await gfs.gfs_sync();
    co_await gfs.gfs_delete_fork(file.number, 0, "old");
    const Answer fork = co_await gfs.gfs_create_fork(file.number, 0, "new");
    co_await gfs.gfs_write(fork.number, 7, 9000, 10);
    const Answer more = co_await gfs.gfs_extend(fork.number, 20000);
    CHECK(more.bytes == 20000);
  });
  std::vector<std::byte> expected(20000);
  std::ranges::copy(rig.memory(0).subspan(7, 10), expected.begin() + 9000);
  CHECK(difference(rig.on_disk("file", 0, "new"), expected) == -1);
}

TEST_CASE("a write of whole blocks reads nothing, a write of parts reads the blocks first") {
  GalleyRig rig(1, 1);
  std::vector<std::size_t> reads;
  rig.params.cache_blocks = 12;
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    const auto count = [&] {
      reads.push_back(
          static_cast<std::size_t>(std::ranges::count_if(rig.disk(0).log, [](const auto& e) { return !e.write; })));
    };
    const Answer file = co_await gfs.gfs_create("file", 1);
    const Answer fork = co_await gfs.gfs_create_fork(file.number, 0, "fork");
    count();
    co_await gfs.gfs_write(fork.number, 0, 0, 30 * 1024);  // new blocks, more than the cache holds
    count();
    co_await gfs.gfs_write(fork.number, 0, 0, 10 * 1024);  // they have left the cache
    count();
    co_await gfs.gfs_write_strided(fork.number, 0, 12 * 1024, 512, 1024, 512, 10);
    count();
  });
  CHECK(reads[1] - reads[0] <= 1);  // the index block, if it was replaced
  CHECK(reads[2] == reads[1]);
  CHECK(reads[3] - reads[2] == 10);
}

TEST_CASE("no more packets are on their way to a processor than it has given permission for") {
  for (const std::uint32_t permissions : {1u, 2u, 5u}) {
    GalleyRig rig(1, 6);
    rig.params.permissions = permissions;
    fill(rig.memory(0), 4);
    rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
      const Answer file = co_await gfs.gfs_create("file", 6);
      std::vector<int> forks;
      for (std::uint32_t s = 0; s < 6; ++s) {
        const Answer fork = co_await gfs.gfs_create_fork(file.number, s, "fork");
        co_await gfs.gfs_write(fork.number, 0, 0, 8192);
        forks.push_back(fork.number);
      }
      std::vector<Gfs::Pending> pending;
      for (const int fork : forks) {
        Gfs::Pending one = co_await gfs.gfs_begin(Gfs::Direction::read, fork, 0, 0, 8192);
        pending.push_back(std::move(one));
      }
      for (const auto& one : pending) co_await gfs.gfs_wait(*one);
    });
    // A permission has no data and leaves processor 0; the packet that it allows arrives a microsecond after it left.
    std::multimap<Time, int> changes;
    std::uint16_t permit = 0;
    for (const auto& sent : rig.machine.sent)
      if (sent.message.source == 0 && sent.message.reply && sent.message.bytes == 0) permit = sent.message.handler;
    for (const auto& sent : rig.machine.sent) {
      if (sent.message.source == 0 && sent.message.handler == permit) changes.emplace(sent.when, 1);
      if (sent.message.source != 0 && sent.message.bytes == 1024) changes.emplace(sent.when + rig.machine.latency, -1);
    }
    int now = 0, most = 0;
    for (auto i = changes.begin(); i != changes.end();) {
      int sum = 0;
      const Time when = i->first;
      for (; i != changes.end() && i->first == when; ++i) sum += i->second;
      most = std::max(most, now += sum);
    }
    CHECK(now == 0);
    CHECK(most == static_cast<int>(permissions));
  }
}

TEST_CASE("a small read takes five messages, four if nobody has to permit the data, and a small write four") {
  const auto messages_of = [](std::uint32_t permissions, Gfs::Direction direction, std::uint32_t requests) {
    GalleyRig rig(1, 1);
    rig.params.permissions = permissions;
    std::size_t before = 0, after = 0;
    rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
      const Answer file = co_await gfs.gfs_create("file", 1);
      const Answer fork = co_await gfs.gfs_create_fork(file.number, 0, "fork");
      co_await gfs.gfs_write(fork.number, 0, 0, 4096);
      before = rig.machine.sent.size();
      std::vector<Gfs::Pending> pending;
      for (std::uint32_t r = 0; r < requests; ++r) {
        Gfs::Pending one = co_await gfs.gfs_begin(direction, fork.number, 64 * r, 64 * r, 64);
        pending.push_back(std::move(one));
      }
      for (const auto& one : pending) co_await gfs.gfs_wait(*one);
      after = rig.machine.sent.size();
    });
    return after - before;
  };
  using enum Gfs::Direction;
  CHECK(messages_of(2, read, 1) == 5);  // the request, the announcement, the permission, the data, the status
  CHECK(messages_of(2, read, 3) == 15);
  CHECK(messages_of(0, read, 1) == 4);
  CHECK(messages_of(2, write, 1) == 4);  // the request, what is asked for, the data, the status
}

namespace {

/// A request of any kind, and the list of plain requests that it stands for.
struct AnyRequest {
  int kind = 0;  // plain, strided, nested, batched, list
  std::int64_t offset = 0, memory = 0, size = 0, f_stride = 0, m_stride = 0, quant = 0;
  std::vector<stride> levels;
  std::vector<gfs_batch> inner, outer;
  std::vector<gfs_list_entry> list;

  explicit AnyRequest(RandomStream& random) : kind(static_cast<int>(random.below(5))) {
    const auto upto = [&](std::uint64_t n) { return static_cast<std::int64_t>(random.below(n)); };
    offset = upto(9000);
    memory = upto(20000);
    size = 1 + upto(600);
    f_stride = upto(3) == 0 ? size : upto(1200) - 200;
    m_stride = upto(2) == 0 ? size : upto(900);
    quant = upto(8);
    for (int level = 0; level < 3; ++level) levels.push_back({upto(500), upto(400), 1 + upto(3)});
    for (int i = 0; i < 2; ++i) {
      gfs_batch b;
      b.f_off = upto(800) - (i == 0 ? 0 : 100);
      b.m_off = upto(500);
      b.quant = 1 + upto(3);
      b.f_stride = upto(700);
      b.m_stride = upto(300);
      b.size = 1 + upto(300);
      inner.push_back(b);
    }
    gfs_batch tree;
    tree.f_absolute = true;
    tree.f_off = offset;
    tree.m_off = memory;
    tree.sub_vector = true;
    tree.quant = 1 + upto(3);
    tree.f_stride = upto(1500);
    tree.m_stride = upto(800);
    tree.subvec_len = 2;
    gfs_batch plain;
    plain.f_off = 2000;
    plain.m_off = 1500;
    plain.size = size;
    outer = {tree, plain};
    for (int i = 0; i < 5; ++i) list.push_back({upto(14000), upto(30000), upto(900)});
  }

  Expansion expand(const Bounds& bounds) {
    outer[0].subvec = inner.data();
    switch (kind) {
      case 0: return expand_plain(offset, memory, size * 5, bounds);
      case 1: return expand_strided(offset, memory, size, f_stride, m_stride, quant, bounds);
      case 2: return expand_nested(offset, memory, size, levels, bounds);
      case 3: return expand_batched(outer, 0, bounds);
      default: return expand_list(list, bounds);
    }
  }

  os::Task<Answer> carry_out(Gfs& gfs, Gfs::Direction direction, int fid) {
    outer[0].subvec = inner.data();
    Gfs::Pending pending;
    switch (kind) {
      case 0: pending = co_await gfs.gfs_begin(direction, fid, memory, offset, size * 5); break;
      case 1:
        pending = co_await gfs.gfs_begin_strided(direction, fid, memory, offset, size, f_stride, m_stride, quant);
        break;
      case 2: pending = co_await gfs.gfs_begin_nested(direction, fid, memory, offset, size, levels); break;
      case 3: pending = co_await gfs.gfs_begin_batched(direction, fid, 0, outer); break;
      default: pending = co_await gfs.gfs_begin_list(direction, fid, list); break;
    }
    const Answer answer = co_await gfs.gfs_wait(*pending);
    co_return answer;
  }
};

}  // namespace

TEST_CASE("any request, on a cache of a few blocks, does the same as its list of plain requests byte for byte") {
  std::uint64_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    GalleyRig rig(1, 2);
    RandomStream random(seed, "requests");
    rig.params.cache_blocks = 4 + static_cast<std::uint32_t>(random.below(8));
    rig.params.packet = {64 + random.below(3000)};
    fill(rig.memory(0), seed);
    std::vector<std::byte> fork_bytes, memory = copy(rig.memory(0));
    rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
      const Answer file = co_await gfs.gfs_create("file", 2);
      const Answer fork = co_await gfs.gfs_create_fork(file.number, 1, "fork");
      for (int i = 0; i < 12; ++i) {
        AnyRequest request(random);
        const bool writes = random.below(2) == 0;
        const Expansion expected = request.expand({writes ? std::uint64_t{1} << 40 : fork_bytes.size(), memory.size()});
        const Answer answer =
            co_await request.carry_out(gfs, writes ? Gfs::Direction::write : Gfs::Direction::read, fork.number);
        INFO("seed " << seed << ", request " << i << " of kind " << request.kind);
        REQUIRE(answer.error == expected.error);
        CHECK(answer.bytes == expected.bytes());
        moved += answer.bytes;
        for (const test::Chunk& c : test::chunks_of(expected)) {
          if (writes) {
            fork_bytes.resize(std::max<std::size_t>(fork_bytes.size(), c.offset + c.bytes));
            std::memcpy(fork_bytes.data() + c.offset, memory.data() + c.memory, c.bytes);
          } else {
            std::memcpy(memory.data() + c.memory, fork_bytes.data() + c.offset, c.bytes);
          }
        }
        REQUIRE(difference(rig.memory(0), memory) == -1);
      }
    });
    CHECK(difference(rig.on_disk("file", 1, "fork"), fork_bytes) == -1);
  }
  CHECK(moved > 200'000);
}

TEST_CASE(
    "processors that write and read a fork at the same time, through a small cache, see every byte in its place") {
  for (const bool strided : {false, true}) {
    constexpr std::uint32_t processors = 5;
    constexpr std::int64_t record = 100, records = 60;
    GalleyRig rig(processors, 3, 2);
    rig.params.cache_blocks = 6;
    for (std::uint32_t p = 0; p < processors; ++p) fill(rig.memory(p).first(record * records), 10 + p);
    std::vector<std::vector<std::byte>> written;
    for (std::uint32_t p = 0; p < processors; ++p) written.push_back(copy(rig.memory(p).first(record * records)));
    std::uint32_t ready = 0;
    rig.run([&](Gfs& gfs, std::uint32_t p) -> os::Task<> {
      const auto wait_for = [&gfs, &ready](std::uint32_t n) -> os::Task<> {
        while (ready < n) co_await gfs.os().sleep_until(gfs.os().now() + Duration{1'000'000'000});
      };
      Answer file, fork;
      if (p == 0) {
        file = co_await gfs.gfs_create("file", 6);
        fork = co_await gfs.gfs_create_fork(file.number, 5, "fork");
        ready = 1;
      } else {
        co_await wait_for(1);
        file = co_await gfs.gfs_open("file");
        fork = co_await gfs.gfs_open_fork(file.number, 5, "fork");
      }
      const auto first = static_cast<std::int64_t>(p) * record;
      if (strided) {
        co_await gfs.gfs_write_strided(fork.number, 0, first, record, record * processors, record, records);
      } else {
        for (std::int64_t r = 0; r < records; ++r)
          co_await gfs.gfs_write(fork.number, r * record, first + r * record * processors, record);
      }
      ++ready;
      co_await wait_for(1 + processors);
      // Each reads its neighbour's records.
      const auto next = static_cast<std::int64_t>((p + 1) % processors) * record;
      const Answer read =
          co_await gfs.gfs_read_strided(fork.number, 20000, next, record, record * processors, record, records);
      CHECK(read.bytes == record * records);
    });
    const auto bytes = rig.on_disk("file", 5, "fork");
    REQUIRE(bytes.size() == processors * record * records);
    for (std::uint32_t p = 0; p < processors; ++p) {
      for (std::int64_t r = 0; r < records; ++r)
        REQUIRE(std::equal(written[p].begin() + r * record, written[p].begin() + (r + 1) * record,
                           bytes.begin() + (r * processors + p) * record));
      CHECK(difference(rig.memory(p).subspan(20000, record * records), written[(p + 1) % processors]) == -1);
    }
  }
}

TEST_CASE("a disk that cannot read and write fails the requests for it, and leaves nothing held") {
  GalleyRig rig(1, 2, 1, 400, 128 << 10);
  fill(rig.memory(0), 3);
  bool ended = false;
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    constexpr std::int64_t bytes = 40 * 1024;  // more than the 16 blocks of the cache
    const Answer file = co_await gfs.gfs_create("file", 2);
    const Answer good = co_await gfs.gfs_create_fork(file.number, 0, "fork");
    const Answer bad = co_await gfs.gfs_create_fork(file.number, 1, "fork");
    co_await gfs.gfs_write(good.number, 0, 0, bytes);
    co_await gfs.gfs_write(bad.number, 0, 0, bytes);
    const Answer synced = co_await gfs.gfs_sync();
    CHECK(synced.error == Error::none);
    rig.disk(1).broken = true;
    rig.disk(1).error = hal::Status::medium_error;
    // More than there are permissions, and than threads: none is kept.
    for (int i = 0; i < 20; ++i) {
      const Gfs::Pending transfer = co_await gfs.gfs_begin(Gfs::Direction::read, bad.number, 50000, 512, 4096);
      const Answer answer = co_await gfs.gfs_wait(*transfer);
      CHECK(answer.error == Error::io_error);
      CHECK(answer.status == hal::Status::medium_error);
      CHECK(answer.bytes == 0);
      CHECK(transfer->missing() == std::vector<file_systems::galley::Extent>{{0, 4096}});
      const Answer other = co_await gfs.gfs_read(good.number, 50000, 512, 4096);
      CHECK(other.error == Error::none);
      CHECK(other.bytes == 4096);
    }
    // Whole blocks need not be read: the write is lost behind the call, and the next gfs_sync() says so, once.
    const Gfs::Pending mixed = co_await gfs.gfs_begin(Gfs::Direction::write, bad.number, 0, 512, 2048);
    const Answer written = co_await gfs.gfs_wait(*mixed);
    CHECK(written.error == Error::io_error);
    CHECK(written.bytes == 1024);
    CHECK(mixed->missing() == std::vector<file_systems::galley::Extent>{{0, 512}, {1536, 512}});
    const Answer lost = co_await gfs.gfs_sync();
    CHECK(lost.error == Error::io_error);
    CHECK(lost.status == hal::Status::medium_error);
    rig.disk(1).broken = false;
    const Answer again = co_await gfs.gfs_read(bad.number, 50000, 8192, 4096);
    CHECK(again.error == Error::none);
    const Answer last = co_await gfs.gfs_sync();
    CHECK(last.error == Error::none);
    const Answer removed = co_await gfs.gfs_delete("file");  // waits for nobody
    CHECK(removed.error == Error::none);
    ended = true;
  });
  CHECK(ended);
}

TEST_CASE("names on a disk that cannot read fail, and are there again with the disk") {
  GalleyRig rig(1, 1);
  bool ended = false;
  rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
    rig.disk(0).broken = true;
    rig.disk(0).error = hal::Status::medium_error;
    Answer file = co_await gfs.gfs_create("file", 1);
    CHECK(file.error == Error::io_error);
    CHECK(file.status == hal::Status::medium_error);
    const Names names = co_await gfs.gfs_list();
    CHECK(names.error == Error::io_error);
    rig.disk(0).broken = false;
    file = co_await gfs.gfs_create("file", 1);
    CHECK(file.error == Error::none);
    const Answer fork = co_await gfs.gfs_create_fork(file.number, 0, "fork");
    CHECK(fork.error == Error::none);
    ended = true;
  });
  CHECK(ended);
}

TEST_CASE("when an I/O processor is gone, reads from the others get the permissions that it had") {
  // It stops when the n-th message of a read of eight packets leaves.
  for (const std::uint32_t permissions : {1u, 2u})
    for (std::size_t n = 1; n <= 24; ++n) {
      INFO(permissions << " permissions, message " << n);
      GalleyRig rig(1, 2);
      rig.params.permissions = permissions;
      rig.endpoints.common.peers = os::Watched{};
      std::size_t last = ~std::size_t{0};
      rig.machine.copies = [&](const hal::Message&) {
        if (rig.machine.sent.size() == last) rig.machine.timeline.at({}, [&] { rig.endpoints.os(2).power_off(); });
        return 1;
      };
      fill(rig.memory(0), 5);
      rig.run([&](Gfs& gfs, std::uint32_t) -> os::Task<> {
        const Answer file = co_await gfs.gfs_create("file", 2);
        const Answer stays = co_await gfs.gfs_create_fork(file.number, 0, "fork");
        const Answer goes = co_await gfs.gfs_create_fork(file.number, 1, "fork");
        co_await gfs.gfs_write(stays.number, 0, 0, 8192);
        co_await gfs.gfs_write(goes.number, 0, 0, 8192);
        last = rig.machine.sent.size() + n;
        const Answer lost = co_await gfs.gfs_read(goes.number, 16384, 0, 8192);
        if (lost.error != Error::none) CHECK(lost.status == hal::Status::no_answer);
        for (int again = 0; again < 2; ++again) {
          const Answer read = co_await gfs.gfs_read(stays.number, 16384, 0, 8192);
          CHECK(read.error == Error::none);
          CHECK(read.bytes == 8192);
        }
        CHECK(difference(rig.memory(0).subspan(16384, 8192), copy(rig.memory(0).first(8192))) == -1);
      });
    }
}
