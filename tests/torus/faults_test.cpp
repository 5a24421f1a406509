// SPDX-License-Identifier: MIT
// Every effect on every file system: each run ends, and the verdict on each byte is right.
#include <array>
#include <map>
#include <set>

#include "tests/support/fault_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::Cost;
using test::Effect;
using test::fault;
using test::nth;

namespace {

constexpr auto drive = "iop1_scsi0.disk0", bus = "iop1_scsi0";

/// What a fault of one of four drives, or of their bus, may cost.
std::vector<Effect> cases() { return test::effects_on_disks(drive, bus); }

machine::Config with_faults(std::string_view file_system, const char* pattern, std::vector<machine::Fault> faults) {
  machine::Config c = test::small_torus(file_system);
  c.machine.disks = 4;
  test::pattern_of(c).pattern = pattern;
  c.faults = std::move(faults);
  return c;
}

boost::json::object run(const machine::Config& config) { return test::run_each({config, config}).front(); }
std::uint64_t figure(const boost::json::object& result, const char* name) { return test::of_faults(result, name); }

}  // namespace

TEST_CASE("each effect on each file system: the run ends, and losses are reported if they can be known") {
  test::FaultyRuns runs;
  std::vector<Cost> costs;
  for (const char* file_system : test::every_file_system)
    for (const auto data : {machine::Data::bytes, machine::Data::described})
      for (const bool write : {false, true})
        for (const Effect& one : cases()) {
          runs.add(std::string(one.name) + ", " + file_system + (write ? ", write" : ", read"),
                   with_faults(file_system, write ? "wb" : "rb", {one.fault}))
              .run.data = data;
          costs.push_back(test::cost_of(one, write, runs.config(runs.size() - 1)));
        }
  runs.check_each([&](std::size_t i, const boost::json::object& result) {
    test::check_cost(costs[i], result);
    // Of the two drives of the bus at most; but a file of Galley is opened on all disks, or not at all.
    const bool galley = runs.config(i).file_system.kind.is<file_systems::galley::Params>();
    CHECK(test::reported(result) <= (galley ? 2 * 64 << 10 : 2 * 16 << 10));
  });
}

TEST_CASE("runs with any two effects at once end, too: on drives, a bus, nodes and the network") {
  constexpr Duration soon = 10_ms;
  const char *const ports = "network.router?", *const cp0_link = "network.router0.up0";
  std::vector<Effect> all = cases();
  const std::size_t of_disks = all.size();
  for (const Effect& one : test::effects_on_nodes("iop1", soon)) all.push_back(one);
  for (const Effect& one : test::effects_on_network(ports, cp0_link, "network.router1", true, soon, Cost::nothing))
    all.push_back(one);
  std::set<std::string_view> effects;
  for (const Effect& one : all) effects.insert(one.fault.effect.kind_name());
  CHECK(effects.size() == machine::FaultEffects::kind_names().size());  // none is missing
  test::FaultyRuns runs;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a; b < all.size(); ++b) {
      machine::Fault other = all[b].fault;
      if (other.place == drive) other.place = (a + b) % 2 ? drive : "iop1_scsi0.disk1";
      if (other.place == "iop1") other.place = std::array{"iop1", "cp0", "cp1", "iop0"}[(a + b) % 4];
      if (other.place == "network.router1" && (a + b) % 2) other.place = "network.router3";  // iop1
      const char* file_system =
          b < of_disks ? (b % 2 ? "disk-directed" : "traditional-caching") : test::every_file_system[(a + 2 * b) % 7];
      machine::Config& c =
          runs.add(std::string(all[a].name) + " and " + all[b].name + " of " + other.place + ", " + file_system,
                   with_faults(file_system, (a + b) % 3 ? "wb" : "rb", {all[a].fault, other}));
      if (b < of_disks) continue;
      c.machine.delivery.kind = os::Acknowledged{};
      c.machine.node.crc = (a + b) % 5 != 0;
    }
  runs.check_each([](std::size_t, const boost::json::object& result) {
    CHECK(figure(result, "bytes_wrong_and_reported") <= test::reported(result));
  });
}

TEST_CASE("a failed call says so: it is counted, and moves no bytes that were not there") {
  const auto dead = run(with_faults("traditional-caching", "rb", {fault("*disk*", disk::Dead{})}));
  CHECK(figure(dead, "failed_calls") == test::count(dead, "calls"));
  CHECK(figure(dead, "drives_offline") == 4);
  CHECK(test::count(dead, "bytes_moved") == 0);
  CHECK(figure(dead, "bytes_reported_unread") == 64 << 10);
}

TEST_CASE("the cost of faults is reported in a sentence, and also that none has struck") {
  const auto sentences = [](machine::Fault fault) {
    return boost::json::serialize(run(with_faults("disk-directed", "rb", {std::move(fault)})).at("warnings"));
  };
  const std::string dead = sentences(fault("*disk*", disk::Dead{}));
  CHECK(dead == R"(["65536 bytes were reported as not read"])");
  const std::string late = sentences(fault(drive, disk::Dead{}, nth(1'000'000)));
  CHECK(late == R"(["no fault struck before the run ended"])");
}

TEST_CASE("a drive without a remedy is offline: later requests fail at once") {
  const auto hangs = run(with_faults("traditional-caching", "rb", {fault(drive, disk::Hang{}, {}, 1000)}));
  CHECK(figure(hangs, "drives_offline") == 1);
  CHECK(figure(hangs, "failed_requests") > 1);
  CHECK(hangs.at("elapsed_s").to_number<double>() < 120);  // three times 35 s, for one request
}

TEST_CASE("a drive too slow for its driver's patience is offline in the end, and one that is so for a while is not") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const Duration lasts : {0_ms, 3000_ms}) {
      auto slow = fault(drive, disk::Slow{1000}, nth(2));
      slow.lasts = lasts;
      const char* const how_long = lasts == 0_ms ? ", for good" : ", for a while";
      machine::Config& c = runs.add(std::string(file_system) + how_long, with_faults(file_system, "wb", {slow}));
      c.file_system.driver.timeout = 1000_ms;
    }
  runs.check_each([&](std::size_t i, const boost::json::object& result) {
    const bool for_good = runs.config(i).faults.front().lasts == 0_ms;
    CHECK(figure(result, "aborts") > 0);
    CHECK(figure(result, "drives_offline") == for_good);
    CHECK((test::reported(result) > 0) == for_good);
  });
}

TEST_CASE("many calls that fail on a dead drive end, on every file system, and say so") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rc", "wc"}) {
      machine::Config c = with_faults(file_system, pattern, {fault(drive, disk::Dead{})});
      test::pattern_of(c).file_size = 1_MiB;
      runs.add(std::string(file_system) + ", " + pattern, c);
    }
  runs.check_each([](std::size_t, const boost::json::object& result) { CHECK(test::reported(result) > 0); });
}

TEST_CASE("flushes that go on when all is fetched report the blocks that could not be written then") {
  test::FaultyRuns runs;
  for (std::uint64_t number = 1; number <= 8; ++number)
    for (const auto& effect :
         {fault(drive, disk::Dead{}, nth(number)), fault(bus, scsi::ParityError{}, nth(number), 9)}) {
      machine::Config c = with_faults("enwrich", "wb", {effect});
      auto& params = c.file_system.kind.as<file_systems::enwrich::Params>().enwrich;
      params.done_when = file_systems::enwrich::DoneWhen::fetched;
      params.cache_size = {20 << 10};  // two blocks and their directory
      test::pattern_of(c).file_size = 256_KiB;
      runs.add(std::string(effect.effect.kind_name()) + ", command " + std::to_string(number), c);
    }
  runs.check_each([](std::size_t, const boost::json::object& result) { CHECK(test::reported(result) > 0); });
}

TEST_CASE("a driver tries a bad sector again as often as it may, and a write mends it") {
  auto config = with_faults("traditional-caching", "rb", {fault(drive, disk::MediumError{0, 1'000'000'000, 1_ms})});
  config.file_system.driver.retries = 2;
  CHECK(figure(run(config), "retries") == 2 * 2);  // two blocks of the drive
  config.file_system.driver.retry_medium_errors = false;
  CHECK(figure(run(config), "retries") == 0);
}

TEST_CASE("the same faults with the same seed are the same run") {
  auto config = with_faults("disk-directed", "wb", {fault("*disk*", disk::Hang{}, {faults::AtRate{0.5}})});
  auto results = test::run_each({config, config});
  for (auto& result : results) result.erase("host");
  CHECK(results[0] == results[1]);
  CHECK(figure(results[0], "struck") > 0);
}

TEST_CASE("a fault that strikes nothing is refused with a part that it could strike") {
  auto config = with_faults("disk-directed", "wb", {fault("iop7_scsi0.disk0", disk::Dead{})});
  CHECK(test::refusal(config) ==
        "faults.0.place is 'iop7_scsi0.disk0', and dead strikes a drive: 'iop0_scsi0.disk0' is one, '*' means all.");
  config.faults = {fault("cp0", scsi::BusHang{})};
  CHECK(test::refusal(config) ==
        "faults.0.place is 'cp0', and bus-hang strikes a SCSI bus: 'iop0_scsi0' is one, '*' means all.");
  config.file_system.kind = test::file_system_of("enwrich");
  config.faults = {fault("cp0", node::Stop{}, nth(2))};
  CHECK(test::refusal(config) ==
        "faults.0.trigger.kind is operation; a node's fault begins at a time: the kind must be time, exponential or "
        "weibull.");
}

TEST_CASE("losses with a drive's power are reported, or mended by a redundant store") {
  test::FaultyRuns runs;
  for (const char* store : {"plain", "mirror", "raid5", "raid6"})
    for (const char* file_system : test::every_file_system)
      for (const std::uint64_t number : {2u, 3u, 5u, 8u})
        for (const char* place : {"iop1_scsi0.disk1", "iop1_scsi0.disk?"}) {
          machine::Config& c =
              runs.add(std::string(file_system) + " on " + store + ", " + std::to_string(number) + ", " + place,
                       with_faults(file_system, "wb", {fault(place, disk::PowerLoss{10_ms}, nth(number))}));
          c.machine.disks = 8;
          REQUIRE(c.file_system.store.kind.choose(store));
        }
  std::uint64_t reported = 0, doubted = 0;
  runs.check_each([&](std::size_t i, const boost::json::object& result) {
    CHECK(figure(result, "bytes_lost_with_power") == 0);
    reported += figure(result, "bytes_wrong_and_reported");
    if (runs.config(i).file_system.store.kind.is<io::plain::Params>()) return;
    doubted += figure(result, "units_doubted");
    // A row of a RAID 6 can do without two drives, others without one: the fault of one drive costs nothing.
    if (runs.config(i).faults.front().place.ends_with('1')) CHECK(figure(result, "bytes_reported_unwritten") == 0);
  });
  CHECK(reported > 0);
  CHECK(doubted > 0);
}

TEST_CASE("a drive is without power from the time of the loss on, not from its next command") {
  auto config =
      with_faults("traditional-caching", "rb", {fault("iop1_scsi0.disk0", disk::PowerLoss{50_us}, test::at({}))});
  config.machine.compute_processors = 1;
  CHECK(run(config).at("elapsed_s").to_number<double>() < 0.5);  // not ready, it would be asked again after a second
  // Of two losses before a command, listed in any order, the longer one counts.
  const auto longer = fault("iop1_scsi0.disk0", disk::PowerLoss{1000_ms}, test::at(1_us)),
             shorter = fault("iop1_scsi0.disk0", disk::PowerLoss{1_us}, test::at(2_us));
  for (const auto& faults : {std::vector{longer, shorter}, std::vector{shorter, longer}}) {
    config.faults = faults;
    CHECK(run(config).at("elapsed_s").to_number<double>() > 1);
  }
}

TEST_CASE("a drive that was without power says so also if its bus was reset since") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (std::uint64_t connection = 4; connection <= 24; connection += 2)
      runs.add(std::string(file_system) + ", connection " + std::to_string(connection),
               with_faults(file_system, "wb",
                           {fault("iop1_scsi0.disk1", disk::PowerLoss{500_ms}, nth(2)),
                            fault(bus, scsi::BusReset{}, nth(connection))}));
  std::uint64_t reported = 0;
  runs.check_each([&](std::size_t, const boost::json::object& result) {
    CHECK(figure(result, "bytes_lost_with_power") == 0);
    reported += figure(result, "bytes_wrong_and_reported");
  });
  CHECK(reported > 0);
}

TEST_CASE("a fault that is due after the end of the run strikes no node, and the warning says that none has struck") {
  test::FaultyRuns runs;
  for (const char* file_system : test::every_file_system)
    for (const machine::Fault& late :
         {fault("*", node::Stop{}, test::at(10'000_ms)), fault("*", node::Reboot{1_ms}, test::at(10'000_ms)),
          fault("*", node::Pause{1_ms}, test::at(10'000_ms)),
          fault("network.router?", network::PortDown{}, test::at(10'000_ms))})
      for (const char* pattern : {"rb", "wb"})
        runs.add(std::string(file_system) + ", " + pattern + ", " + std::string(late.effect.kind_name()),
                 with_faults(file_system, pattern, {late, fault(drive, disk::PowerLoss{}, test::at(5'000_ms))}))
            .machine.delivery.kind = os::Acknowledged{};
  runs.check_each([](std::size_t, const boost::json::object& result) {
    CHECK(result.at("elapsed_s").to_number<double>() < 10);
    CHECK(figure(result, "struck") == 0);
    CHECK(test::count(result, "bytes_verified") == 64 << 10);
    CHECK(boost::json::serialize(result.at("warnings")) == R"(["no fault struck before the run ended"])");
  });
}

TEST_CASE("a node's counts from before a reboot stay in its statistics") {
  // The node stops in the middle of its calls, and is there again 1 ms later; the run goes on for longer.
  const auto counts = [](const machine::Fault& one_fault) {
    machine::Config c = with_faults("traditional-caching", "rb", {one_fault});
    c.machine.delivery.kind = os::Acknowledged{};
    const auto result = run(c);
    REQUIRE(figure(result, "struck") == 1);
    std::map<std::string, double> all;
    for (const auto& [name, one] : result.at("statistics").as_object())
      if (name.starts_with("machine.cp0.") && one.at("unit").as_string() != "fraction")
        all[name] = one.at("value").to_number<double>();
    return all;
  };
  const auto stopped = counts(fault("cp0", node::Stop{}, test::at(10_ms))),
             rebooted = counts(fault("cp0", node::Reboot{1_ms}, test::at(10_ms)));
  CHECK(
      std::ranges::any_of(stopped, [](const auto& one) { return one.first.starts_with("machine.cp0.cycles.main."); }));
  for (const auto& [name, value] : stopped) {
    INFO(name);
    REQUIRE(rebooted.contains(name));
    CHECK(rebooted.at(name) >= value);
  }
}
