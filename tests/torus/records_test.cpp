// SPDX-License-Identifier: MIT
// Records that are distributed, or thrown away, by their bytes. Every run checks that each processor has exactly the
// records that the workload names, in any order.
#include "models/core/error.h"
#include "sw/workload/records/params.h"
#include "sw/workload/workload.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;
using Catch::Matchers::ContainsSubstring;
using file_systems::disk_directed::FilterAt;
using file_systems::traditional_caching::RecordReading;
using test::count;
using test::run_each;
using workload::RecordFunction;

namespace {

machine::Config records(std::string_view file_system, const workload::RecordsParams& params) {
  machine::Config config;
  config.machine.compute_processors = 4;
  config.machine.io_processors = config.machine.disks = 2;
  test::cube_of(config).shape = {3, 2};
  config.file_system.kind = test::file_system_of(file_system);
  config.workload.kind = params;
  return config;
}

workload::RecordsParams some(RecordFunction function, std::uint64_t record, double discard = 0) {
  workload::RecordsParams params;
  params.function = function;
  params.record_size = {record};
  params.file_size = {record * (100'000 / record)};
  params.discard = discard;
  return params;
}

std::uint64_t delivered(const boost::json::object& result) {
  return result.at("records").at("delivered").to_number<std::uint64_t>();
}

}  // namespace

TEST_CASE("each record goes to the processor that its bytes name, with any reader and any place of the filter") {
  std::vector<machine::Config> configs;
  for (const auto function : {RecordFunction::cyclic, RecordFunction::hash, RecordFunction::range})
    for (const std::uint64_t record : {8, 64, 1024, 8192})
      for (const double discard : {0.0, 0.9}) {
        for (const bool gather : {false, true}) {
          for (const auto filter_at : {FilterAt::io_processor, FilterAt::compute_processor}) {
            configs.push_back(records("disk-directed", some(function, record, discard)));
            auto& p = configs.back().file_system.kind.as<file_systems::disk_directed::Params>();
            p.gather = gather;
            p.filter_at = filter_at;
          }
          for (const auto reading : {RecordReading::cyclic_blocks, RecordReading::contiguous_share}) {
            configs.push_back(records("traditional-caching", some(function, record, discard)));
            auto& p = configs.back().file_system.kind.as<file_systems::traditional_caching::Params>();
            p.gather = gather;
            p.records = reading;
          }
        }
        if (function == RecordFunction::cyclic) {
          configs.push_back(records("traditional-caching", some(function, record, discard)));
          configs.back().file_system.kind.as<file_systems::traditional_caching::Params>().records =
              RecordReading::own_records;
        }
      }
  const auto results = run_each(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    INFO(i);
    const auto& params = configs[i].workload.kind.as<workload::RecordsParams>();
    CHECK(results[i].at("verified").as_bool());
    CHECK(count(results[i], "bytes_verified") == delivered(results[i]) * params.record_size.count);
    CHECK(count(results[i], "bytes_moved") == params.file_size.count);
    CHECK(count(results[i], "calls") == 1);
  }
}

TEST_CASE("filtering at the I/O processor saves messages and bytes in proportion, at the compute processor nothing") {
  std::vector<machine::Config> configs;
  for (const double discard : {0.0, 0.5})
    for (const auto filter_at : {FilterAt::io_processor, FilterAt::compute_processor}) {
      configs.push_back(records("disk-directed", some(RecordFunction::hash, 64, discard)));
      configs.back().file_system.kind.as<file_systems::disk_directed::Params>().filter_at = filter_at;
    }
  const auto r = run_each(configs);
  // A barrier of 4 processors has 6 messages, a request to 2 I/O processors and the answers 4; a filter after the
  // transfer needs one more barrier. Then two messages a record.
  // A request describes the transfer in 18 words: file, operation, 7 of the distribution, 9 of the function.
  const std::uint64_t all = 100'000 / 64, described = 2 * 18 * 8;
  CHECK(delivered(r[0]) == all);
  CHECK(count(r[0], "messages") == 2 * 6 + 4 + 2 * all);
  CHECK(count(r[1], "messages") == 3 * 6 + 4 + 2 * all);
  CHECK(delivered(r[2]) == delivered(r[3]));
  CHECK(delivered(r[2]) > all * 2 / 5);
  CHECK(delivered(r[2]) < all * 3 / 5);
  CHECK(count(r[2], "messages") == 2 * 6 + 4 + 2 * delivered(r[2]));
  CHECK(count(r[2], "message_bytes") == 64 * delivered(r[2]));
  CHECK(count(r[3], "messages") == 3 * 6 + 4 + 2 * all);
  CHECK(count(r[3], "message_bytes") == 64 * all);
  CHECK(count(r[3], "header_bytes") == 32 * count(r[3], "messages") + described);
  CHECK(count(r[3], "network_bytes") == count(r[3], "message_bytes") + count(r[3], "header_bytes"));
}

TEST_CASE("a redirected block needs four messages, or fewer if its reader keeps it") {
  // 12 blocks of one record each, dealt out cyclically: each is read by the processor before the one that gets it.
  workload::RecordsParams params = some(RecordFunction::cyclic, 8192);
  std::vector<machine::Config> configs(2, records("traditional-caching", params));
  configs[1].file_system.kind.as<file_systems::traditional_caching::Params>().records = RecordReading::contiguous_share;
  const auto r = run_each(configs);
  const std::uint64_t around = 2 * 6 + 4;  // two barriers, and a sync of two I/O processors
  CHECK(count(r[0], "messages") == around + 12 * 4);
  CHECK(count(r[0], "message_bytes") == 2 * 12 * 8192);
  // Processor p reads blocks 3 q to 3 q + 2, q = (p + 1) mod 4, and keeps those whose number is p modulo 4: 4 and 10.
  CHECK(count(r[1], "messages") == around + 12 * 2 + 10 * 2);
  CHECK(count(r[1], "message_bytes") == (12 + 10) * 8192);
}

TEST_CASE("the boundaries of a sample divide the records about evenly, given ones exactly as they say") {
  workload::RecordsParams params = some(RecordFunction::range, 8);
  // By processor: the places in the file of the records that it must get.
  const auto kept = [&params] {
    const auto work = workload::make(params, {4});
    std::vector<std::vector<std::uint64_t>> kept;
    for (std::uint32_t p = 0; p < 4; ++p)
      work->oracle()->in_memory(
          p, [&](const workload::InMemory& m) { kept.push_back(std::get<workload::RecordsInMemory>(m).offsets); });
    return kept;
  };
  for (const auto& records : kept()) {
    CHECK(records.size() > 100'000 / 8 / 4 * 4 / 5);
    CHECK(records.size() < 100'000 / 8 / 4 * 6 / 5);
  }
  params.key_size = {1};
  params.boundaries = {0, 1, 255};
  const auto given = kept();
  REQUIRE(given.size() == 4);
  CHECK(given[0].empty());
  CHECK(given[1].size() < 100);
  CHECK(given[2].size() > 12'000);
  CHECK_FALSE(given[3].empty());
}

TEST_CASE("records that cannot be distributed are refused in a sentence") {
  CHECK_THAT(
      test::refusal(records("disk-directed", some(RecordFunction::cyclic, 48))),
      ContainsSubstring("a block of 8192 bytes (file_system.block_size) does not hold a whole number of records of 48 "
                        "bytes; choose a record size that divides the block size."));
  auto galley = records("galley", some(RecordFunction::cyclic, 128));
  galley.file_system.kind.as<file_systems::galley::Params>().packet = {64};
  CHECK_THAT(test::refusal(galley),
             ContainsSubstring("workload.record_size: a record of 128 bytes does not fit into a message "
                               "of 64 bytes (file_system.packet)"));
  auto own = records("traditional-caching", some(RecordFunction::hash, 64));
  own.file_system.kind.as<file_systems::traditional_caching::Params>().records = RecordReading::own_records;
  CHECK_THAT(test::refusal(own),
             ContainsSubstring("file_system.records is own-records, but no processor knows its own records"));
  CHECK_THAT(test::refusal(records("enwrich", some(RecordFunction::cyclic, 64))),
             ContainsSubstring("workload.kind is records, but enwrich does not distribute records by their bytes"));
  workload::RecordsParams few = some(RecordFunction::range, 64);
  few.boundaries = {1, 2};
  CHECK_THAT(test::refusal(records("disk-directed", few)),
             ContainsSubstring("workload.boundaries: their number is 2; it must be 3, the first key of each"));
  const auto faults = [](const workload::RecordsParams& params) -> std::string {
    Problems problems;
    check(params, "workload", problems);
    try {
      problems.throw_if_any();
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  };
  CHECK_THAT(
      faults(some(RecordFunction::cyclic, 1, 0.5)),
      ContainsSubstring("workload.discard needs a field of 4 bytes in each record to filter by; records have 1 byte"));
  workload::RecordsParams many = some(RecordFunction::cyclic, 8);
  many.file_size = {8ull << 30};
  CHECK_THAT(faults(many), ContainsSubstring("at most 67108864 can be distributed"));
  workload::RecordsParams bounds = some(RecordFunction::range, 8);
  bounds.key_size = {1};
  bounds.boundaries = {1, 2, 300};
  CHECK_THAT(faults(bounds), ContainsSubstring("workload.boundaries end with 300; a key of 1 byte is below 256"));
  bounds.boundaries = {1, 1, 2};
  CHECK_THAT(faults(bounds), ContainsSubstring("are not in ascending order, each greater than the one before"));
}
