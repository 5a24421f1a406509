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
  WaveFile file{folder.path / "w.vcd", {}, [this] { return clock; }};

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
  const auto state = w.file.word("state", {"activity", {"idle", "thread", "interrupt"}});
  w.file.change(state, at(10), 1);  // a thread until 50
  w.file.change(state, at(50), 0);
  w.file.change(state, at(30), 2);  // interrupted from 30 to 40; it ends at 60
  w.file.change(state, at(40), 1);
  w.file.change(state, at(60), 0);
  w.clock = at(100);
  CHECK(w.changes() == "#0\n$dumpvars\nb0 !\n$end\n#10\nb1 !\n#30\nb10 !\n#40\nb1 !\n#60\nb0 !\n#100\n");
}

TEST_CASE("steps add up in order of time, in any order of announcement") {
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
  w.file.number("machine.cp0.cpu.load");
  w.file.close();
  const std::string text = TemporaryFolder::read(w.folder.path / "w.vcd");
  CHECK(text.substr(0, text.find("$enddefinitions")) ==
        "$version sunstar $end\n$timescale 1 ps $end\n$scope module machine $end\n$scope module cp0 $end\n$var integer "
        "32 ! ready $end\n"
        "$scope module cpu $end\n$var integer 32 # load $end\n$upscope $end\n$upscope $end\n"
        "$scope module network $end\n$var integer 32 \" up $end\n$upscope $end\n$upscope $end\n");
}

TEST_CASE("signals that stand for words are numbers, with one table for those of the same words") {
  Waves w;
  const WaveFile::Words lamp{"lamp", {"off", "on", "broken"}};
  const auto a = w.file.word("hall.lamp", lamp);
  w.file.word("kitchen.lamp", lamp, 1);
  w.file.change(a, at(5), 2);
  w.clock = at(9);
  w.file.close();
  const std::string text = TemporaryFolder::read(w.folder.path / "w.vcd");
  CHECK(text ==
        "$version sunstar $end\n$timescale 1 ps $end\n$attrbegin misc 07 lamp 3 off on broken 0 1 10 1 $end\n"
        "$scope module hall $end\n$attrbegin misc 07 \"\" 1 $end\n$var integer 32 ! lamp $end\n$upscope $end\n"
        "$scope module kitchen $end\n$attrbegin misc 07 \"\" 1 $end\n$var integer 32 \" lamp $end\n$upscope $end\n"
        "$enddefinitions $end\n#0\n$dumpvars\nb0 !\nb1 \"\n$end\n#5\nb10 !\n#9\n");
}

TEST_CASE("a comment cannot end before its end") {
  const TemporaryFolder folder;
  WaveFile(folder.path / "w.vcd", {.comment = "sunstar-lamp\nset: name=$end"}, [] { return Time{}; }).close();
  const std::string text = TemporaryFolder::read(folder.path / "w.vcd");
  CHECK(text.starts_with("$comment\nsunstar-lamp\nset: name=$ end\n$end\n$version"));
}

TEST_CASE("a window has the values at its beginning, the changes within and nothing after") {
  const TemporaryFolder folder;
  Time clock{};
  WaveFile file(folder.path / "w.vcd", {.window = {at(100), at(200)}}, [&clock] { return clock; });
  const auto a = file.number("a"), level = file.number("level");
  for (const int t : {20, 100, 150, 200}) file.change(a, at(t), t);
  for (const int t : {30, 40, 160, 250}) file.step(level, at(t), 1);
  clock = at(1000);
  file.close();
  CHECK_FALSE(file.truncation());
  const std::string text = TemporaryFolder::read(folder.path / "w.vcd");
  CHECK(text.substr(text.find("#")) ==
        "#100\n$dumpvars\nb1100100 !\nb10 \"\n$end\n#150\nb10010110 !\n#160\nb11 \"\n#200\n");
}

TEST_CASE("a window that the run does not reach leaves no values, and a sentence") {
  const TemporaryFolder folder;
  WaveFile file(folder.path / "w.vcd", {.window = {at(2'000'000)}}, [] { return at(1'000'000); });
  file.change(file.number("a"), at(5), 1);
  file.close();
  REQUIRE(file.truncation());
  CHECK(*file.truncation() == "The wave file has no values: the run ended at 1e-06 s, before its window began.");
  const std::string text = TemporaryFolder::read(folder.path / "w.vcd");
  CHECK(text.find('#') == std::string::npos);
}

TEST_CASE("signals outside the scope are not in the file, and their changes are ignored") {
  const TemporaryFolder folder;
  WaveFile file(folder.path / "w.vcd", {.scope = Scope("iop0*")}, [] { return at(9); });
  const auto seen = file.number("machine.iop0_scsi0.disk0.cylinder"), unseen = file.number("machine.cp0.ready");
  CHECK(unseen == WaveFile::unseen);
  file.check_scope();
  file.change(unseen, at(1), 5);
  file.step(unseen, at(1), 5);
  file.change(seen, at(2), 1);
  file.close();
  const std::string text = TemporaryFolder::read(folder.path / "w.vcd");
  CHECK(text.find("cylinder") != std::string::npos);
  CHECK(text.find("ready") == std::string::npos);
  CHECK(text.ends_with("$dumpvars\nb0 !\n$end\n#2\nb1 !\n#9\n"));
}

TEST_CASE("a scope that names nothing is a configuration error, before the run") {
  const TemporaryFolder folder;
  WaveFile file(folder.path / "w.vcd", {.scope = Scope("iop7")}, [] { return at(9); });
  file.number("machine.iop0.ready");
  CHECK_THROWS_AS(file.check_scope(), ConfigError);
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
    Time settle() override { return file.change(signal, at(7), 3), at(9); }
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
  WaveFile file(folder.path / "w.vcd", {.limit = 150}, [&clock] { return clock; });
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
