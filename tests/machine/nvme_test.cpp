// SPDX-License-Identifier: MIT
// Machines with NVMe drives: all file systems and stores on them, their faults, and reports of them.
#include "tests/support/catch.h"
#include "tests/support/fault_runs.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::fault, test::nth;

namespace {

const char* const drive = "iop0_pcie0.disk0";

/// Two compute processors, two I/O processors with two small NVMe drives each, a file of 128 KiB.
machine::Config small(std::string_view file_system, const char* pattern) {
  machine::Config config;
  config.machine.compute_processors = config.machine.io_processors = 2;
  config.machine.disks = 4;
  test::cube_of(config).shape = {2, 2};
  config.machine.nvme.emplace().capacity = {64 << 20};
  config.file_system.kind = test::file_system_of(file_system);
  test::pattern_of(config) = {pattern, {2048}, {128 << 10}, ""};
  return config;
}

boost::json::object run(const machine::Config& config) { return test::run_each({config, config})[0]; }

}  // namespace

TEST_CASE("every file system runs on nvme-cluster, over RDMA and over sockets") {
  std::vector<machine::Config> configs;
  for (const char* preset : {"nvme-cluster", "nvme-cluster-tcp"})
    for (const char* file_system : test::every_file_system)
      for (const char* pattern : {"rb", "rcc", "wb", "wcc"}) {
        machine::Config& c = configs.emplace_back(machine::preset(preset));
        c.file_system.kind = test::file_system_of(file_system);
        c.file_system.layout = pattern[1] == 'b' ? "contiguous" : "random-blocks";
        test::pattern_of(c) = {pattern, {8192}, {4 << 20}, ""};
      }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(configs[i].file_system.kind.kind_name() << " " << test::pattern_of(configs[i]).pattern);
    CHECK(results[i].at("verified") == true);
    CHECK(test::count(results[i], "bytes_moved") == 4 << 20);
  }
}

TEST_CASE("with any fault of an NVMe drive, every file system ends, and reports its losses") {
  test::FaultyRuns runs;
  std::vector<test::Effect> effects;
  for (const auto& effect : test::effects_on_disks(drive, ""))
    if (!effect.fault.place.empty()) effects.push_back(effect);
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rcc", "wb"})
      for (const auto& effect : effects) {
        machine::Config c = small(file_system, pattern);
        c.faults = {effect.fault};
        runs.add(std::string(effect.name) + ", " + file_system + ", " + pattern, c);
      }
  runs.check_each([&](std::size_t i, const boost::json::object& result) {
    const test::Effect& effect = effects[i % effects.size()];
    const bool write = test::pattern_of(runs.config(i)).pattern[0] == 'w';
    test::check_cost(test::cost_of(effect, write, runs.config(i)), result);
  });
}

TEST_CASE("a hung NVMe drive is reset and carries out what it had, a dead one is found gone by its reset") {
  machine::Config c = small("disk-directed", "wb");
  c.faults = {fault(drive, disk::Hang{}, nth(2))};
  const auto hung = run(c);
  // Once, however many commands were under way.
  CHECK(test::of_faults(hung, "aborts") == 1);
  CHECK(test::of_faults(hung, "resets") == 1);
  CHECK(test::of_faults(hung, "drives_offline") == 0);
  c.faults = {fault(drive, disk::Dead{}, nth(2))};
  const auto dead = run(c);
  CHECK(test::of_faults(dead, "drives_offline") == 1);
  const double limit = seconds(c.file_system.driver.timeout + c.file_system.driver.help_timeout);
  CHECK(dead.at("elapsed_s").to_number<double>() > limit);
  CHECK(dead.at("elapsed_s").to_number<double>() < limit + 10);
}

TEST_CASE("redundant stores of NVMe drives survive one that is dead") {
  std::vector<machine::Config> configs;
  for (const char* store : {"mirror", "raid5", "raid6"})
    for (const char* pattern : {"rcc", "wb"}) {
      machine::Config& c = configs.emplace_back(small("traditional-caching", pattern));
      c.machine.disks = 8;
      REQUIRE(c.file_system.store.kind.choose(store));
      c.faults = {fault(drive, disk::Dead{}, nth(2))};
    }
  for (const auto& result : test::run_each(configs)) {
    CHECK(result.at("verified") == true);
    CHECK(test::of_faults(result, "drives_offline") == 1);
    CHECK(test::reported(result) == 0);
  }
}

TEST_CASE("an NVMe drive has several commands at a time, which end sooner than one by one") {
  machine::Config c = machine::preset("nvme-cluster");
  c.machine.compute_processors = c.machine.io_processors = 2;
  c.machine.disks = 4;
  test::pattern_of(c) = {"rc", {64 << 10}, {8 << 20}, ""};
  c.file_system.kind.as<file_systems::disk_directed::Params>().buffers_per_disk = 8;
  const auto elapsed = [&](std::uint32_t queue_depth) {
    c.machine.nvme->queue_depth = queue_depth;  // one command less
    return run(c).at("elapsed_s").to_number<double>();
  };
  CHECK(elapsed(2) > 4 * elapsed(9));
}

TEST_CASE("a node may have NVMe drives beside disks, each kind on buses of its own") {
  machine::Config c = small("traditional-caching", "wcc");
  machine::NodeSpec io{
      1, machine::Role::io, {}, {machine::BusSpec{1, {{2, {}, {}}}}, machine::BusSpec{1, {{1, {}, {}}}}}};
  io.buses[1].drives[0].disk.emplace();
  machine::Counts& counts = c.machine;
  counts = c.machine.unset;
  c.machine.nodes = {machine::NodeSpec{2, machine::Role::compute, {}, {}}, io};
  const auto result = run(c);
  CHECK(result.at("verified") == true);
  CHECK(test::sum_of(result, "iop0_pcie0.disk1.writes") > 0);
  CHECK(test::sum_of(result, "iop0_scsi1.disk0.writes") > 0);
  c.machine.nodes[1].buses[0].drives.push_back({1, disk::DriveParams{}, {}});
  CHECK(test::refusal(c) ==
        "machine.nodes.1.buses.0.drives mix disks and NVMe drives; disks are on a SCSI bus, so give each kind an entry "
        "of buses.");
  c.machine.nodes[1].buses[0].drives = {{1, disk::DriveParams{}, nvme::DriveParams{}}};
  CHECK(test::refusal(c) ==
        "machine.nodes.1.buses.0.drives.0 has both disk and nvme; drives are of one of these types.");
}

TEST_CASE("NVMe drives of an entry take from machine.nvme what they do not say") {
  kit::ConfigInput input;
  input.settings.add(R"(machine.nvme={"capacity": "64MiB", "dies": 7})");
  input.settings.add(R"(machine.nodes=[{}, {"role": "io", "buses": [{"drives": [{"nvme": {"channels": 3}}]}]}])");
  const auto config = kit::load_config<machine::Config>(std::move(input));
  const nvme::DriveParams& drive = *config.machine.nodes[1].buses[0].drives[0].nvme;
  CHECK(drive.dies == 7);
  CHECK(drive.channels == 3);
}

TEST_CASE("an option that sets a part of an NVMe drive does not choose one") {
  const auto refusal = [](auto... settings) {
    kit::ConfigInput input;
    (input.settings.add(settings), ...);
    try {
      kit::load_config<machine::Config>(std::move(input));
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(refusal("machine.nvme.queues=4") ==
        "--set machine.nvme.queues=4: there is no machine.nvme; choose its NVMe drive first, such as --set "
        "machine.nvme=" +
            kit::catalogue_names(kit::project_folder() / catalogue_of<nvme::DriveParams>::folder).front() + ".");
  CHECK(refusal("machine.nvme=samsung-pm9a3", "machine.nvme.queues=4").empty());
}

TEST_CASE("faults of SCSI buses do not strike NVMe drives") {
  machine::Config c = small("disk-directed", "rb");
  c.faults = {fault("iop0_pcie0", scsi::BusHang{})};
  CHECK(test::refusal(c) == "faults.0.place is 'iop0_pcie0', and bus-hang strikes a SCSI bus; the machine has none.");
}

TEST_CASE("a watched run on NVMe drives is the same run, whose monitors agree and whose path adds up") {
  const test::TemporaryFolder folder;
  for (const char* pattern : {"rcc", "wb"}) {
    const machine::Config c = small("traditional-caching", pattern);
    auto results = kit::run_trials(2, 2, [&](std::uint32_t i) {
      kit::Watch watch;
      if (i == 1) {
        watch.vcd = folder.path / "w.vcd";
        watch.timeline = folder.path / "t.json";
        watch.log = folder.path / "a.log";
        watch.log_options.level = LogLevel::trace;
        watch.explain = true;
      }
      return test::figures_of(machine::run_trial(c, 0, watch));
    });
    const auto& monitored = results[1].at("host").at("watched").at("monitored").as_object();
    CHECK(monitored.at("machine.iop0_pcie0: bytes").to_number<std::uint64_t>() ==
          monitored.at("machine.iop0.bus: bytes of master 3").to_number<std::uint64_t>());
    for (auto& r : results) r.erase("host");
    CHECK(results[0] == results[1]);
  }
}

TEST_CASE("the same NVMe machine with the same seed is the same run, with another seed another one") {
  const machine::Config c = small("two-phase", "rcc");
  machine::Config other = c;
  other.run.seed = c.run.seed + 1;
  auto results = test::run_each({c, c, other});
  for (auto& r : results) r.erase("host");
  CHECK(results[0] == results[1]);
  CHECK(results[0] != results[2]);
}
