// SPDX-License-Identifier: MIT
#include <functional>

#include "models/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Does what traditional caching does, and one thing more when all programs have ended.
class Spoiler : public file_systems::FileSystem {
 public:
  using Deed = std::function<os::Task<>(file_systems::Run&)>;

  Spoiler(file_systems::Run& run, Deed deed)
      : run_(run), deed_(std::move(deed)), honest_(file_systems::make(test::small_torus().file_system, run)) {}
  void start() override {
    honest_->start();
    os::Os& os = run_.nodes.io[0].endpoint.os;
    os.spawn(spoil(os), "spoiler");
  }
  workload::Unit unit(std::uint32_t team) const override { return honest_->unit(team); }

 private:
  os::Task<> spoil(os::Os& os) {
    while (!run_.job.record.finished()) co_await os.sleep_until(os.now() + 1_ms);
    co_await deed_(run_);
  }

  file_systems::Run& run_;
  Deed deed_;
  std::unique_ptr<file_systems::FileSystem> honest_;
};

/// What is said of a run of `rb` by two processors on two disks after that deed.
std::string said_of(const Spoiler::Deed& deed, machine::Data data = machine::Data::described) {
  machine::Config config = test::small_torus();
  config.run.data = data;
  try {
    machine::run_trial(config, 0, {}, [&](file_systems::Run& s) { return std::make_unique<Spoiler>(s, deed); });
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "";
}

os::Task<> write_ones(file_systems::Run& run, std::uint64_t sector) {
  os::Os& os = run.nodes.io[0].endpoint.os;
  io::AwaitedRequest request(os);
  request.write = true;
  request.sector = sector;
  request.sectors = 1;
  request.data = {os.node().allocate(run.volume.sector_bytes())};
  std::fill_n(request.data.bytes, run.volume.sector_bytes(), std::byte{1});
  co_await request.carry_out(run.nodes.io[0].store);
}

}  // namespace

// A process simulates once, so there is a test for each way of holding data.
namespace {

const std::string wrong =  // with rb the second processor holds the second half
    "verification failed: byte 32868 of file 'file' is wrong in the memory of compute processor 1: it should be of "
    "version 0, and is ";

os::Task<> flip(file_systems::Run& s) {
  *s.job.memory[1].memory->bytes(s.job.memory[1].base + 100, 1) ^= std::byte{1};
  co_return;
}

os::Task<> replace(file_systems::Run& s) {
  s.job.memory[1].memory->copy(s.job.memory[1].base + 100, s.job.memory[1].base + 1, 1);
  co_return;
}

os::Task<> overwrite(file_systems::Run& s) { return write_ones(s, s.volume.sector_of(0, 0) + 2); }
const std::string overwritten = "verification failed: byte 1024 of file 'file' is wrong on the medium of machine.";

}  // namespace

TEST_CASE("a wrong byte in memory fails the run, and the message names it") {
  CHECK(said_of(flip) == wrong + "a byte of unknown origin");
}

TEST_CASE("a wrong byte in a memory of bytes fails the run, and the message names it") {
  CHECK(said_of(flip, machine::Data::bytes) == wrong + "a byte of unknown origin");
}

TEST_CASE("a byte from elsewhere fails the run, and the message says from where") {
  CHECK(said_of(replace) == wrong + "byte 32769 of file 'file', version 0");
}

TEST_CASE("a byte from elsewhere in a memory of bytes fails the run") {
  CHECK(said_of(replace, machine::Data::bytes) == wrong + "a byte of unknown origin");
}

TEST_CASE("a wrong sector of a file that is only read fails the run") {
  CHECK_THAT(said_of(overwrite), ContainsSubstring(overwritten));
}

TEST_CASE("a wrong sector of bytes of a file that is only read fails the run") {
  CHECK_THAT(said_of(overwrite, machine::Data::bytes), ContainsSubstring(overwritten));
}

TEST_CASE("a sector that is written and belongs to no file fails the run") {
  CHECK_THAT(said_of([](file_systems::Run& s) { return write_ones(s, 100'001); }),
             ContainsSubstring("verification failed: sector 100001 of machine.") &&
                 ContainsSubstring("was written, and it belongs to no file"));
}

TEST_CASE("without a deed no error is reported") {
  CHECK(said_of([](file_systems::Run&) -> os::Task<> { co_return; }) == "");
}

TEST_CASE(
    "the sample is some 64 parts of 4 KiB in memory, and as many on the media, however long the runs of bytes are") {
  machine::Config config = test::small_torus();
  test::pattern_of(config).file_size = 8_MiB;
  const machine::Result result = machine::run_trial(config, 0).result;
  CHECK(result.bytes_verified == 8 << 20);
  CHECK(result.verification.bytes_compared > 2 * 32 * 4096);
  CHECK(result.verification.bytes_compared < 2 * 128 * 4096);
}
