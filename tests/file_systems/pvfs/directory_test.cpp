// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/iod/directory.h"

#include "tests/support/catch.h"
#include "tests/support/fake_store.h"

using namespace sunstar;
using file_systems::pvfs::BlockKey;
using file_systems::pvfs::Directory;

namespace {

constexpr hal::NodeId nobody = 99, a = 1, b = 2, c = 3;
const BlockKey block{0, 7};

struct Rig {
  test::FakeMachine machine{1};
  std::unique_ptr<io::Store> store = io::plain::make({}, test::add_disks(machine, 0, 1, 2, 1024));
  io::Volume volume{*store, 65536};
  Directory directory{volume};
};

}  // namespace

TEST_CASE("a cache that has read a block may give it to others until another node writes it") {
  Rig rig;
  CHECK(rig.directory.another(block, nobody) == nobody);
  rig.directory.read(block, a, false);  // it does not have the rest
  CHECK(rig.directory.another(block, b) == a);
  CHECK(rig.directory.another(block, a) == a);
  rig.directory.written(block, b, true, true);
  CHECK(rig.directory.another(block, nobody) == b);
  CHECK(rig.directory.another(block, b) == b);
  rig.directory.read(block, a, false);  // it may have other bytes of it that are old
  CHECK(rig.directory.another(block, b) == b);
  rig.directory.read(block, a, true);
  CHECK(rig.directory.another(block, b) == a);
}

TEST_CASE("a cache that has flushed a part of an old copy still has an old copy") {
  Rig rig;
  rig.directory.read(block, a, true);
  rig.directory.written(block, b, false, true);  // a part, into an otherwise unknown copy
  CHECK(rig.directory.another(block, nobody) == nobody);
  rig.directory.written(block, a, false, true);
  CHECK(rig.directory.another(block, nobody) == nobody);
  rig.directory.written(block, a, true, true);
  CHECK(rig.directory.another(block, nobody) == a);
  rig.directory.written(block, c, true, false);  // and keeps nothing
  CHECK(rig.directory.another(block, nobody) == nobody);
}

TEST_CASE("a coherent write reaches every cache that may hold a copy, also one that has nothing to give") {
  Rig rig;
  for (const hal::NodeId cache : {a, b, c}) rig.directory.read(block, cache, true);
  rig.directory.lacks(block, a);
  CHECK(rig.directory.another(block, c) == b);
  CHECK(rig.directory.take_others(block, c) == std::vector<hal::NodeId>{a, b});
  CHECK(rig.directory.take_others(block, c).empty());
  CHECK(rig.directory.another(block, nobody) == c);
}
