// SPDX-License-Identifier: MIT
// Does what docs/extending.md says, in a copy of the tree. Slow: it builds the copy.
#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// One code block of the page that is a new file, or lines for an existing one.
struct Change {
  std::string file;
  std::string after;  ///< the text of the line behind which the lines go; empty: a new file
  std::string text;
};

std::vector<Change> changes_of(const std::string& page) {
  std::vector<Change> changes;
  std::istringstream in(page);
  bool in_block = false, wanted = false;
  for (std::string line; std::getline(in, line);) {
    const std::string new_file = "<!-- new file: ", in_file = "<!-- in ", end = " -->";
    if (line.starts_with(new_file)) {
      changes.push_back({line.substr(new_file.size(), line.size() - new_file.size() - end.size()), "", ""});
      wanted = true;
    } else if (line.starts_with(in_file)) {
      const auto after = line.find(" after ");
      changes.push_back({line.substr(in_file.size(), after - in_file.size()),
                         line.substr(after + 7, line.size() - after - 7 - end.size()), ""});
      wanted = true;
    } else if (line.starts_with("```")) {
      in_block = !in_block && wanted;
      wanted = false;
    } else if (in_block) {
      changes.back().text += line + "\n";
    }
  }
  return changes;
}

void apply(const Change& change, const fs::path& root) {
  INFO(change.file);
  const fs::path file = root / change.file;
  CHECK(change.text.size() > 0);
  CHECK(fs::exists(file) == !change.after.empty());
  std::string text = change.text;
  if (!change.after.empty()) {
    CHECK(std::ranges::count(change.text, '\n') == 1);  // one line
    text = TemporaryFolder::read(file);
    const auto at = text.find(change.after);
    REQUIRE(at != std::string::npos);
    text.insert(text.find('\n', at) + 1, change.text);
  }
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("docs/extending.md adds a drive, a layout and a file system", "[slow]") {
  TemporaryFolder folder;
  const fs::path source = SUNSTAR_SOURCE_DIR, copy = folder.path / "tree", build = folder.path / "build";
  fs::create_directories(copy);
  for (const char* part : {"CMakeLists.txt", "cmake", "models", "sw", "platforms", "tests"})
    fs::copy(source / part, copy / part, fs::copy_options::recursive);
  const auto changes = changes_of(TemporaryFolder::read(source / "docs/extending.md"));
  REQUIRE(changes.size() == 5);  // three files, two lines
  for (const auto& change : changes) apply(change, copy);

  test::Program cmake("/usr/bin/env");
  REQUIRE(cmake({"cmake", "-G", "Ninja", "-S", copy.string(), "-B", build.string(), "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DSUNSTAR_BENCH=OFF"}) == 0);
  const int built = cmake({"cmake", "--build", build.string(), "--target", "sunstar-torus"});
  INFO(cmake.out);
  REQUIRE(built == 0);

  test::Program torus(build / "bin" / "sunstar-torus");
  const std::vector<std::string> small{"--quiet",
                                       "--output",
                                       (folder.path / "r.json").string(),
                                       "--set",
                                       "machine.compute_processors=4",
                                       "--set",
                                       "machine.io_processors=2",
                                       "--set",
                                       "machine.disks=3",
                                       "--set",
                                       "workload.file_size=40000B",
                                       "--set",
                                       "workload.record_size=8B"};
  const auto run = [&](const std::vector<std::string>& settings) {
    auto all = small;
    for (const auto& s : settings) all.insert(all.end(), {"--set", s});
    const int code = torus(all);
    INFO(torus.err);
    REQUIRE(code == 0);
    boost::json::parse_options deep;
    deep.max_depth = 100;
    return boost::json::parse(TemporaryFolder::read(folder.path / "r.json"), {}, deep);
  };
  const auto elapsed = [](const boost::json::value& v) { return v.at("result").at("elapsed_s").to_number<double>(); };
  const auto plain = run({});
  const auto fast = run({"machine.disk=small-fast"});
  CHECK(fast.at("config").at("machine").at("disk").at("rpm") == 10000);
  CHECK(elapsed(fast) < elapsed(plain));
  CHECK(elapsed(run({"file_system.layout=spread"})) > elapsed(plain));
  for (const char* pattern : {"rb", "rcc", "wb", "wcc", "ra"}) {
    const auto all = run({"file_system.kind=uncached", "file_system.layout=spread", "machine.disk=small-fast",
                          std::string("workload.pattern=") + pattern});
    CHECK(all.at("result").at("verified") == true);
  }
}
