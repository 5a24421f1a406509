// SPDX-License-Identifier: MIT
// All file systems on all redundant stores, with content in bytes and by description: every byte and every check.
#include "tests/support/torus_runs.h"

using namespace sunstar;

namespace {

machine::Config on_store(std::string_view file_system, std::string_view store) {
  machine::Config c = test::small_torus(file_system);
  c.machine.disks = 8;
  c.file_system.block_size = {4096};
  REQUIRE(c.file_system.store.kind.choose(store));
  return c;
}

void reads_and_writes(std::string_view store, const std::vector<std::uint32_t>& failed = {}) {
  std::vector<machine::Config> configs;
  std::vector<std::string> names;
  for (const char* file_system :
       {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs"})
    for (auto data : {machine::Data::bytes, machine::Data::described})
      for (const char* pattern : {"rc", "wb"}) {
        names.push_back(std::string(file_system) + ", " + pattern + (data == machine::Data::bytes ? ", bytes" : ""));
        machine::Config& c = configs.emplace_back(on_store(file_system, store));
        c.run.data = data;
        test::pattern_of(c).pattern = pattern;
        c.file_system.store.kind.visit([&]<class Kind>(Kind& kind) {
          if constexpr (requires { kind.failed; }) kind.failed = failed;
        });
      }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(names[i]);
    CHECK(results[i].at("verified").as_bool());
  }
}

}  // namespace

TEST_CASE("file systems on mirrors keep every byte") { reads_and_writes("mirror"); }
TEST_CASE("file systems on RAID 4 keep every byte") { reads_and_writes("raid4"); }
TEST_CASE("file systems on RAID 5 keep every byte") { reads_and_writes("raid5"); }
TEST_CASE("file systems on RAID 6 keep every byte") { reads_and_writes("raid6"); }
TEST_CASE("file systems on declustered parity keep every byte") { reads_and_writes("parity-declustered"); }
TEST_CASE("file systems on a RAID 5 without one drive keep every byte") { reads_and_writes("raid5", {1}); }
TEST_CASE("file systems on a RAID 6 without two drives keep every byte") { reads_and_writes("raid6", {0, 3}); }
