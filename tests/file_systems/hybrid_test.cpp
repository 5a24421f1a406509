// SPDX-License-Identifier: MIT
// Calls and collectives on the same file: each sees what the other has written.
#include <algorithm>

#include "models/core/content/content.h"
#include "models/core/random.h"
#include "sw/file_systems/hybrid/params.h"
#include "sw/requests/distributions/list_mapping.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using requests::Operation;

namespace {

constexpr std::uint32_t callers = 2, together = 2;
constexpr std::uint64_t file_bytes = 20'000;

/// Processors 0 and 1 make calls, 2 and 3 collectives, on one file. With `in_turn`, each call or collective begins when
/// all before it have ended; otherwise they run into one another.
class Mixed final : public workload::Workload {
 public:
  struct Step {
    bool collective;
    Operation operation;
    std::vector<requests::Piece> pieces;  // by processor of its team: a call has one
    Duration begin;
  };

  Mixed(std::uint64_t seed, bool in_turn) {
    RandomStream random(seed, "interleaving");
    for (int i = 0; i < 24; ++i) {
      Step step{random.below(2) == 0, random.below(2) ? Operation::read : Operation::write, {}, {}};
      step.begin = in_turn ? Duration{std::chrono::milliseconds{200 * i}}
                           : Duration{std::chrono::microseconds{random.below(60'000)}};
      const std::uint32_t first = step.collective ? callers : static_cast<std::uint32_t>(random.below(callers));
      const std::uint32_t n = step.collective ? together : 1;
      std::uint64_t at = random.below(file_bytes - 200);
      for (std::uint32_t p = first; p < first + n; ++p) {
        const std::uint64_t bytes =
            std::min<std::uint64_t>(1 + random.below(5'000), (file_bytes - at) / (first + n - p));
        if (bytes == 0) break;
        step.pieces.push_back({p, at, memory_[p], bytes});
        memory_[p] += bytes;
        at += bytes;
      }
      steps_.push_back(std::move(step));
    }
    if (!in_turn) std::ranges::stable_sort(steps_, {}, &Step::begin);
    auto sizes = std::make_shared<std::vector<std::uint64_t>>(memory_);
    for (const Step& step : steps_)
      if (step.collective)
        collectives_.push_back({{0, step.operation,
                                 std::make_shared<requests::ListMapping>(file_bytes, sizes, step.pieces,
                                                                         step.operation == Operation::write
                                                                             ? requests::ListMapping::Holders::one
                                                                             : requests::ListMapping::Holders::every)},
                                {},
                                step.begin,
                                1});
    files_.push_back({"file", file_bytes, true, true, false});
    in_turn_ = in_turn;
  }

  std::uint32_t processors() const override { return callers + together; }
  std::vector<workload::TeamRange> teams() const override { return {{0, callers, true}, {callers, together, false}}; }
  std::uint64_t memory_bytes(std::uint32_t p) const override { return memory_[p]; }
  std::uint64_t bytes_moved() const override { return 0; }
  std::uint64_t access_count() const override { return 0; }

  std::unique_ptr<requests::AccessSource> accesses(std::uint32_t processor) const override {
    class Source final : public requests::AccessSource {
     public:
      std::vector<requests::Access> all;
      std::size_t at = 0;
      bool next(requests::Access& next) override {
        if (at == all.size()) return false;
        next = all[at++];
        return true;
      }
    };
    auto source = std::make_unique<Source>();
    for (const Step& step : steps_)
      for (const requests::Piece& piece : step.pieces)
        if (piece.processor == processor)
          source->all.push_back(
              {0, step.operation, piece.file_offset, piece.memory_offset, piece.bytes, {}, step.begin});
    return source;
  }

  /// Checks buffers and file: in turn, a read sees exactly what was written before it.
  void check(test::FirmwareRig& rig) const {
    std::vector<bool> written(file_bytes);
    const auto version = [&](const std::byte* b, std::uint64_t at, std::uint32_t v) {
      return content::matches(0, v, at, std::span(b, 1));
    };
    std::vector<bool> at_end(file_bytes);
    for (const Step& step : steps_)
      if (step.operation == Operation::write)
        for (const auto& piece : step.pieces)
          std::fill_n(at_end.begin() + static_cast<std::ptrdiff_t>(piece.file_offset), piece.bytes, true);
    std::uint64_t wrong = 0;
    for (const Step& step : steps_)
      for (const auto& piece : step.pieces)
        for (std::uint64_t i = 0; i < piece.bytes; ++i) {
          const std::uint64_t at = piece.file_offset + i;
          if (step.operation == Operation::write) {
            written[at] = true;
            continue;
          }
          const std::byte* const b = rig.job.memory[piece.processor].base + piece.memory_offset + i;
          const bool good =
              in_turn_ ? version(b, at, written[at]) : version(b, at, 0) || (at_end[at] && version(b, at, 1));
          if (!good) ++wrong;
        }
    CHECK(wrong == 0);
    for (std::uint64_t at = 0; at < file_bytes; ++at) {
      const std::byte* const b = &rig.on_disk(at / test::FirmwareRig::block)[at % test::FirmwareRig::block];
      if (!version(b, at, at_end[at])) ++wrong;
    }
    CHECK(wrong == 0);
  }

 private:
  std::vector<Step> steps_;
  std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(callers + together);
  bool in_turn_ = false;
};

}  // namespace

namespace {

void run_interleavings(bool in_turn, std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 60; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "machine");
    os::Costs costs;
    test::FirmwareRig rig(callers + together, static_cast<std::uint32_t>(1 + random.below(3)), file_bytes, costs);
    file_systems::hybrid::Params params;
    params.cache.buffers_per_cp_per_disk = static_cast<std::uint32_t>(1 + random.below(2));
    params.cache.prefetch = random.below(2);
    params.gather = random.below(2);
    params.presort = random.below(2);
    params.several = static_cast<io::TransferOrder>(random.below(2));
    rig.kind = params;
    const Mixed work(seed, in_turn);
    rig.run(work);
    REQUIRE(rig.record().finished());
    CHECK(rig.machine.unreleased() == 0);
    work.check(rig);
  }
}

}  // namespace

TEST_CASE("calls see what collectives wrote before them, and collectives what calls wrote, byte for byte") {
  run_interleavings(true, 100);
}

TEST_CASE("calls and collectives that run into one another lose no byte that one of them writes") {
  run_interleavings(false, 200);
}
