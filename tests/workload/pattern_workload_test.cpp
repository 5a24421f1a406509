// SPDX-License-Identifier: MIT
#include "models/core/error.h"
#include "sw/requests/distributions/hpf_mapping.h"
#include "sw/workload/pattern/params.h"
#include "sw/workload/workload.h"
#include "tests/support/catch.h"
#include "tests/support/patterns.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::workload;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the number of all processors' calls is known beforehand, and they add up to the bytes moved") {
  for (const std::string& name : test::pattern_names) {
    INFO(name);
    const auto made = make(PatternParams{name, 8_B, {5 * 7 * 9 * 8}, ""}, {6});
    const Workload& work = *made;
    std::uint64_t calls = 0, bytes = 0;
    for (std::uint32_t p = 0; p < 6; ++p) {
      const auto source = work.accesses(p);
      for (Access access; source->next(access);) {
        calls += access.bytes > 0;  // else it only waits for the others
        bytes += access.bytes;
        CHECK((access.operation == Operation::write) == (name[0] == 'w'));
        CHECK(access.memory + access.bytes <= work.memory_bytes(p));
      }
    }
    CHECK(calls == work.access_count());
    CHECK(bytes == work.bytes_moved());
    CHECK(bytes == 5 * 7 * 9 * 8 * (name == "ra" ? 6 : 1));
    CHECK(work.files()[0].read == (name[0] == 'r'));
    CHECK(work.files()[0].written == (name[0] == 'w'));
    REQUIRE(work.collectives().size() == 1);
    CHECK(work.collectives()[0].mapping->file_bytes() == 5 * 7 * 9 * 8);
  }
}

TEST_CASE("a shape may be given in records") {
  const auto words = [](const PatternParams& params) {
    requests::Words words;
    make(params, {16})->collectives().front().mapping->describe(words);
    return words;
  };
  const auto words_of = [](requests::ArrayShape shape, requests::Distribution rows, requests::Distribution cols) {
    requests::Words words;
    requests::HpfMapping(shape, 8_B, rows, cols, 16).describe(words);
    return words;
  };
  using enum requests::Distribution;
  CHECK(words({"rbb", 8_B, 10_MiB, "1024x1280"}) == words_of({1024, 1280}, block, block));
  CHECK(words({"rb", 8_B, 10_MiB, "1310720"}) == words_of({1310720, 1}, block, none));
}

TEST_CASE("an impossible workload is refused in a sentence") {
  const auto make = [](const PatternParams& params) { workload::make(params, {4}); };
  CHECK_THROWS_WITH(make({"rbx", 8_B, 1_MiB, ""}), ContainsSubstring("\"rbx\"") &&
                                                       ContainsSubstring("did you mean \"rb\"") &&
                                                       ContainsSubstring("wcc"));
  CHECK_THROWS_WITH(make({"wa", 8_B, 1_MiB, ""}), ContainsSubstring("cannot all write the same bytes"));
  CHECK_THROWS_WITH(make({"rb", 0_B, 1_MiB, ""}),
                    ContainsSubstring("workload.record_size: a record cannot have 0 bytes"));
  CHECK_THROWS_WITH(make({"rb", 8_B, 0_B, ""}), ContainsSubstring("workload.file_size: 0 bytes"));
  CHECK_THROWS_WITH(
      make({"rb", 3_B, 100_B, ""}),
      "workload.file_size: 100 bytes is not allowed; it must be a positive multiple of workload.record_size, 3 bytes.");
  CHECK_THROWS_WITH(make({"rbb", 8_B, 80_B, "3x3"}),
                    ContainsSubstring("workload.shape: \"3x3\" does not hold the 10 records"));
  CHECK_THROWS_WITH(make({"rb", 8_B, 80_B, "5x2"}), ContainsSubstring("must look like \"ROWS\""));
  CHECK_THROWS_WITH(make({"rbb", 8_B, 80_B, "10"}), ContainsSubstring("must look like \"ROWSxCOLS\""));
  CHECK_THROWS_WITH(make({"rbb", 8_B, 80_B, "5x2 "}), ContainsSubstring("must look like \"ROWSxCOLS\""));
  CHECK_THROWS_AS(workload::make(PatternParams{"rb", 8_B, 1_MiB, ""}, {0}), ConfigError);
}
