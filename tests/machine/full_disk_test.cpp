// SPDX-License-Identifier: MIT
// Every output into a file that cannot grow, and on a device that is full.
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace sunstar;
using Catch::Matchers::ContainsSubstring;

namespace {

using Words = std::vector<std::string>;

/// Enough for a result, a log and so on of more than 4 KiB, compressed.
Words run_of_some_size(const Words& more) {
  Words words{"--set", "workload.pattern=rcc",    "--set", "workload.record_size=64B",
              "--set", "workload.file_size=64KiB"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<Words> options_that_print{{"--help"},
                                            {"--version"},
                                            {"--schema"},
                                            {"--result-schema"},
                                            {"--parameters"},
                                            {"--print-config"},
                                            {"--print-structure"},
                                            {"--check"},
                                            {"--output", "-"},
                                            {"--log", "-"},
                                            {"--log", "-", "--quiet"}};

}  // namespace

TEST_CASE("an output whose file cannot grow ends the run with a sentence, and is not there") {
  for (const char* name : {"r.json", "l", "l.gz", "t.json", "t.json.gz", "t.ftr", "w.vcd", "c.csv"}) {
    INFO(name);
    test::Program program = test::sunstar_torus();
    program.limits[RLIMIT_FSIZE] = 4096;
    const test::TemporaryFolder folder;
    const std::string file = (folder.path / name).string();
    const Words option = name[0] == 'r'   ? Words{"--output", file}
                         : name[0] == 'l' ? Words{"--log", file, "--log-level", "trace"}
                         : name[0] == 't' ? Words{"--timeline", file}
                         : name[0] == 'w' ? Words{"--vcd", file}
                                          : Words{"--set", "run.records=" + file};
    CHECK(program(run_of_some_size(option)) == 3);
    CHECK_THAT(program.err, ContainsSubstring(file + " cannot be written: File too large."));
    CHECK(folder.files() == 0);
  }
}

TEST_CASE("files whose first byte cannot be written end the run") {
  for (const char* option : {"--output", "--log", "--timeline", "--vcd"}) {
    INFO(option);
    test::Program program = test::sunstar_torus();
    program.limits[RLIMIT_FSIZE] = 0;  // its sentence cannot be written either
    const test::TemporaryFolder folder;
    for (const char* name : {"f.json.gz", "f.ftr"}) {
      CHECK(program(run_of_some_size({option, (folder.path / name).string(), "--quiet"})) == 3);
      CHECK(folder.files() == 0);
    }
  }
}

TEST_CASE("what is options_that_print on a full device ends the program with a sentence") {
  for (const Words& words : options_that_print) {
    INFO(words.front());
    test::Program program = test::sunstar_torus();
    CHECK(program(words.front() == "--log" || words.front() == "--output" ? run_of_some_size(words) : words,
                  "/dev/full") == 3);
    CHECK_THAT(program.err, ContainsSubstring("The standard output cannot be written"));
  }
  test::Program program = test::sunstar_torus();
  CHECK(program(run_of_some_size({"--output", "/dev/full"})) == 3);
  CHECK_THAT(program.err, ContainsSubstring("\n/dev/full cannot be written: No space left on device.\n"));
}

#ifndef __SANITIZE_ADDRESS__  // whose shadow takes more than any limit
TEST_CASE("a run for which the host has no memory says what needs it, and how much") {
  test::Program program = test::sunstar_torus();
  program.limits[RLIMIT_AS] = rlim_t{2} << 30;
  CHECK(program({"--set", "workload.pattern=rb", "--set", "workload.file_size=64GiB"}) == 3);
  CHECK_THAT(program.err, ContainsSubstring("the host cannot map"));
  CHECK_THAT(program.err, ContainsSubstring("bytes of memory for this node; use a smaller file or fewer processors"));
}
#endif
