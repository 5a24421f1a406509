// SPDX-License-Identifier: MIT
// Two-phase I/O with aggregators. Every run checks all bytes.
#include <map>
#include <set>

#include "tests/support/patterns.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using file_systems::two_phase::Share;
using test::count;
using test::run_each;

namespace {

constexpr std::uint64_t file_block = 8192;

file_systems::two_phase::Params& two_phase_of(machine::Config& c) {
  return c.file_system.kind.as<file_systems::two_phase::Params>();
}
const file_systems::two_phase::Params& two_phase_of(const machine::Config& c) {
  return c.file_system.kind.as<file_systems::two_phase::Params>();
}

/// `processors` compute processors and two I/O processors with a disk each.
machine::Config aggregating(std::uint32_t processors, std::uint32_t aggregators, Share share, std::uint64_t buffer) {
  machine::Config config = test::small_torus("two-phase");
  config.machine.compute_processors = processors;
  test::cube_of(config).shape = {3, 3};
  two_phase_of(config).share = share;
  two_phase_of(config).buffer_size = {buffer};
  two_phase_of(config).aggregators = aggregators;
  return config;
}

/// Messages of the run, by the parameters' meaning: which aggregator has which file_block, in which rounds, and whose
/// bytes are in it. A request and an answer for each file_block, and for each other processor with bytes in an
/// aggregator's round.
std::uint64_t expected_messages(const machine::Config& config) {
  const auto machine = machine::blueprint(config).machine;
  const auto work =
      workload::make(config.workload, {machine.compute_processors, machine.io_processors, machine.disks, file_block});
  const std::uint64_t n = work->processors();
  const auto& params = two_phase_of(config);
  const std::uint64_t k = params.aggregators == 0 ? n : params.aggregators;
  std::uint64_t messages = 2 * machine.io_processors;  // the sync at the end
  for (const workload::Collective& collective : work->collectives()) {
    messages += 2 * 2 * (n - 1);  // two barriers
    const std::uint64_t bytes = work->files()[collective.file].bytes;
    std::map<std::uint64_t, std::set<std::uint32_t>> touched;  // block: whose bytes are in it
    for (std::uint64_t b = 0; b * file_block < bytes; ++b) {
      std::vector<requests::Piece> pieces;
      collective.mapping->pieces(b * file_block, std::min(file_block, bytes - b * file_block), pieces);
      for (const auto& piece : pieces) touched[b].insert(piece.processor);
    }
    const bool accessed = params.share == Share::accessed;
    const std::uint64_t first = accessed ? touched.begin()->first : 0;
    const std::uint64_t blocks = accessed ? touched.rbegin()->first + 1 - first : (bytes + file_block - 1) / file_block;
    for (std::uint64_t a = 0; a < k; ++a) {
      std::vector<std::uint64_t> mine;
      for (const auto& [b, holders] : touched)
        if (params.share == Share::cyclic ? b % k == a
                                          : b - first >= blocks * a / k && b - first < blocks * (a + 1) / k)
          mine.push_back(b);
      messages += 2 * mine.size();
      const std::uint64_t at_a_time = params.buffer_size.count / file_block;
      for (std::uint64_t i = 0; i < mine.size(); i += at_a_time) {
        std::set<std::uint32_t> partners;
        for (std::uint64_t j = i; j < std::min<std::uint64_t>(i + at_a_time, mine.size()); ++j)
          partners.insert(touched[mine[j]].begin(), touched[mine[j]].end());
        partners.erase(static_cast<std::uint32_t>(a * n / k));  // its own
        messages += 2 * partners.size();
      }
    }
  }
  return messages;
}

void check_messages(const std::vector<machine::Config>& configs) {
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto& params = two_phase_of(configs[i]);
    INFO(i << ": " << params.aggregators << " aggregators, share " << static_cast<int>(params.share) << ", buffer "
           << params.buffer_size.count);
    CHECK(results[i].at("verified") == true);
    CHECK(count(results[i], "messages") == expected_messages(configs[i]));
  }
}

}  // namespace

TEST_CASE("rb and wb of 16 blocks with 1 to 4 aggregators take exactly these messages") {
  // Barriers 12, sync 4, 16 blocks 32. With 4 aggregators, or all, each has what it wants. With one, it passes parts to
  // three others; two pass one each; three, with 5, 5 and 6 blocks, one each. Two buffers of two blocks: two rounds for
  // each of the two other processors.
  const std::pair<std::uint32_t, std::uint64_t> with[] = {{0, 48}, {1, 54}, {2, 52}, {3, 54}, {4, 48}};
  std::vector<machine::Config> configs;
  for (const char* pattern : {"rb", "wb"}) {
    for (const auto& [aggregators, messages] : with) {
      machine::Config config = aggregating(4, aggregators, Share::contiguous, 1 << 20);
      test::pattern_of(config).pattern = pattern;
      test::pattern_of(config).file_size = {16 * file_block};
      CHECK(expected_messages(config) == messages);
      configs.push_back(config);
    }
    configs.push_back(configs.end()[-3]);  // two aggregators
    two_phase_of(configs.back()).buffer_size = {2 * file_block};
    CHECK(expected_messages(configs.back()) == 56);
  }
  check_messages(configs);
}

TEST_CASE("aggregators keep every byte of every pattern, in rounds, with odd sizes") {
  std::vector<machine::Config> configs;
  std::uint32_t number = 0;
  for (const std::string& pattern : test::pattern_names) {
    ++number;
    machine::Config config = aggregating(5, number % 6, static_cast<Share>(number % 3), (1 + number % 4) * file_block);
    test::pattern_of(config).pattern = pattern;
    test::pattern_of(config).record_size = {1000};
    test::pattern_of(config).file_size = {131'000};  // no whole number of blocks
    configs.push_back(config);
  }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(test::pattern_of(configs[i]).pattern);
    CHECK(results[i].at("verified") == true);
    CHECK(count(results[i], "bytes_moved") == test::expected_counts(configs[i]).bytes);
  }
}

TEST_CASE("a share of what is accessed divides each collective of IOR evenly, and shares of the file do not") {
  std::vector<machine::Config> configs;
  for (const Share share : {Share::accessed, Share::contiguous, Share::cyclic})
    for (const std::uint32_t aggregators : {1, 2, 3, 4}) {
      machine::Config config = aggregating(4, aggregators, share, 1 << 20);
      workload::IorParams params;
      params.transfer_size = params.block_size = {file_block};
      params.segments = 2;
      params.collective = workload::IorCollective::transfer;
      params.read = false;
      config.workload.kind = params;
      configs.push_back(config);
    }
  // Two collectives of four blocks: barriers 24, sync 4, blocks 16. With two aggregators, two blocks each, they fetch
  // from one other each: 8. With two halves of the file one aggregator fetches all, from three: 12.
  CHECK(expected_messages(configs[1]) == 52);
  CHECK(expected_messages(configs[5]) == 56);
  check_messages(configs);
}

TEST_CASE("lists go to aggregators only") {
  std::vector<machine::Config> configs;
  for (const std::uint32_t aggregators : {0, 1, 2, 3}) {
    machine::Config config = aggregating(4, aggregators, Share::contiguous, 2 * file_block);
    workload::SubsetParams params;
    params.file_size = {40 * file_block};
    params.chunk_size = {1000};
    params.operation = aggregators % 2 ? requests::Operation::write : requests::Operation::read;
    config.workload.kind = params;
    configs.push_back(config);
  }
  for (const auto& result : run_each(configs)) CHECK(result.at("verified") == true);
}

TEST_CASE("there are no more aggregators than compute processors, and an application with fewer has all") {
  CHECK_THAT(
      test::refusal(aggregating(4, 5, Share::contiguous, 1 << 20)),
      ContainsSubstring("file_system.aggregators is 5; the workload runs on 4 compute processors, and may have at most "
                        "as many"));
  machine::Config jobs = aggregating(4, 3, Share::contiguous, 1 << 20);
  workload::JobParams job;
  job.processors = 2;
  job.kind = workload::PatternParams{"rb", {1000}, {100'000}, ""};
  jobs.workload.jobs.assign(2, job);
  CHECK(run_each({jobs, jobs}).front().at("verified") == true);
}
