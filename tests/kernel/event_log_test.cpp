// SPDX-License-Identifier: MIT
#include "models/kernel/event_log.h"

#include <sstream>

#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::TemporaryFolder;

namespace {

Time moment(Duration d) { return Time{d}; }

/// A log in a string, with a clock of its own.
struct Notebook {
  explicit Notebook(EventLog::Options options = {}) : log(&text, std::move(options), [this] { return clock; }) {}
  Time clock{};
  std::ostringstream text;
  EventLog log;
};

/// Reports an event a microsecond each, up to the clock, when it is asked.
struct Sleeper final : EventLog::Source {
  explicit Sleeper(Notebook& n) : notebook(n), instance(n.log.instance("machine.sleeper")) { n.log.add(*this); }
  Time settle() override {
    for (; next < notebook.clock; next += 1_us) notebook.log.event(instance, LogLevel::info, next, "sleeps");
    return notebook.clock;
  }
  Notebook& notebook;
  EventLog::Instance instance;
  Time next{};
};

}  // namespace

TEST_CASE("a line has the time, the level, the instance, what happens, figures and the request") {
  Notebook n({.level = LogLevel::trace});
  const auto cp = n.log.instance("machine.cp0"), disk = n.log.instance("machine.iop0_scsi0.disk0");
  n.log.event(cp, LogLevel::info, moment(12'345'678_ps), "sends to iop1", {{"bytes", 16}, {"reply", 0}}, 7);
  n.log.event(disk, LogLevel::debug, moment(2000_ms), "heads: seek", {{"cylinder", 5}});
  n.log.event(cp, LogLevel::trace, moment(2000_ms), "thread main runs");
  n.log.close();
  CHECK(n.text.str() ==
        "0.000012345 info  machine.cp0               sends to iop1, bytes 16, reply 0, request 7\n"
        "2.000000000 debug machine.iop0_scsi0.disk0  heads: seek, cylinder 5\n"
        "2.000000000 trace machine.cp0               thread main runs\n");
  CHECK(n.log.lines() == 3);
  CHECK_FALSE(n.log.truncation());
}

TEST_CASE("a log tells what its level has, and what the levels before it have") {
  for (const auto& [level, lines] : {std::pair{LogLevel::info, 1u}, {LogLevel::debug, 2u}, {LogLevel::trace, 3u}}) {
    Notebook n({.level = level});
    const auto cp = n.log.instance("machine.cp0");
    for (const LogLevel each : {LogLevel::info, LogLevel::debug, LogLevel::trace}) {
      CHECK(n.log.tells(each) == (each <= level));
      n.log.event(cp, each, moment(1_us), "x");
    }
    n.log.close();
    CHECK(n.log.lines() == lines);
  }
}

TEST_CASE("lines stand in order of time, whether they are reported early, late, or when the log asks") {
  Notebook n;
  Sleeper sleeper(n);
  const auto cp = n.log.instance("machine.cp0");
  for (int i = 0; i < 20'000; ++i) {
    n.clock = moment(i * 700_ns);
    n.log.event(cp, LogLevel::info, n.clock + (i % 5) * 3_us, "event " + std::to_string(i));
  }
  n.log.close();
  CHECK(n.log.lines() == 20'000 + 14'000);  // 13.9993 ms of microseconds, from 0
  std::istringstream lines(n.text.str());
  std::string before, line;
  bool in_order = true;
  while (std::getline(lines, line)) in_order = in_order && before.substr(0, 11) <= line.substr(0, 11), before = line;
  CHECK(in_order);
}

TEST_CASE("a log has the events of its window and its scope only") {
  Notebook n({.window = {moment(2_us), moment(4_us)}, .scope = Scope("cp1")});
  const auto cp0 = n.log.instance("machine.cp0"), cp1 = n.log.instance("machine.cp1");
  CHECK_FALSE(cp0);
  for (int i = 0; i < 6; ++i)
    for (const auto instance : {cp0, cp1}) n.log.event(instance, LogLevel::info, moment(i * 1_us), "x");
  n.log.check_scope();
  n.log.close();
  CHECK(n.text.str() == "0.000002000 info  machine.cp1  x\n0.000003000 info  machine.cp1  x\n");
  Notebook wrong({.scope = Scope("iop7")});
  wrong.log.instance("machine.cp0");
  CHECK_THROWS_WITH(wrong.log.check_scope(),
                    Catch::Matchers::ContainsSubstring("--log-scope") && Catch::Matchers::ContainsSubstring("iop7"));
}

TEST_CASE("a log that has reached its limit says so, and so does one without lines") {
  Notebook n({.limit = 100});
  const auto cp = n.log.instance("machine.cp0");
  for (int i = 0; i < 10'000; ++i) {
    n.clock = moment(i * 1_us);
    n.log.event(cp, LogLevel::info, n.clock, "event");
  }
  n.log.close();
  CHECK(n.log.lines() == 3);  // of 37 bytes
  CHECK(*n.log.truncation() ==
        "The log ends at 0.000002 s: its limit of 100 bytes was reached, and 9997 later lines were left out.");
  Notebook empty({.window = {moment(1000_ms), Time::max()}});
  empty.log.event(empty.log.instance("machine.cp0"), LogLevel::info, moment(1_us), "too early");
  CHECK_FALSE(empty.log.truncation());
  empty.log.close();
  CHECK(*empty.log.truncation() == "The log has no lines: nothing that it tells happened in its window.");
}

TEST_CASE("a log that cannot be written is an error when it is made, or when it is closed") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(EventLog(folder.path / "none" / "a.log", {}),
                    Catch::Matchers::ContainsSubstring("cannot be written"));
  EventLog full("/dev/full", {});
  full.event(full.instance("machine.cp0"), LogLevel::info, moment(1_us), "x");
  CHECK_THROWS_AS(full.close(), ConfigError);
}
