// SPDX-License-Identifier: MIT
// Runs that are watched: what the monitors count, what the wave file, the timeline and the log hold, and that the run
// is the same.
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using test::TemporaryFolder;
namespace json = boost::json;

namespace {

/// A wave file, read back.
struct Waves {
  explicit Waves(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::vector<std::string> scope;
    std::map<std::string, std::string> name_of;
    std::map<std::string, std::vector<std::string>> tables, words_of;  // of words: by number, by short name
    std::string table;                                                 // of the next signal
    std::int64_t time = 0;
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string first, second, third, code, name;
      words >> first >> second >> third >> code >> name;
      if (first == "$scope") scope.push_back(third);
      else if (first == "$upscope") scope.pop_back();
      else if (first == "$var") {
        std::string full;
        for (const auto& s : scope) full += s + ".";
        name_of[code] = full + name;
        signals[full + name];
        words_of[code] = tables[std::exchange(table, "")];
      } else if (first == "$attrbegin") {
        std::vector<std::string> rest;
        for (std::string word; words >> word;) rest.push_back(word);
        if (code == "\"\"") table = name;
        else tables[*std::prev(rest.end(), 2)] = {rest.begin(), rest.begin() + std::stoi(name)};
      } else if (line[0] == '#') {
        const auto next = std::stoll(line.substr(1));
        in_order = in_order && next >= time;
        time = next;
      } else if (line[0] == 'b') {
        const int value = number(first.substr(1));
        const auto& meant = words_of.at(second);
        signals[name_of.at(second)].emplace_back(
            time, meant.empty() ? std::to_string(value) : meant.at(static_cast<std::size_t>(value)));
      }
    }
    end = time;
  }
  static int number(const std::string& bits) {
    return static_cast<int>(static_cast<std::uint32_t>(std::stoull(bits, nullptr, 2)));
  }

  /// Share of the time until `until` for which the signal had the value.
  double share(const std::string& signal, const std::string& value, std::int64_t until) const {
    std::int64_t sum = 0;
    const auto& changes = signals.at(signal);
    for (std::size_t i = 0; i < changes.size(); ++i)
      if (changes[i].second == value)
        sum += std::min(until, i + 1 < changes.size() ? changes[i + 1].first : end) - std::min(until, changes[i].first);
    return static_cast<double>(sum) / static_cast<double>(until);
  }

  std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>> signals;
  std::int64_t end = 0;
  bool in_order = true;
};

machine::Config watched(const std::string& kind, const std::string& pattern) {
  machine::Config config = test::small_torus(kind);
  test::pattern_of(config).pattern = pattern;
  test::pattern_of(config).record_size = {2048};
  return config;
}

kit::Watch everything(const TemporaryFolder& folder) {
  kit::Watch watch;
  watch.vcd = folder.path / "w.vcd";
  watch.timeline = folder.path / "t.json";
  watch.log = folder.path / "a.log";
  watch.log_options.level = LogLevel::trace;
  return watch;
}

double statistic(const json::object& result, const std::string& name) {
  return result.at("statistics").at(name).at("value").to_number<double>();
}

}  // namespace

TEST_CASE("the monitors on the sockets count what the result reports") {
  const TemporaryFolder folder;
  const auto result =
      test::figures_of(machine::run_trial(watched("traditional-caching", "wcc"), 0, everything(folder)));
  const auto& monitored = result.at("host").at("watched").at("monitored").as_object();
  CHECK(monitored.at("messages sent").to_number<std::uint64_t>() == test::count(result, "messages"));
  CHECK(monitored.at("messages arrived").to_number<std::uint64_t>() == test::count(result, "messages"));
  CHECK(monitored.at("message bytes sent").to_number<std::uint64_t>() == test::count(result, "message_bytes"));
  CHECK(monitored.at("message bytes arrived").to_number<std::uint64_t>() == test::count(result, "message_bytes"));
  CHECK(test::count(result, "message_bytes") > 0);
  const char* masters[] = {"processor", "network_interface", "dma_engine", "host_adapter0"};
  for (const char* node : {"cp0", "cp1", "iop0", "iop1"})
    for (int m = 0; m < (node[0] == 'c' ? 3 : 4); ++m) {
      const std::string bus = std::string("machine.") + node + ".bus";
      CAPTURE(bus, m);
      CHECK(monitored.at(bus + ": bytes of master " + std::to_string(m)).to_number<double>() ==
            statistic(result, bus + "." + masters[m] + "_bytes"));
    }
  CHECK(monitored.at("machine.iop0_scsi0.bus: bytes").to_number<double>() ==
        statistic(result, "machine.iop0_scsi0.bus.data_bytes"));
  CHECK(statistic(result, "machine.iop0_scsi0.bus.data_bytes") == 32 << 10);  // its half of the file
}

TEST_CASE("watching a run does not change it, to the last kernel event") {
  for (const char* kind : {"traditional-caching", "disk-directed"})
    for (const char* pattern : {"rb", "wcc"}) {
      CAPTURE(kind, pattern);
      const auto config = watched(kind, pattern);
      const TemporaryFolder folder;
      auto results = kit::run_trials(2, 2, [&](std::uint32_t i) {
        return test::figures_of(machine::run_trial(config, 0, i == 1 ? everything(folder) : kit::Watch{}));
      });
      CHECK(results[0].at("host").at("kernel_events") == results[1].at("host").at("kernel_events"));
      for (auto& r : results) r.erase("host");
      CHECK(results[0] == results[1]);
    }
}

TEST_CASE("showing a run's progress does not change it, to the last kernel event") {
  for (const char* kind : {"traditional-caching", "disk-directed", "enwrich"}) {
    CAPTURE(kind);
    const auto config = watched(kind, "wb");
    auto results = kit::run_trials(2, 2, [&](std::uint32_t i) {
      std::vector<double> shares;
      kit::Watch watch;
      if (i == 1) watch.progress = [&](double share, std::string_view) { shares.push_back(share); };
      auto result = test::figures_of(machine::run_trial(config, 0, watch));
      result["shares"] = boost::json::array(shares.begin(), shares.end());
      return result;
    });
    const auto shares = results[1].at("shares").as_array();
    CHECK(shares.size() >= 8);  // the file has as many blocks
    CHECK(shares.back().to_number<double>() == 1);
    CHECK(std::ranges::is_sorted(shares, {}, [](const auto& share) { return share.template to_number<double>(); }));
    CHECK(results[0].at("host").at("kernel_events") == results[1].at("host").at("kernel_events"));
    for (auto& r : results)
      for (const char* key : {"host", "shares"}) r.erase(key);
    CHECK(results[0] == results[1]);
  }
}

TEST_CASE("signals in the wave file agree with the times in the statistics") {
  const TemporaryFolder folder;
  const auto config = watched("disk-directed", "rb");
  const auto result = test::figures_of(machine::run_trial(config, 0, everything(folder)));
  const Waves waves(folder.path / "w.vcd");
  CHECK(waves.in_order);
  // Shares are of the time until the run has finished; the drives go on reading ahead.
  const double threads = statistic(result, "machine.iop0.cpu.thread_utilisation");
  const double elapsed = result.at("elapsed_s").to_number<double>();
  const auto finished = static_cast<std::int64_t>(elapsed * 1e12);
  REQUIRE(threads > 0);
  CHECK(waves.end < finished + 1'000'000'000'000);  // no limit of waiting keeps the simulation going
  CHECK(waves.share("machine.iop0.cpu.state", "thread", finished) == Approx(threads).epsilon(0.02));
  CHECK(waves.share("machine.iop0.cpu.state", "interrupt", finished) ==
        Approx(statistic(result, "machine.iop0.cpu.interrupt_utilisation")).epsilon(0.02));
  CHECK(waves.share("machine.iop0_scsi0.bus.phase", "free", finished) ==
        Approx(1 - statistic(result, "machine.iop0_scsi0.bus.utilisation")).epsilon(0.02));

  // A channel is reserved at least for as long as its bytes take; the last ones may pass when the run has finished.
  std::size_t reserved = 0;
  for (const auto& [name, changes] : waves.signals) {
    if (name.find("network.router") == std::string::npos || name.ends_with("held") || name.ends_with("leaving"))
      continue;
    CAPTURE(name);
    if (changes.size() > 1) ++reserved;
    CHECK(changes.back().second == "0");
    double reserved_ps = 0;  // two messages may share a channel
    for (int messages = 1; messages < 10; ++messages)
      reserved_ps += messages * waves.share(name, std::to_string(messages), waves.end) * static_cast<double>(waves.end);
    CHECK(reserved_ps >= statistic(result, name + "_utilisation") * static_cast<double>(finished) * 0.999);
  }
  CHECK(reserved >= 8);  // four nodes send and receive

  // All that was sent has arrived and has been taken out; queues are empty.
  for (const char* name :
       {"machine.cp0.network_interface.under_way", "machine.iop1.network_interface.under_way",
        "machine.iop0.network_interface.input_fifo", "machine.iop0_scsi0.disk0.queue", "machine.iop0.ready_threads"}) {
    CAPTURE(name);
    REQUIRE(waves.signals.at(name).size() > 1);
    CHECK(waves.signals.at(name).back().second == "0");
    for (const auto& [time, value] : waves.signals.at(name)) REQUIRE(std::stoi(value) >= 0);
  }
}

TEST_CASE("a scope and a window change nothing but the file") {
  const auto config = watched("traditional-caching", "rb");
  const TemporaryFolder folder;
  auto results = kit::run_trials(2, 2, [&](std::uint32_t i) {
    kit::Watch watch;
    if (i == 1) {
      watch.vcd = folder.path / "w.vcd";
      watch.waves.scope = Scope("iop1*");
      watch.waves.window = {Time{Duration{20'000'000'000}}, Time{Duration{30'000'000'000}}};
    }
    return test::figures_of(machine::run_trial(config, 0, watch));
  });
  CHECK(results[0].at("host").at("kernel_events") == results[1].at("host").at("kernel_events"));
  for (auto& r : results) r.erase("host");
  CHECK(results[0] == results[1]);
  const Waves waves(folder.path / "w.vcd");
  CHECK(waves.in_order);
  CHECK(waves.end == 30'000'000'000);
  CHECK(waves.signals.contains("machine.iop1.cpu.state"));
  CHECK(waves.signals.contains("machine.iop1.cache.hits"));
  for (const auto& [name, changes] : waves.signals) {
    CAPTURE(name);
    CHECK(name.starts_with("machine.iop1"));
    REQUIRE_FALSE(changes.empty());
    CHECK(changes.front().first == 20'000'000'000);
  }
}

TEST_CASE("the timeline holds every message and every disk command with its phases") {
  const TemporaryFolder folder;
  const auto result =
      test::figures_of(machine::run_trial(watched("traditional-caching", "rcc"), 0, everything(folder)));
  const auto file = json::parse(TemporaryFolder::read(folder.path / "t.json"));
  std::uint64_t messages = 0, bytes = 0, commands = 0, data = 0;
  std::set<std::string> groups;
  for (const auto& event : file.at("traceEvents").as_array()) {
    const std::string ph(event.at("ph").as_string()), name(event.at("name").as_string());
    if (name == "process_name") groups.emplace(event.at("args").at("name").as_string());
    const auto* args = event.as_object().if_contains("args");
    if (ph == "X" && args && args->as_object().contains("hops"))
      ++messages, bytes += args->at("bytes").to_number<std::uint64_t>();
    if (ph == "X" && name == "read" && args && args->as_object().contains("lbn")) ++commands;
    if (ph == "X" && name == "data") data += event.at("args").at("bytes").to_number<std::uint64_t>();
    if (ph == "X") CHECK(event.at("dur").to_number<double>() > 0);
  }
  CHECK(messages == test::count(result, "messages"));
  CHECK(bytes == test::count(result, "message_bytes"));
  CHECK(commands == test::count(result, "disk_reads"));
  CHECK(static_cast<double>(data) == statistic(result, "machine.iop0_scsi0.bus.data_bytes") +
                                         statistic(result, "machine.iop1_scsi0.bus.data_bytes"));
  CHECK(groups.contains("machine.cp0"));
  CHECK(groups.contains("machine.iop0_scsi0"));
  CHECK_FALSE(result.at("host").at("watched").as_object().contains("timeline"));
}

TEST_CASE("the log tells of every message and every disk command, in order of time") {
  const TemporaryFolder folder;
  const auto result =
      test::figures_of(machine::run_trial(watched("traditional-caching", "rcc"), 0, everything(folder)));
  std::map<std::string, std::uint64_t> kinds;
  std::istringstream lines(TemporaryFolder::read(folder.path / "a.log"));
  std::string before;
  bool in_order = true;
  std::uint64_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    in_order = in_order && before <= line.substr(0, 11);
    before = line.substr(0, 11);
    std::istringstream words(line);
    std::string time, level, instance, first, second;
    words >> time >> level >> instance >> first >> second;
    ++kinds[level + " " + first];
    if (first == "cache:") ++kinds[second];
    if (first == "interrupt") CHECK(instance.find("scsi") == std::string::npos);
    if (first == "heads:") CHECK(instance.find("scsi0.disk") != std::string::npos);
  }
  CHECK(in_order);
  const auto messages = test::count(result, "messages");
  CHECK(kinds.at("info sends") == messages);
  CHECK(kinds.at("info receives") == messages);
  CHECK(kinds.at("info read,") == test::count(result, "disk_reads"));
  CHECK(kinds.at("info read") == test::count(result, "disk_reads"));  // "read ends"
  CHECK(kinds.at("debug arbitration:") ==
        static_cast<std::uint64_t>(statistic(result, "machine.iop0_scsi0.bus.connections") +
                                   statistic(result, "machine.iop1_scsi0.bus.connections")));
  CHECK(kinds.at("debug free") == kinds.at("debug arbitration:"));
  CHECK(kinds.at("debug interrupt") == kinds.at("debug end"));
  CHECK(kinds.at("miss,") == static_cast<std::uint64_t>(statistic(result, "machine.iop0.cache.misses") +
                                                        statistic(result, "machine.iop1.cache.misses")));
  CHECK(kinds.at("trace thread") > messages);
  CHECK(result.at("host").at("watched").at("log_lines").to_number<std::uint64_t>() == count);
  CHECK_FALSE(result.at("host").at("watched").as_object().contains("log"));
}

TEST_CASE("a recording whose window the run does not reach is empty and says so") {
  const TemporaryFolder folder;
  auto watch = everything(folder);
  watch.waves.window = watch.timeline_options.window =
      watch.log_options.window = {Time{Duration{1'000'000'000'000'000}}, Time::max()};
  const auto result = test::figures_of(machine::run_trial(watched("traditional-caching", "rcc"), 0, watch));
  const auto& watched = result.at("host").at("watched").as_object();
  CHECK_THAT(watched.at("vcd").as_string().c_str(), Catch::Matchers::ContainsSubstring("The wave file has no values"));
  CHECK(watched.at("timeline") == "The timeline has no spans: nothing that it records happened in its window.");
  CHECK(watched.at("log") == "The log has no lines: nothing that it tells happened in its window.");
}

TEST_CASE("a timeline that reached its limit says so in the result") {
  const TemporaryFolder folder;
  auto watch = everything(folder);
  watch.timeline_options.limit = 4096;
  const auto result = test::figures_of(machine::run_trial(watched("traditional-caching", "rcc"), 0, watch));
  const std::string sentence(result.at("host").at("watched").at("timeline").as_string());
  CHECK(sentence.find("its limit of 4096 bytes was reached") != std::string::npos);
  CHECK_NOTHROW(json::parse(TemporaryFolder::read(folder.path / "t.json")));
}

TEST_CASE("every resource has its utilisation in the statistics, and none is above one") {
  const auto result = test::figures_of(machine::run_trial(watched("traditional-caching", "rb"), 0));
  for (const char* name :
       {"machine.cp0.cpu.thread_utilisation", "machine.cp0.cpu.interrupt_utilisation", "machine.cp0.bus.utilisation",
        "machine.iop1.cpu.thread_utilisation", "machine.iop1.bus.utilisation", "machine.iop0_scsi0.bus.utilisation",
        "machine.iop0_scsi0.disk0.utilisation", "machine.iop0_scsi0.disk0.heads_utilisation",
        "machine.network.router0.injection_utilisation", "machine.network.router2.ejection_utilisation"}) {
    CAPTURE(name);
    CHECK(statistic(result, name) > 0);
  }
  for (const auto& [name, s] : result.at("statistics").as_object())
    if (s.at("unit") == "fraction") {
      CAPTURE(std::string(name));
      CHECK(s.at("value").to_number<double>() <= 1);
    }
}
