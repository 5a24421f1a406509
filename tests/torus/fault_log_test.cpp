// SPDX-License-Identifier: MIT
// The log of a run with faults: the strikes, and the software's reactions.
#include <sstream>

#include "tests/support/fault_runs.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::at;
using test::fault;
using test::nth;

namespace {

std::string log_of(const machine::Config& config) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path / "a.log";
  kit::Watch watch;
  watch.log = file;
  // In a process of its own: of two trials, the second one does nothing.
  kit::run_trials(2, 1, [&](std::uint32_t trial) -> boost::json::object {
    return trial == 0 ? test::figures_of(machine::run_trial(config, 0, watch)) : boost::json::object{};
  });
  return test::TemporaryFolder::read(file);
}

/// A run, and what its log must tell, in this order: each the instance and what happens there.
struct Story {
  const char *file_system, *pattern;
  machine::Fault fault;
  std::vector<std::pair<std::string, std::string>> lines;
};

}  // namespace

TEST_CASE("the log tells of strikes, and of the reactions of drivers and other nodes") {
  const std::string disk = "machine.iop1_scsi0.disk0";
  const std::vector<Story> stories{
      {"traditional-caching",
       "rb",
       fault("iop1_scsi0.disk0", disk::Hang{}, nth(2)),
       {{disk, "fault: hang"}, {disk, "abort"}, {disk, "device reset"}, {disk, "read ends"}}},
      {"disk-directed",
       "rb",
       fault("iop1_scsi0.disk0", disk::Dead{}, nth(2)),
       {{disk, "fault: dead"}, {disk, "abort"}, {disk, "device reset"}, {disk, "bus reset"}, {disk, "read fails"}}},
      {"two-phase",
       "rb",
       fault("iop1_scsi0.disk0", disk::MediumError{0, 1'000'000, 1_ms}),
       {{disk, "fault: medium-error"}, {disk, "read fails"}, {disk, "read, lbn"}}},
      {"traditional-caching",
       "rb",
       fault("iop1", node::Stop{}, at(20_ms)),
       {{"machine.iop1", "fault: stop"},
        {"machine.cp0", "message to iop1 has no way"},
        {"machine.cp0", "takes iop1 for gone"}}},
      {"enwrich",
       "wb",
       fault("cp1", node::Stop{}, at(1_ms)),
       {{"machine.cp1", "fault: stop"}, {"machine.iop0", "takes cp1 for gone"}}},
      {"two-phase",
       "rc",
       fault("cp1", node::Pause{8000_ms}, at(5_ms)),
       {{"machine.cp1", "fault: pause"}, {"machine.cp0", "takes cp1 for gone"}, {"machine.cp1", "stops itself"}}},
      {"pvfs",
       "wc",
       fault("network.router3", network::PortDown{}, at(2_ms)),
       {{"machine.network.router3", "fault: port-down"},
        {"machine.cp0", "message to iop1 has no way"},
        {"machine.iop1", "stops itself"},
        {"machine.cp0", "takes iop1 for gone"}}},
      {"galley",
       "rb",
       fault("network.router0", network::MessageLost{}, nth(3)),
       {{"machine.network.router0", "fault: message-lost"}, {"machine.cp0", "is lost"}}},
      {"hybrid",
       "rb",
       fault("network.router0", network::MessageCorrupted{}, nth(3)),
       {{"machine.network.router0", "fault: message-corrupted"},
        {"machine.iop1", "refuses a spoilt message from cp0"}}},
  };
  for (const Story& story : stories) {
    machine::Config c = test::small_torus(story.file_system);
    c.machine.delivery.kind = os::Acknowledged{};
    test::pattern_of(c).pattern = story.pattern;
    c.faults = {story.fault};
    std::istringstream log(log_of(c));
    auto next = story.lines.begin();
    for (std::string line; next != story.lines.end() && std::getline(log, line);) {
      std::istringstream words(line);
      std::string time, level, instance;
      words >> time >> level >> instance;
      if (instance == next->first && line.find(next->second) != std::string::npos) ++next;
    }
    INFO(story.file_system << ", " << story.pattern);
    if (next != story.lines.end()) FAIL_CHECK("no line tells of " << next->first << ": " << next->second);
  }
}

TEST_CASE("a bus that is reset while it is watched goes on") {
  machine::Config c = test::small_torus("traditional-caching");
  test::pattern_of(c).pattern = "rb";
  c.faults = {fault("iop1_scsi0", scsi::BusReset{}, nth(4))};
  const std::string log = log_of(c);
  CHECK(log.find("fault: bus-reset") != std::string::npos);
}

TEST_CASE("a node's faults keep their times while it pauses, and repeat if their times are random") {
  machine::Config c = test::small_torus("traditional-caching");
  test::pattern_of(c).pattern = "rb";
  c.faults = {fault("cp1", node::Pause{2000_ms}, at(5_ms)), fault("cp1", node::Stop{}, at(6_ms))};
  const std::string stops = log_of(c);
  CHECK_THAT(stops, ContainsSubstring("0.006000000 info  machine.cp1               fault: stop"));
  c.faults = {fault("cp1", node::Pause{1_ms}, {faults::Exponential{2_ms}}, 5)};
  const std::string pauses = log_of(c);
  std::size_t n = 0;
  for (auto at = pauses.find("fault: pause"); at != std::string::npos; at = pauses.find("fault: pause", at + 1)) ++n;
  CHECK(n == 5);
}
