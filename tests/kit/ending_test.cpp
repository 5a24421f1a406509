// SPDX-License-Identifier: MIT
// How programs end early: what becomes of their files and of their trials.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "models/core/error.h"
#include "models/kernel/wave_file.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/run_main.h"
#include "platforms/kit/run/run_params.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using Catch::Matchers::ContainsSubstring;
using test::TemporaryFolder;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

struct RunOnly {
  kit::RunParams run;
};
BOOST_DESCRIBE_STRUCT(RunOnly, (), (run))
std::vector<Param> parameters(const RunOnly*) { return {{"run", "trials"}}; }

struct Nothing {
  bool verified = true;
};
BOOST_DESCRIBE_STRUCT(Nothing, (), (verified))
std::vector<Figure> figures(const Nothing*) { return {{"verified", "whether all is well", ""}}; }

void wait_for(const fs::path& file) {
  for (int i = 0; i < 1000 && !fs::exists(file); ++i) ::usleep(10'000);
  REQUIRE(fs::exists(file));
}

bool runs(pid_t pid) {
  // A child whose parent has ended is init's, which may not have waited for it yet.
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  stat >> number >> name >> state;
  return stat && state != "Z";
}

/// The signal that ends a program with an output under way and a trial at work; what is left in its folder; and whether
/// the trial still runs.
struct Ended {
  int signal = 0;
  std::size_t files = 0;
  bool trial_runs = true;
};

Ended ended_by(int signal) {
  const TemporaryFolder folder, notes;
  const pid_t program = ::fork();
  if (program == 0) {
    kit::remove_temporaries_on_interrupt();
    kit::TemporaryOutput out(folder.path / "w.vcd", ".vcd");
    kit::run_trials(2, 2, [&](std::uint32_t trial) -> json::object {
      notes.write("part" + std::to_string(trial), std::to_string(::getpid()));
      fs::rename(notes.path / ("part" + std::to_string(trial)), notes.path / std::to_string(trial));
      while (true) ::pause();
    });
    ::_exit(0);
  }
  wait_for(notes.path / "0");
  wait_for(notes.path / "1");
  ::kill(program, signal);
  int status = 0;
  ::waitpid(program, &status, 0);
  Ended end{WIFSIGNALED(status) ? WTERMSIG(status) : 0, folder.files(), true};
  for (int i = 0; i < 500 && end.trial_runs; ++i) {
    end.trial_runs = runs(std::stoi(TemporaryFolder::read(notes.path / "0"))) ||
                     runs(std::stoi(TemporaryFolder::read(notes.path / "1")));
    ::usleep(10'000);
  }
  return end;
}

}  // namespace

TEST_CASE("a program that a signal ends leaves no temporary file and no trial behind") {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    INFO(signal);
    const Ended end = ended_by(signal);
    CHECK(end.signal == signal);
    CHECK(end.files == 0);
    CHECK_FALSE(end.trial_runs);
  }
}

TEST_CASE("trials end with their program even if it cannot say so") { CHECK_FALSE(ended_by(SIGKILL).trial_runs); }

TEST_CASE("trials that are stopped leave the program's files alone") {
  const TemporaryFolder folder;
  const pid_t program = ::fork();
  if (program == 0) {
    kit::remove_temporaries_on_interrupt();
    kit::TemporaryOutput out(folder.path / "w.vcd", ".vcd");
    try {
      kit::run_trials(2, 2, [](std::uint32_t trial) -> json::object {
        if (trial == 0) throw SimulationError("deadlock");
        while (true) ::pause();
      });
    } catch (const SimulationError&) {
      out.commit();
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(program, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(fs::exists(folder.path / "w.vcd"));
}

TEST_CASE("waveforms that outgrow the disk fail the run with the file's own name and the reason") {
  kit::Platform<RunOnly, Nothing> platform;
  platform.name = "sunstar-lamp";
  platform.run_trial = [](const RunOnly&, std::uint32_t, const kit::Watch& watch) {
    WaveFile waves(*watch.vcd, {.limit = 1 << 20}, [] { return Time{}; });
    waves.number("lamp." + std::string(10'000, 'x'));
    waves.close();
    return kit::Trial<Nothing>{};
  };
  const TemporaryFolder folder;
  const pid_t program = ::fork();
  if (program == 0) {
    std::ofstream err(folder.path / "err");
    const rlimit limit{4096, 4096};
    kit::standard_terminal();
    const auto waves = (folder.path / "w.vcd").string();
    const char* argv[] = {"sunstar-lamp", "--vcd", waves.c_str()};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(kit::run_main(3, argv, platform, {err, err, false}));
  }
  int status = 0;
  ::waitpid(program, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(TemporaryFolder::read(folder.path / "err") ==
        (folder.path / "w.vcd").string() + " cannot be written: File too large.\n");
  CHECK(folder.files() == 1);
}

TEST_CASE("a link that leads to itself is named as such") {
  const TemporaryFolder folder;
  fs::create_symlink("loop.json", folder.path / "loop.json");
  CHECK_THROWS_WITH(kit::probe_output(folder.path / "loop.json"),
                    ContainsSubstring("loop.json cannot be written: Too many levels of symbolic links."));
}
