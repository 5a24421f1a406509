// SPDX-License-Identifier: MIT
// Every effect on every file system: each run ends, and the verdict on each byte is right.
#include <functional>

#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

machine::Fault fault(std::string_view place, auto effect, faults::Trigger trigger = {}, std::uint32_t times = 0) {
  machine::Fault f;
  f.place = place;
  f.effect = effect;
  f.trigger = std::move(trigger);
  f.times = times;
  return f;
}
faults::Trigger nth(std::uint64_t number) { return {faults::AtOperation{number}}; }

constexpr auto drive = "iop1_scsi0.disk0", bus = "iop1_scsi0";

/// What a fault of one of four drives, or of their bus, may cost.
struct Case {
  const char* name;
  machine::Fault fault;
  enum Cost { nothing, reported, silent, buffered } reads, writes;
};
std::vector<Case> cases() {
  using disk::Corruption, disk::Wrong;
  return {
      {"medium error", fault(drive, disk::MediumError{0, 1'000'000'000, 1_ms}), Case::reported, Case::nothing},
      {"medium error of a sector", fault(drive, disk::MediumError{3, 1, 1_ms}), Case::reported, Case::nothing},
      {"recovered error", fault(drive, disk::RecoveredError{3}), Case::nothing, Case::nothing},
      {"slow", fault(drive, disk::Slow{5}), Case::nothing, Case::nothing},
      {"hang", fault(drive, disk::Hang{}, nth(2)), Case::nothing, Case::nothing},
      {"hang again and again", fault(drive, disk::Hang{}, {}, 1000), Case::reported, Case::reported},
      {"dead", fault(drive, disk::Dead{}), Case::reported, Case::reported},
      {"dies", fault(drive, disk::Dead{}, nth(2)), Case::reported, Case::reported},
      {"power loss", fault(drive, disk::PowerLoss{1000_ms}, nth(2)), Case::nothing, Case::buffered},
      {"corrupt read", fault(drive, Corruption{Wrong::read, 1}), Case::silent, Case::nothing},
      {"misdirected write", fault(drive, Corruption{Wrong::misdirected, 1000}), Case::nothing, Case::silent},
      {"torn write", fault(drive, Corruption{Wrong::torn, 1}), Case::nothing, Case::silent},
      {"lost write", fault(drive, Corruption{Wrong::lost, 1}), Case::nothing, Case::silent},
      {"parity error", fault(bus, scsi::ParityError{}), Case::nothing, Case::nothing},
      {"parity errors", fault(bus, scsi::ParityError{}, {}, 1000), Case::reported, Case::reported},
      {"bus hangs", fault(bus, scsi::BusHang{}, nth(2)), Case::nothing, Case::nothing},
      {"bus reset", fault(bus, scsi::BusReset{}, nth(2)), Case::nothing, Case::nothing},
  };
}

machine::Config with_faults(std::string_view file_system, const char* pattern, std::vector<machine::Fault> faults) {
  machine::Config c = test::small_torus(file_system);
  c.machine.disks = 4;
  test::pattern_of(c).pattern = pattern;
  c.faults = std::move(faults);
  return c;
}

boost::json::object run(const machine::Config& config) { return test::run_each({config, config}).front(); }
std::uint64_t figure(const boost::json::object& result, const char* name) {
  return result.at("faults").at(name).to_number<std::uint64_t>();
}

}  // namespace

TEST_CASE("each effect on each file system: the run ends, and what is lost is reported, but for what nobody can know") {
  std::vector<machine::Config> configs;
  std::vector<std::string> names;
  std::vector<Case::Cost> costs;
  for (const char* file_system :
       {"traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs"})
    for (const auto data : {machine::Data::bytes, machine::Data::described})
      for (const bool write : {false, true})
        for (const Case& one : cases()) {
          machine::Config& c = configs.emplace_back(with_faults(file_system, write ? "wb" : "rb", {one.fault}));
          c.run.data = data;
          costs.push_back(write ? one.writes : one.reads);
          // Galley reads its metadata from the disks, whatever it does then; it notices that they are wrong.
          const std::string_view effect = one.fault.effect.kind_name();
          const bool read_wrong = std::string_view(one.name) == "corrupt read";
          if (file_system == std::string_view("galley") && (effect == "medium-error" || read_wrong))
            costs.back() = Case::reported;
          names.push_back(std::string(one.name) + ", " + file_system + (write ? ", write" : ", read"));
        }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(names[i]);
    const auto& result = results[i];
    const std::uint64_t said = figure(result, "bytes_reported_unread") + figure(result, "bytes_reported_unwritten");
    const std::uint64_t silent = figure(result, "bytes_silently_wrong");
    CHECK(result.at("verified").as_bool());
    if (costs[i] != Case::nothing) CHECK(figure(result, "struck") > 0);
    CHECK((said > 0) == (costs[i] == Case::reported));
    CHECK((silent > 0) == (costs[i] == Case::silent));
    if (costs[i] != Case::buffered) CHECK(figure(result, "bytes_lost_with_power") == 0);
    CHECK(figure(result, "bytes_wrong_and_reported") <= said);
    // Of the two drives of the bus at most; but a file of Galley is opened on all disks, or not at all.
    CHECK(said <= (names[i].find("galley") == std::string::npos ? 2 * 16 << 10 : 2 * 64 << 10));
  }
}

TEST_CASE("each effect on Galley and PVFS, which keep blocks and catalogues on their servers: every byte is told of") {
  std::vector<machine::Config> configs;
  std::vector<std::string> names;
  std::vector<Case::Cost> costs;
  for (const char* file_system : {"galley", "pvfs"})
    for (const bool write : {false, true})
      for (const Case& one : cases()) {
        configs.push_back(with_faults(file_system, write ? "wb" : "rb", {one.fault}));
        names.push_back(std::string(one.name) + ", " + file_system + (write ? ", write" : ", read"));
        costs.push_back(write ? one.writes : one.reads);
      }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(names[i]);
    CHECK(results[i].at("verified").as_bool());
    const std::uint64_t said =
        figure(results[i], "bytes_reported_unread") + figure(results[i], "bytes_reported_unwritten");
    CHECK(figure(results[i], "bytes_wrong_and_reported") <= said);
    if (costs[i] == Case::reported) CHECK(said > 0);
  }
}

TEST_CASE("any two effects at once end, too") {
  std::vector<machine::Config> configs;
  std::vector<std::string> names;
  const auto all = cases();
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a; b < all.size(); ++b) {
      machine::Fault other = all[b].fault;
      if (other.place == drive) other.place = (a + b) % 2 ? drive : "iop1_scsi0.disk1";
      configs.push_back(with_faults(b % 2 ? "disk-directed" : "traditional-caching", (a + b) % 3 ? "wb" : "rb",
                                    {all[a].fault, other}));
      names.push_back(std::string(all[a].name) + " and " + all[b].name);
    }
  const auto results = test::run_each(configs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO(names[i]);
    CHECK(results[i].at("verified").as_bool());
  }
}

TEST_CASE("a failed call says so: it is counted, and moves no bytes that were not there") {
  const auto dead = run(with_faults("traditional-caching", "rb", {fault("*disk*", disk::Dead{})}));
  CHECK(figure(dead, "failed_calls") == test::count(dead, "calls"));
  CHECK(figure(dead, "drives_offline") == 4);
  CHECK(test::count(dead, "bytes_moved") == 0);
  CHECK(figure(dead, "bytes_reported_unread") == 64 << 10);
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
