// SPDX-License-Identifier: MIT
// Runs that once ended as they must not. They were found by drawing whole runs at random; tests/machine/found/ has
// their configurations.
#include <boost/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace sunstar;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Why sunstar-<program>, the last word of the configuration's name, does not run it to a good end; empty if it does.
std::string why_not(const std::string& name, std::vector<std::string> options = {}) {
  test::Program program(test::binary_folder() / ("sunstar-" + name.substr(name.rfind('-') + 1)));
  const auto file = test::source_folder() / "tests/machine/found" / (name + ".json");
  options.insert(options.end(), {"--config", file.string(), "--quiet"});
  const int code = program(options);
  return code == 0 ? "" : "exit code " + std::to_string(code) + ": " + program.err;
}

}  // namespace

TEST_CASE("Galley: a read of a block that another process writes whole sees only old or new bytes") {
  CHECK(why_not("galley-trace-torus") == "");
  CHECK(why_not("galley-trace-sp2") == "");
  CHECK(why_not("galley-trace-cluster") == "");
}

TEST_CASE("a message that takes no time arrives after its sender has sent it") {
  CHECK(why_not("no-time-switch-sp2") == "");
  CHECK(why_not("no-time-fixed-delay-torus") == "");
}

TEST_CASE("the critical path begins with the first request, even while other jobs have requests under way") {
  CHECK(why_not("explain-galley-jobs-torus", {"--explain"}) == "");
  CHECK(why_not("explain-galley-jobs-sp2", {"--explain"}) == "");
}

TEST_CASE("a log and a wave file of one run may ask its parts for their events in the middle of one another") {
  const test::TemporaryFolder folder;
  const std::vector<std::string> recordings{
      "--explain", "--log", (folder.path / "l").string(),     "--log-level",  "trace",  "--log-limit",
      "1MiB",      "--vcd", (folder.path / "w.vcd").string(), "--vcd-window", "0ms,1ms"};
  CHECK(why_not("recordings-enwrich-forks-torus", recordings) == "");
  CHECK(why_not("recordings-caching-forks-cluster", recordings) == "");
}

TEST_CASE("data that a redundant store cannot make anew after losses of power are reported, also of failed disks") {
  CHECK(why_not("power-loss-parity-error-mirror-torus") == "");
  CHECK(why_not("power-loss-raid4-pvfs-torus") == "");
  CHECK(why_not("power-loss-raid6-enwrich-torus") == "");
  CHECK(why_not("power-loss-slow-raid6-enwrich-torus") == "");
}

TEST_CASE("no share of time is negative, even of a drive whose command has not arrived when the run ends") {
  test::Program program(test::binary_folder() / "sunstar-torus");
  const auto file = test::source_folder() / "tests/machine/found/paused-scrub-torus.json";
  REQUIRE(program({"--config", file.string(), "--quiet", "--output", "-"}) == 0);
  const boost::json::value result = boost::json::parse(program.out);
  for (const auto& [name, figure] : result.at("statistics").as_object())
    if (name.ends_with("utilisation")) {
      INFO(name);
      CHECK(figure.at("value").to_number<double>() >= 0);
    }
}

TEST_CASE("a disk that loses its power again and again has failed in the end") {
  CHECK(why_not("power-loss-again-and-again-raid6-torus") == "");
  CHECK(why_not("power-loss-again-and-again-mirror-torus") == "");
}

TEST_CASE("a collective whose leader is cut off may be counted twice") {
  CHECK(why_not("router-down-hybrid-torus") == "");
}

TEST_CASE("thousands of reads that reach an I/O processor at once, after its pause, share its buffers") {
  CHECK(why_not("pause-enwrich-reads-torus") == "");
}

TEST_CASE("a drive that is reset while its heads are on their way to its first sector seeks from there") {
  CHECK(why_not("medium-error-bus-reset-torus") == "");
}

TEST_CASE("a job of a redundant store that must be done again waits for its computations") {
  CHECK(why_not("power-loss-during-computation-raid5-torus") == "");
}

TEST_CASE("data that a drive has silently not written are no error of a unit that was made anew from it") {
  CHECK(why_not("lost-writes-power-loss-mirror-torus") == "");
}

TEST_CASE("data that a drive has silently not written are no error of its mirror after a read copy was written back") {
  CHECK(why_not("lost-writes-mirror-locking-torus") == "");
}

TEST_CASE("the programs of a node end once, though it stops again after a reboot because it is cut off") {
  CHECK(why_not("cut-off-after-reboot-enwrich-torus") == "");
  CHECK(why_not("cut-off-after-reboot-galley-torus") == "");
}

TEST_CASE("bytes that a drive delivered wrong may have passed as good, also if a spare has replaced it since") {
  CHECK(why_not("corrupted-read-spare-raid4-torus") == "");
}

TEST_CASE("a redundant store reads what it was given to write just before") {
  CHECK(why_not("reads-after-writes-raid5-torus") == "");
}

TEST_CASE("a wait for room in the TCP window of a node that stops ends") {
  CHECK(why_not("full-window-pvfs-cluster") == "");
  CHECK(why_not("full-window-caching-sp2") == "");
  CHECK(why_not("full-window-two-phase-sp2") == "");
}

TEST_CASE("Galley: a sync ends though a buffer that it flushed is taken for another block meanwhile") {
  CHECK(why_not("sync-galley-jobs-torus") == "");
}

TEST_CASE("a buffer thread that changes from one job to another looks for work again") {
  CHECK(why_not("power-loss-buffers-raid5-jobs-torus") == "");
}

TEST_CASE("a job of a redundant store that corrects one row leaves the locks of its other rows to their owners") {
  CHECK(why_not("corrections-raid5-torus") == "");
  CHECK(why_not("two-corrections-raid5-torus") == "");
}

TEST_CASE("losses while others were out of reach keep no node waiting for as long as patience lasts") {
  for (const char* name :
       {"lost-grant-locking", "lost-grant-asked-again-locking", "link-down-enwrich", "gone-leader-hybrid"}) {
    const test::TemporaryFolder folder;
    const auto file = folder.path / "result.json";
    CHECK(why_not(std::string(name) + "-torus", {"--output", file.string()}) == "");
    const auto result = boost::json::parse(test::TemporaryFolder::read(file)).at("result");
    CHECK(result.at("elapsed_s").to_number<double>() < 100);
  }
}

TEST_CASE("a link that may cut a node off is refused where several applications run") {
  CHECK_THAT(why_not("gone-leader-of-a-job-torus"),
             ContainsSubstring("exit code 3") && ContainsSubstring("several applications run, and none survives"));
}
