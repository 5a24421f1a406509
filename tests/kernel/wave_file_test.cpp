// SPDX-License-Identifier: MIT
#include "models/kernel/wave_file.h"

#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using test::TemporaryFolder;

namespace {

Time at(std::int64_t ps) { return Time{Duration{ps}}; }

/// A file and the clock it goes by.
struct Waves {
  TemporaryFolder folder;
  Time clock{};
  WaveFile file{folder.path / "w.vcd", WaveFile::default_limit, [this] { return clock; }};

  /// All after the header.
  std::string changes() {
    file.close();
    const std::string text = TemporaryFolder::read(folder.path / "w.vcd");
    return text.substr(text.find("#0\n"));
  }
};

}  // namespace

TEST_CASE("a change announced in advance appears at its time, in order of time") {
  Waves w;
  const auto a = w.file.number("a"), b = w.file.number("b", -1);
  w.file.change(a, at(300), 2);
  w.file.change(b, at(100), 5);
  w.file.change(b, at(200), -1);
  w.clock = at(1000);
  CHECK(w.changes() ==
        "#0\n$dumpvars\nb0 !\nb11111111111111111111111111111111 \"\n$end\n"
        "#100\nb101 \"\n#200\nb11111111111111111111111111111111 \"\n#300\nb10 !\n#1000\n");
}

TEST_CASE("a change replaces the changes planned for its time and later") {
  Waves w;
  const auto state = w.file.word("state", {"idle", "thread", "interrupt"});
  w.file.change(state, at(10), 1);  // a thread until 50
  w.file.change(state, at(50), 0);
  w.file.change(state, at(30), 2);  // interrupted from 30 to 40; it ends at 60
  w.file.change(state, at(40), 1);
  w.file.change(state, at(60), 0);
  w.clock = at(100);
  CHECK(w.changes() ==
        "#0\n$dumpvars\nsidle !\n$end\n#10\nsthread !\n#30\nsinterrupt !\n#40\nsthread !\n#60\nsidle !\n#100\n");
}

TEST_CASE("steps add up in order of time, in whatever order they are announced") {
  Waves w;
  const auto level = w.file.number("level");
  w.file.step(level, at(40), 1);
  w.file.step(level, at(10), 1);
  w.file.step(level, at(20), -1);
  w.file.step(level, at(40), 1);
  w.clock = at(50);
  CHECK(w.changes() == "#0\n$dumpvars\nb0 !\n$end\n#10\nb1 !\n#20\nb0 !\n#40\nb10 !\n#50\n");
}

TEST_CASE("changes after the end of the run are not in the file") {
  Waves w;
  const auto a = w.file.number("a");
  w.file.change(a, at(50), 1);
  w.file.change(a, at(51), 0);
  w.clock = at(50);
  CHECK(w.changes() == "#0\n$dumpvars\nb0 !\n$end\n#50\nb1 !\n#50\n");
}

TEST_CASE("names with dots become scopes, each opened once") {
  Waves w;
  w.file.number("machine.cp0.ready");
  w.file.number("machine.network.up");
  w.file.word("machine.cp0.cpu.state", {"idle"});
  w.file.close();
  const std::string text = TemporaryFolder::read(w.folder.path / "w.vcd");
  CHECK(text.substr(0, text.find("$enddefinitions")) ==
        "$version sunstar $end\n$timescale 1 ps $end\n$scope module machine $end\n$scope module cp0 $end\n$var integer "
        "32 ! ready $end\n"
        "$scope module cpu $end\n$var string 1 # state $end\n$upscope $end\n$upscope $end\n"
        "$scope module network $end\n$var integer 32 \" up $end\n$upscope $end\n$upscope $end\n");
}

TEST_CASE("a long run is written in pieces, and no change is lost between them") {
  Waves w;
  const auto a = w.file.number("a"), b = w.file.number("b");
  const int n = 300'000;
  for (int i = 1; i <= n; ++i) {
    w.clock = at(10 * i);
    w.file.change(a, w.clock, i & 1);
    w.file.change(b, w.clock + Duration{5}, i & 1);
  }
  w.clock = at(10 * n + 10);
  const std::string text = w.changes();
  CHECK(static_cast<std::size_t>(std::ranges::count(text, '#')) ==
        2u * n + 2);  // each change at a time of its own, start and end
}

TEST_CASE("a source is asked for its changes before the file is written") {
  Waves w;
  struct Late final : WaveFile::Source {
    explicit Late(WaveFile& f) : file(f), signal(f.number("late")) { f.add(*this); }
    void settle() override { file.change(signal, at(7), 3); }
    WaveFile& file;
    WaveFile::Signal signal;
  } late(w.file);
  w.clock = at(9);
  CHECK(w.changes() == "#0\n$dumpvars\nb0 !\n$end\n#7\nb11 !\n#9\n");
}

TEST_CASE("a wave file that cannot be created is a configuration error that names it") {
  CHECK_THROWS_WITH(WaveFile("/no/such/folder/w.vcd"),
                    "/no/such/folder/w.vcd cannot be written: No such file or directory.");
  CHECK_THROWS_AS(WaveFile("/no/such/folder/w.vcd"), ConfigError);
}

TEST_CASE("beyond its limit, a wave file ends between two instants and says so") {
  const TemporaryFolder folder;
  Time clock{};
  WaveFile file(folder.path / "w.vcd", 150, [&clock] { return clock; });
  const auto a = file.number("a"), b = file.number("b");
  for (int i = 1; i <= 100; ++i) {
    file.change(a, at(i), i);
    file.change(b, at(i), -i);
  }
  clock = at(1000);
  file.close();
  REQUIRE(file.truncation());
  const std::string text = TemporaryFolder::read(folder.path / "w.vcd");
  CHECK(text.find("$comment " + *file.truncation() + " $end\n") != std::string::npos);
  // The head takes 119 bytes and #0 with both values 30, so that instant 1 is the first with 150 before it... or the
  // next.
  const auto last = text.substr(text.rfind('#'));
  CHECK(text.find(last) == text.rfind(last));  // the instant of the end has no changes of its own
  CHECK(text.size() < 400);
}
