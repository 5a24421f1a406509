// SPDX-License-Identifier: MIT
// All file systems on all redundant stores, with content in bytes and by description: every byte and every check.
#include "sw/file_systems/disk_directed/params.h"
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
  for (const char* file_system : {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley",
                                  "pvfs", "locking", "versioned", "local"})
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

TEST_CASE("file systems that know all of a request write whole rows, and read nothing") {
  for (const bool told : {true, false}) {
    std::vector<machine::Config> configs;
    for (const char* file_system : {"disk-directed", "enwrich"})
      for (const std::uint64_t stripe_unit : {4096, 16384}) {
        machine::Config& c = configs.emplace_back(on_store(file_system, "raid5"));
        test::pattern_of(c).pattern = "wb";
        test::pattern_of(c).file_size = {384 << 10};
        auto& store = c.file_system.store.kind.as<io::redundant::Raid5>();
        store.stripe_unit = {stripe_unit};
        store.tell_rows = told;
      }
    for (const auto& result : test::run_each(configs)) {
      INFO(told);
      CHECK(result.at("verified").as_bool());
      const auto& rows = result.at("store").as_object();
      // 96 blocks on two I/O processors, rows of 3 blocks; a buffer for each of 4 drives holds one at a time.
      CHECK(test::count(rows, "full_row_writes") == (told ? 32 : 0));
      CHECK((test::count(result, "disk_reads") == 0) == told);
    }
  }
}

TEST_CASE("without a drive, file systems that know all of a request read whole rows, each block once") {
  std::vector<machine::Config> configs;
  for (const bool told : {true, false}) {
    machine::Config& c = configs.emplace_back(on_store("disk-directed", "raid5"));
    test::pattern_of(c).pattern = "rb";
    test::pattern_of(c).file_size = {384 << 10};
    auto& store = c.file_system.store.kind.as<io::redundant::Raid5>();
    store.stripe_unit = {4096};
    store.failed = {1};
    store.tell_rows = told;
  }
  const auto results = test::run_each(configs);
  // 32 rows of 3 blocks. Apart, each of the 24 blocks of the missing drives takes 3 reads more.
  CHECK(test::count(results[0], "disk_reads") == 32 * 3);
  CHECK(test::count(results[1], "disk_reads") == 72 + 24 * 3);
}

TEST_CASE("collectives at once that write and read rows do not wait for each other, in any order of blocks") {
  std::vector<machine::Config> configs;
  for (const auto several : {io::TransferOrder::first_come, io::TransferOrder::round_robin})
    for (const bool presort : {true, false})
      for (const char* layout : {"contiguous", "random-blocks"})
        for (const std::uint32_t buffers : {1, 2}) {
          machine::Config& c = configs.emplace_back(on_store("disk-directed", "raid5"));
          c.machine.compute_processors = 6;
          test::cube_of(c).shape = {4, 4};
          c.file_system.layout = layout;
          c.machine.disk.sectors = 256;  // so small that blocks at random places share rows
          auto& transfers = c.file_system.kind.as<file_systems::disk_directed::Params>();
          transfers.presort = presort;
          transfers.several = several;
          transfers.buffers_per_disk = buffers;
          c.file_system.store.kind.as<io::redundant::Raid5>().failed = {1};
          for (const char* pattern : {"wb", "wcc", "rb"}) {
            workload::JobParams& job = c.workload.jobs.emplace_back();
            job.processors = 2;
            job.kind = workload::PatternParams{pattern, {512}, {128 << 10}, ""};
          }
        }
  for (const auto& result : test::run_each(configs)) CHECK(result.at("verified").as_bool());
}

TEST_CASE("a run can wait for its rebuilds, whose spare then holds all of the drive's data") {
  std::vector<machine::Config> configs;
  for (const char* store : {"raid5", "mirror"}) {
    machine::Config& c = configs.emplace_back(on_store("disk-directed", store));
    c.machine.disks = 12;
    test::pattern_of(c).pattern = "wb";
    c.machine.disk.sectors = 2048;
    c.file_system.store.kind.visit([&]<class Kind>(Kind& kind) {
      if constexpr (requires { kind.spares; }) {
        kind.stripe_unit = {8192};
        kind.spares = 2;
        kind.failed = {1};
        kind.finish_rebuild = true;
      }
    });
  }
  for (const auto& result : test::run_each(configs)) {
    CHECK(result.at("verified").as_bool());
    const auto& rebuilt = result.at("store").as_object();
    CHECK(test::count(rebuilt, "rebuilds_complete") == 2);
    CHECK(test::count(rebuilt, "rows_rebuilt") == 2 * 128);  // 1 MiB of 8 KiB units on two I/O processors' drives
    CHECK(rebuilt.at("rebuild_s").to_number<double>() > result.at("elapsed_s").to_number<double>());
  }
}

TEST_CASE("a run that would wait for a rebuild does not wait for a scrub") {
  machine::Config c = on_store("disk-directed", "mirror");
  test::pattern_of(c).pattern = "wb";
  c.machine.disk.sectors = 100'000;  // 6,250 rows on each I/O processor
  auto& mirror = c.file_system.store.kind.as<io::redundant::Mirror>();
  mirror.stripe_unit = {8192};
  mirror.finish_rebuild = true;
  mirror.scrub_period = 1_ms;
  const auto result = test::run_each(std::vector{c, c}).front();
  const std::uint64_t scrubbed = test::count(result.at("store").as_object(), "rows_scrubbed");
  CHECK(scrubbed > 0);
  CHECK(scrubbed < 6250);
}

// With faults.

namespace {

machine::Fault drive_fault(std::string place, auto effect, auto trigger) {
  machine::Fault fault;
  fault.place = std::move(place);
  fault.effect = std::move(effect);
  fault.trigger.kind = std::move(trigger);
  return fault;
}

struct Faulty {
  std::string name;
  machine::Config config;
};

/// Traditional caching and disk-directed I/O, reading and writing, with content in both forms.
void add_runs(std::vector<Faulty>& runs, std::string_view store, const std::string& what,
              const std::vector<machine::Fault>& faults, std::uint32_t spares = 0) {
  for (const char* file_system : {"traditional-caching", "disk-directed"})
    for (auto data : {machine::Data::bytes, machine::Data::described})
      for (const char* pattern : {"rc", "wb"}) {
        Faulty run{std::string(file_system) + ", " + std::string(store) + ", " + what + ", " + pattern +
                       (data == machine::Data::bytes ? ", bytes" : ""),
                   on_store(file_system, store)};
        run.config.run.data = data;
        test::pattern_of(run.config).pattern = pattern;
        run.config.faults = faults;
        run.config.file_system.store.kind.visit([&]<class Kind>(Kind& kind) {
          if constexpr (requires { kind.spares; }) kind.spares = spares;
        });
        runs.push_back(std::move(run));
      }
}

template <class Check>
void check_each(const std::vector<Faulty>& runs, Check check) {
  std::vector<machine::Config> configs;
  for (const Faulty& run : runs) configs.push_back(run.config);
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO(runs[i].name);
    CHECK(results[i].at("verified").as_bool());
    check(results[i].at("faults").as_object());
  }
}

void nothing_lost(const boost::json::object& faults) {
  for (const char* figure : {"failed_calls", "bytes_reported_unread", "bytes_reported_unwritten",
                             "bytes_wrong_and_reported", "bytes_lost_with_power", "bytes_silently_wrong"}) {
    INFO(figure);
    CHECK(test::count(faults, figure) == 0);
  }
}

const disk::MediumError bad_sectors{.first = 0, .sectors = 200, .recovery = 50_ms};

}  // namespace

TEST_CASE("no call fails, and nothing is lost, while a store can do without its failed drives") {
  std::vector<Faulty> runs;
  for (const char* store : {"raid5", "raid6", "mirror"}) {
    add_runs(runs, store, "dead", {drive_fault("iop0_scsi0.disk1", disk::Dead{}, faults::AtTime{})});
    add_runs(runs, store, "dies", {drive_fault("iop0_scsi0.disk1", disk::Dead{}, faults::AtTime{40_ms})});
    add_runs(runs, store, "dies at a command", {drive_fault("iop1_scsi0.disk2", disk::Dead{}, faults::AtOperation{2})});
    add_runs(runs, store, "bad sectors", {drive_fault("iop0_scsi0.disk1", bad_sectors, faults::AtTime{})});
  }
  add_runs(runs, "raid6", "two dead",
           {drive_fault("iop0_scsi0.disk1", disk::Dead{}, faults::AtTime{}),
            drive_fault("iop0_scsi0.disk2", disk::Dead{}, faults::AtTime{40_ms})});
  add_runs(runs, "raid6", "one dead, one bad",
           {drive_fault("iop0_scsi0.disk1", disk::Dead{}, faults::AtTime{}),
            drive_fault("iop0_scsi0.disk2", bad_sectors, faults::AtTime{})});
  check_each(runs, nothing_lost);
}

TEST_CASE("sectors that cannot be read are corrected, and the drive stays in its array") {
  std::vector<Faulty> runs;
  add_runs(runs, "raid5", "bad sectors", {drive_fault("iop0_scsi0.disk1", bad_sectors, faults::AtTime{})});
  for (Faulty& run : runs)  // whole rows are written without reading
    run.config.file_system.store.kind.as<io::redundant::Raid5>().tell_rows = false;
  check_each(runs, [](const boost::json::object& faults) {
    CHECK(test::count(faults, "drives_failed") == 0);
    CHECK(test::count(faults, "corrections") > 0);
  });
}

TEST_CASE("calls fail, and say how many bytes, when more has failed than a store can do without") {
  std::vector<Faulty> runs;
  add_runs(runs, "raid5", "two dead",
           {drive_fault("iop0_scsi0.disk1", disk::Dead{}, faults::AtTime{}),
            drive_fault("iop0_scsi0.disk2", disk::Dead{}, faults::AtTime{})});
  check_each(runs, [](const boost::json::object& faults) {
    // A write that traditional caching has put off fails with the synchronisation, which is no call of its own.
    if (test::count(faults, "bytes_reported_unread") > 0) CHECK(test::count(faults, "failed_calls") > 0);
    CHECK(test::count(faults, "bytes_reported_unread") + test::count(faults, "bytes_reported_unwritten") > 0);
  });
}

TEST_CASE("after a drive has been rebuilt on a spare another may fail") {
  std::vector<Faulty> runs;
  add_runs(runs, "raid5", "spare", {drive_fault("iop0_scsi0.disk1", disk::Dead{}, faults::AtTime{})}, 1);
  check_each(runs, [](const boost::json::object& faults) {
    nothing_lost(faults);
    CHECK(test::count(faults, "rebuilds") == 1);
  });
}

TEST_CASE("a drive's losses with its power do not use up the redundancy") {
  std::vector<Faulty> runs;
  for (const char* store : {"raid5", "mirror"})
    for (auto wrong : {disk::Wrong::lost, disk::Wrong::torn})
      add_runs(runs, store, "wrong",
               {drive_fault("iop0_scsi0.disk1", disk::Corruption{.wrong = wrong}, faults::AtOperation{2})});
  add_runs(runs, "raid5", "power", {drive_fault("iop0_scsi0.disk1", disk::PowerLoss{}, faults::AtTime{40_ms})});
  check_each(runs, [](const boost::json::object& faults) { CHECK(test::count(faults, "failed_calls") == 0); });
}

// Across I/O processors.

namespace {

machine::Config across(std::string_view file_system, std::string_view store) {
  machine::Config c = on_store(file_system, store);
  c.machine.io_processors = 4;
  c.machine.disks = 16;
  test::cube_of(c).shape = {2, 3};
  c.file_system.store.kind.visit([&]<class Kind>(Kind& kind) {
    if constexpr (requires { kind.across; }) kind.across = io::redundant::Across::io_processors;
  });
  return c;
}

}  // namespace

TEST_CASE("arrays across I/O processors keep every byte, also without all drives of one") {
  std::vector<Faulty> runs;
  for (const char* store : {"raid5", "raid6", "mirror"})
    for (const char* file_system : {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley",
                                    "pvfs", "locking", "versioned"})
      for (const char* pattern : {"rc", "wb"})
        for (const std::uint64_t number : {1u, 4u})
          for (auto data : {machine::Data::bytes, machine::Data::described}) {
            Faulty run{std::string(file_system) + " on " + store + ", " + pattern, across(file_system, store)};
            run.config.run.data = data;
            test::pattern_of(run.config).pattern = pattern;
            run.config.faults = {drive_fault("iop2_scsi0.disk?", disk::Dead{}, faults::AtOperation{number})};
            runs.push_back(std::move(run));
          }
  check_each(runs, nothing_lost);
}

TEST_CASE("a drive of another I/O processor that has been without power is out of its array, which makes up for it") {
  std::vector<Faulty> runs;
  for (const char* file_system : {"traditional-caching", "disk-directed", "pvfs"})
    for (const char* drive : {"iop1_scsi0.disk0", "iop0_scsi0.disk2"}) {
      Faulty run{std::string(file_system) + ", " + drive, across(file_system, "raid5")};
      test::pattern_of(run.config).pattern = "wb";
      test::pattern_of(run.config).file_size = 1_MiB;
      run.config.faults = {drive_fault(drive, disk::PowerLoss{10_ms}, faults::AtOperation{6})};
      runs.push_back(std::move(run));
    }
  check_each(runs, [](const boost::json::object& faults) {
    CHECK(test::count(faults, "drives_failed") == 1);
    nothing_lost(faults);
  });
}

TEST_CASE("arrays across I/O processors need as many drives of each as there are I/O processors, or more") {
  machine::Config c = across("disk-directed", "raid5");
  c.machine.disks = 8;
  CHECK(test::refusal(c).find(
            "file_system.store.across is io-processors, which needs the same number of drives at each "
            "I/O processor, and at least as many as there are I/O processors, 4; one has 2") != std::string::npos);
}

TEST_CASE("a scrub goes on among requests, and counts the rows") {
  for (const char* store : {"raid5", "mirror"}) {
    machine::Config c = on_store("traditional-caching", store);
    c.file_system.store.kind.visit([&]<class Kind>(Kind& kind) {
      if constexpr (requires { kind.scrub_period; }) kind.scrub_period = 1_ms;
    });
    const auto result = test::run_each({c, c}).front();
    CHECK(result.at("verified").as_bool());
    CHECK(test::count(result.at("store").as_object(), "rows_scrubbed") > 0);
    CHECK(test::count(result.at("store").as_object(), "rows_mismatched") == 0);
  }
}

TEST_CASE("an I/O processor that stops leaves rows whose parity does not fit, which count as write holes") {
  std::vector<Faulty> runs;
  for (auto how : {io::redundant::Across::drives, io::redundant::Across::io_processors})
    for (const char* file_system : {"traditional-caching", "disk-directed", "hybrid"})
      for (const auto at : {20_ms, 50_ms, 80_ms}) {
        Faulty run{std::string(file_system), across(file_system, "raid5")};
        run.config.file_system.store.kind.as<io::redundant::Raid5>().across = how;
        test::pattern_of(run.config).pattern = "wb";
        test::pattern_of(run.config).file_size = {1 << 20};
        run.config.faults = {drive_fault("iop2", node::Stop{}, faults::AtTime{at})};
        runs.push_back(std::move(run));
      }
  std::uint64_t holes = 0;
  check_each(runs, [&](const boost::json::object& faults) { holes += test::count(faults, "write_holes"); });
  CHECK(holes > 0);
}
