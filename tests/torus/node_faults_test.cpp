// SPDX-License-Identifier: MIT
// Nodes that stop, reboot, pause or are cut off, on every file system, when it reads and when it writes, at several
// moments.
#include <algorithm>
#include <sstream>

#include "tests/support/fault_runs.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using test::of_faults;
using test::of_losses;
using test::reported;

namespace {

/// Of the file: what each compute processor moves, and what lies at each I/O processor.
constexpr std::uint64_t whole_file = 96 << 10, of_processor = whole_file / 3, at_server = whole_file / 2;

struct Healthy {
  machine::Config config;
  std::string name;
  std::string_view file_system;
  bool write = false;
  std::uint64_t calls = 0;
  double begin_s = 0, application_s = 0, elapsed_s = 0;
  double acknowledged_s = 0;  // the end with acknowledgements, which may come sooner: messages then leave otherwise

  bool is(std::initializer_list<std::string_view> any) const {
    return std::ranges::find(any, file_system) != any.end();
  }
  bool collective() const { return is({"disk-directed", "hybrid", "two-phase"}); }
  Duration after(double seconds) const { return Duration{static_cast<std::int64_t>((begin_s + seconds) * 1e12)}; }
  /// Before anything, while the application works, in the middle of the run, near its end.
  std::vector<Duration> moments() const {
    return {1_ps, after(0.4 * application_s), after(0.4 * elapsed_s), after(0.9 * elapsed_s)};
  }
};

/// When the first call of a run began, by its records.
double first_start_s(const std::filesystem::path& records) {
  std::istringstream lines(test::TemporaryFolder::read(records));
  std::string line;
  std::getline(lines, line);  // the columns: the last ones are start and end
  double first = 1e9;
  while (std::getline(lines, line)) {
    const std::size_t end = line.rfind(','), start = line.rfind(',', end - 1) + 1;
    first = std::min(first, std::stod(line.substr(start, end - start)));
  }
  return first;
}

/// Three compute processors and two I/O processors, without faults.
std::vector<Healthy> healthy_runs() {
  const test::TemporaryFolder folder;
  std::vector<Healthy> all;
  std::vector<machine::Config> configs;
  for (const char* file_system : test::every_file_system)
    for (const char* pattern : {"rb", "wb", "rc", "wc"}) {
      machine::Config c = test::small_torus(file_system);
      c.machine.compute_processors = 3;
      test::cube_of(c).shape = {2, 3};
      test::pattern_of(c) = {pattern, {2048}, {whole_file}, ""};
      all.push_back({c, std::string(file_system) + ", " + pattern, file_system, pattern[0] == 'w'});
      c.run.records = folder.path / (std::to_string(all.size()) + ".csv");
      configs.push_back(c);
      c.run.records += ".acknowledged";
      c.machine.delivery.kind = os::Acknowledged{};
      configs.push_back(c);
    }
  const auto results = test::run_each(configs);
  const auto seconds = [&](std::size_t run, const char* figure) { return results[run].at(figure).to_number<double>(); };
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].calls = test::count(results[2 * i], "calls");
    all[i].begin_s = first_start_s(configs[2 * i].run.records);
    all[i].application_s = seconds(2 * i, "application_s");
    all[i].elapsed_s = seconds(2 * i, "elapsed_s");
    all[i].acknowledged_s = first_start_s(configs[2 * i + 1].run.records) + seconds(2 * i + 1, "elapsed_s");
  }
  return all;
}

/// Faults of nodes in healthy runs.
struct NodeFaults {
  struct One {
    const Healthy* healthy;
    std::string place;
    Duration when;
    bool at_once;  // before anything
    bool strikes;  // before the end
  };
  void add(const Healthy& h, machine::Fault fault, const std::string& what, bool acknowledged) {
    const Duration when = fault.trigger.kind.as<faults::AtTime>().at;
    const bool strikes = !acknowledged || seconds(Time{when}) < h.acknowledged_s;
    ones.push_back({&h, fault.place, when, when == 1_ps, strikes});
    machine::Config& c = runs.add(h.name + ": " + what + " of " + fault.place + " at " + std::to_string(when.count()) +
                                      (acknowledged ? " ps, acknowledged" : " ps"),
                                  h.config);
    if (acknowledged) c.machine.delivery.kind = os::Acknowledged{};
    c.faults = {std::move(fault)};
  }
  template <class Check>
  void check_each(Check check) const {
    runs.check_each([&](std::size_t i, const boost::json::object& result) {
      // A port may still strike an acknowledgement that leaves after the end.
      if (ones[i].strikes) CHECK(of_faults(result, "struck") > 0);
      else if (!ones[i].place.starts_with("network.")) CHECK(of_faults(result, "struck") == 0);
      CHECK(of_faults(result, "bytes_wrong_and_reported") <= reported(result));
      check(ones[i], *ones[i].healthy, result);
    });
  }
  std::vector<One> ones;
  test::FaultyRuns runs;
};

/// Checks a run whose compute processor may be gone. No other loses a byte, except that in two-phase I/O none takes
/// over its share, and that a collective whose leader is gone counts as failed.
void check_others(const NodeFaults::One& one, const Healthy& h, const boost::json::object& result) {
  const std::uint64_t said = reported(result);
  CHECK(of_losses(result, "bytes_not_made") <= of_processor);
  CHECK(of_losses(result, "cached_bytes") <= (h.write && h.is({"enwrich", "pvfs", "locking"}) ? of_processor : 0));
  if (h.file_system == "two-phase") {
    CHECK(said <= 2 * of_processor);
    CHECK((of_faults(result, "failed_calls") > 0) == (said > 0));
  } else if (h.collective()) {
    CHECK((said <= of_processor || (one.place == "cp0" && said == whole_file)));
    CHECK((of_faults(result, "failed_calls") > 0) == (said > 0));
    CHECK(test::count(result, "bytes_moved") >= whole_file - of_processor);
  } else {
    CHECK(said <= (h.write && h.file_system == "enwrich" ? of_processor : 0));  // what its cache held
    CHECK(of_faults(result, "failed_calls") == 0);
    CHECK(test::count(result, "calls") + of_losses(result, "calls_not_made") == h.calls);
    CHECK(test::count(result, "bytes_moved") + of_losses(result, "bytes_not_made") == whole_file);
  }
}

}  // namespace

TEST_CASE("any node that pauses for less than it takes to give it up costs time and nothing else") {
  const auto healthy = healthy_runs();
  NodeFaults faults;
  const Duration lengths[] = {200_ms, 3900_ms};  // a question without an answer, or three of four
  for (const Healthy& h : healthy)
    for (const char* place : {"cp0", "cp1", "iop1"})
      for (const Duration when : h.moments())
        faults.add(h, test::fault(place, node::Pause{lengths[faults.ones.size() % 2]}, test::at(when)), "pause",
                   faults.ones.size() / 2 % 2);
  faults.check_each([](const NodeFaults::One&, const Healthy& h, const boost::json::object& result) {
    test::check_nothing_lost(result);
    CHECK(test::count(result, "calls") == h.calls);
    CHECK(test::count(result, "bytes_moved") == whole_file);
    CHECK(result.at("elapsed_s").to_number<double>() < h.elapsed_s + 4);
  });
}

TEST_CASE(
    "a compute processor that stops or reboots takes its own bytes with it, and no others, on every file system") {
  const auto healthy = healthy_runs();
  NodeFaults faults;
  for (const Healthy& h : healthy)
    for (const char* place : {"cp0", "cp1"})
      for (const Duration when : h.moments())
        for (const bool acknowledged : {false, true}) {
          faults.add(h, test::fault(place, node::Stop{}, test::at(when)), "stop", acknowledged);
          const Duration until_it_is_back = acknowledged ? 10_ms : 2500_ms;
          faults.add(h, test::fault(place, node::Reboot{until_it_is_back}, test::at(when)), "reboot", acknowledged);
        }
  faults.check_each([](const NodeFaults::One& one, const Healthy& h, const boost::json::object& result) {
    check_others(one, h, result);
    if (!one.at_once) return;
    CHECK(of_faults(result, "nodes_given_up") > 0);
    if (h.collective()) CHECK(reported(result) >= of_processor);
    else CHECK(of_losses(result, "bytes_not_made") == of_processor);
  });
}

TEST_CASE("the data of an I/O processor that stops, reboots or is cut off are reported, on every file system") {
  const auto healthy = healthy_runs();
  NodeFaults faults;
  for (const Healthy& h : healthy)
    for (const Duration when : h.moments()) {
      faults.add(h, test::fault("iop1", node::Stop{}, test::at(when)), "stop", false);
      faults.add(h, test::fault("iop1", node::Stop{}, test::at(when)), "stop", true);
      faults.add(h, test::fault("iop1", node::Reboot{10_ms}, test::at(when)), "quick reboot", false);
      faults.add(h, test::fault("iop1", node::Reboot{2500_ms}, test::at(when)), "reboot", true);
      faults.add(h, test::fault("network.router4", network::PortDown{}, test::at(when)), "cutting off", true);
    }
  faults.check_each([](const NodeFaults::One& one, const Healthy& h, const boost::json::object& result) {
    for (const char* none : {"calls_not_made", "bytes_not_made", "cached_bytes"}) CHECK(of_losses(result, none) == 0);
    CHECK(test::count(result, "calls") == h.calls);
    // A file of Galley is open at all I/O processors, or not at all.
    const std::uint64_t most = h.file_system == "galley" ? whole_file : at_server;
    CHECK(reported(result) <= most);
    if (one.at_once) CHECK(reported(result) == most);
    if (one.when < h.after(0.5 * (h.write ? h.elapsed_s : h.application_s))) CHECK(reported(result) > 0);
    if (!h.write) CHECK(test::count(result, "bytes_moved") + reported(result) >= whole_file);
  });
}

TEST_CASE("a node that pauses until others give it up, or nearly, is there or gone: each byte is right or reported") {
  const auto healthy = healthy_runs();
  NodeFaults faults;
  for (const Healthy& h : healthy)
    for (const char* place : {"cp0", "cp1", "iop1"})
      for (const std::size_t moment : {0, 1})
        for (const Duration length : {5500_ms, 30'000_ms})
          for (const bool acknowledged : {false, true})
            faults.add(h, test::fault(place, node::Pause{length}, test::at(h.moments()[moment])), "long pause",
                       acknowledged);
  faults.check_each([](const NodeFaults::One& one, const Healthy& h, const boost::json::object& result) {
    if (one.place == "iop1") CHECK(reported(result) <= (h.file_system == "galley" ? whole_file : at_server));
    else CHECK(reported(result) <= whole_file);
    CHECK(result.at("elapsed_s").to_number<double>() < 100);  // no node waits until its patience ends
  });
}

TEST_CASE("a run without a request takes no time, and says so, watched or not") {
  test::Program torus(test::binary_folder() / "sunstar-torus");
  const std::vector<std::string> options{"--set", "workload.file_size=1MiB",
                                         "--set", "machine.peers.kind=watched",
                                         "--set", R"(faults=[{"place":"cp*","effect":"stop"}])"};
  for (const std::string kind : {"traditional-caching", "galley"})
    for (const bool explained : {false, true}) {
      auto all = options;
      all.insert(all.end(), {"--verbose", "--set", "file_system.kind=" + kind});
      if (explained) all.emplace_back("--explain");
      INFO(kind);
      REQUIRE(torus(all) == 0);
      CHECK_THAT(torus.out, ContainsSubstring("result.elapsed_s                            0\n"));
      CHECK_THAT(torus.out, ContainsSubstring("result.verified                             false\n"));
      CHECK_THAT(torus.err, ContainsSubstring("1048576 bytes read by processors that stopped could not be verified"));
      CHECK_THAT(torus.out, ContainsSubstring("result.throughput.mib_per_s                 0\n"));
      CHECK_THAT(torus.out + torus.err, ContainsSubstring("no request was made"));
      CHECK_THAT(torus.out + torus.err,
                 ContainsSubstring("1048576 bytes are of calls that processors had still to make when they stopped"));
    }
}

TEST_CASE("a simulation does not go on for limits of waiting that have been forgotten when its run ends") {
  // The file is read in a fraction of a second, less than the second after which a node looks for one it waits for.
  const double elapsed_s = machine::run_trial(test::small_torus(), 0).result.elapsed_s;
  CHECK(elapsed_s > 0);
  CHECK(elapsed_s < 0.5);
  CHECK(now() < Time{500_ms});
}

TEST_CASE("a compute processor that is cut off loses its own calls, and the others none of theirs") {
  const auto healthy = healthy_runs();
  NodeFaults faults;
  for (const Healthy& h : healthy)
    for (const char* router : {"network.router0", "network.router1"})  // cp0, cp1
      for (const std::size_t moment : {0, 1, 3}) {
        faults.add(h, test::fault(router, network::PortDown{}, test::at(h.moments()[moment])), "cutting off", true);
      }
  faults.check_each([](const NodeFaults::One&, const Healthy& h, const boost::json::object& result) {
    if (!h.collective()) CHECK(reported(result) <= of_processor);
  });
}
