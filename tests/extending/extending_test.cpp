// SPDX-License-Identifier: MIT
// Does what docs/extending.md says, in a copy of the tree. Slow: it builds the copy.
#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using test::TemporaryFolder;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

/// A code block of the page with a comment before it that says what to do with it.
struct Block {
  std::string mark;  ///< "new file: PATH", "in PATH after TEXT" or "run"
  std::string text;
};

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  std::istringstream in(page);
  const std::string begin = "<!-- ", end = " -->";
  std::string mark;
  bool inside = false, wanted = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      wanted = inside && !mark.empty();
      if (wanted) blocks.push_back({std::exchange(mark, ""), ""});
    } else if (inside) {
      if (wanted) blocks.back().text += line + "\n";
    } else if (line.starts_with(begin) && line.ends_with(end)) {
      mark = line.substr(begin.size(), line.size() - begin.size() - end.size());
      if (mark.starts_with("SPDX")) mark.clear();
    }
  }
  return blocks;
}

void add_file(const fs::path& file, const std::string& text) {
  CHECK_FALSE(fs::exists(file));
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// Puts the lines behind the only line that holds `after`.
void add_lines(const fs::path& file, const std::string& after, const std::string& lines) {
  std::string text = TemporaryFolder::read(file);
  const auto at = text.find(after);
  REQUIRE(at != std::string::npos);
  CHECK(text.find(after, at + 1) == std::string::npos);
  text.insert(text.find('\n', at) + 1, lines);
  std::ofstream(file, std::ios::binary) << text;
}

/// Makes the page's changes in the tree and gives the commands that it says to run.
std::vector<std::string> follow(const std::vector<Block>& blocks, const fs::path& tree) {
  std::vector<std::string> commands;
  for (const auto& [mark, text] : blocks) {
    INFO(mark);
    const std::string new_file = "new file: ", in_file = "in ", after = " after ";
    if (mark.starts_with(new_file)) {
      add_file(tree / mark.substr(new_file.size()), text);
    } else if (mark.starts_with(in_file)) {
      const auto at = mark.find(after);
      REQUIRE(at != std::string::npos);
      add_lines(tree / mark.substr(in_file.size(), at - in_file.size()), mark.substr(at + after.size()), text);
    } else {
      CHECK(mark == "run");
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) commands.push_back(line);
    }
  }
  return commands;
}

json::value parse(const std::string& text) {
  json::parse_options deep;
  deep.max_depth = 100;
  return json::parse(text, {}, deep);
}

/// An executable of the copy, on a small machine.
class Platform {
 public:
  Platform(const fs::path& executable, const fs::path& folder) : program(executable), result_(folder / "r.json") {}

  using Settings = std::vector<std::string>;

  int exit_code(const Settings& settings) {
    std::vector<std::string> all{"--quiet", "--output", result_.string()};
    for (const char* s : {"machine.compute_processors=4", "machine.io_processors=2", "machine.disks=3",
                          "workload.file_size=40000B", "workload.record_size=8B"})
      all.insert(all.end(), {"--set", s});
    for (const auto& s : settings) all.insert(all.end(), {"--set", s});
    return program(all);
  }
  json::value run(const Settings& settings) {
    const int code = exit_code(settings);
    INFO(program.err);
    REQUIRE(code == 0);
    auto document = parse(TemporaryFolder::read(result_));
    CHECK(document.at("result").at("verified") == true);
    return document;
  }
  std::string print(const Settings& options) {
    const int code = program(options);
    INFO(program.err);
    REQUIRE(code == 0);
    return program.out;
  }

  test::Program program;

 private:
  fs::path result_;
};

/// The last run printed the words as a warning or an error.
void check_said(const Platform& platform, const std::string& words) {
  INFO(platform.program.err);
  CHECK(platform.program.err.find(words) != std::string::npos);
}

double elapsed(const json::value& v) { return v.at("result").at("elapsed_s").to_number<double>(); }

/// The sum of a statistic over both I/O processors.
double sum(const json::value& document, const std::string& statistic) {
  double sum = 0;
  for (const char* node : {"machine.iop0.", "machine.iop1."})
    sum += document.at("statistics").at(node + statistic).at("value").to_number<double>();
  return sum;
}

constexpr const char* file_systems[] = {"traditional-caching", "disk-directed", "enwrich", "uncached"};

void check_drive_and_layout(Platform& platform) {
  const auto plain = platform.run({}), fast = platform.run({"machine.disk=small-fast"});
  CHECK(fast.at("config").at("machine").at("disk").at("rpm") == 10000);
  CHECK(elapsed(fast) < elapsed(plain));
  CHECK(elapsed(platform.run({"file_system.layout=spread"})) > elapsed(plain));
}

void check_file_system(Platform& platform) {
  const std::string uncached = "file_system.kind=uncached";
  for (const char* pattern : {"rb", "rcc", "wb", "wcc", "ra"})
    platform.run(
        {uncached, "file_system.layout=spread", "machine.disk=small-fast", std::string("workload.pattern=") + pattern});
  const auto with_buffers = [&](const std::string& n) {
    return platform.run({uncached, "file_system.buffers=" + n, "workload.pattern=rc", "workload.record_size=64B"});
  };
  const auto one = with_buffers("1"), four = with_buffers("4");
  CHECK(elapsed(four) < elapsed(one));
  CHECK(sum(four, "uncached.waits") < sum(one, "uncached.waits"));
  // 40,000 bytes in calls of 64 bytes, each in one block: 625 requests, and each spends 40 cycles on choosing a buffer.
  CHECK(sum(one, "count.request.uncached_buffer") == 625);
  CHECK(sum(one, "cycles.request.uncached_buffer") == 625 * 40);
  CHECK(platform.exit_code({uncached, "file_system.buffers=0"}) == 3);
  check_said(platform, "file_system.buffers is 0");
  CHECK(platform.exit_code({"file_system.buffers=4"}) == 0);  // of a kind that is not chosen
  check_said(platform, "file_system.buffers");
}

void check_workload(Platform& platform) {
  for (const char* kind : file_systems) {
    INFO(kind);
    const auto document =
        platform.run({"workload.kind=random-reads", "workload.reads=50", std::string("file_system.kind=") + kind});
    const auto& result = document.at("result");
    CHECK(result.at("bytes_moved") == 4 * 50 * 8);
    CHECK(result.at("bytes_verified") == 4 * 50 * 8);
    // 200 draws out of 5,000 records: some twice, few of them.
    CHECK(result.at("random_reads").at("different_records").to_number<double>() < 200);
    CHECK(result.at("random_reads").at("different_records").to_number<double>() > 180);
  }
  CHECK(platform.exit_code({"workload.kind=random-reads", "workload.file_size=4B"}) == 3);
  check_said(platform, "it must hold at least one record, 8 bytes");
}

void check_fabric(Platform& platform, const fs::path& folder) {
  const std::string on_crossbar = "base=crossbar";
  for (const char* kind : file_systems)
    platform.run({on_crossbar, std::string("file_system.kind=") + kind, "workload.pattern=wcc"});
  // A block of 8,192 bytes takes 8 ms over links of 1 MB/s, 0.2 ms over those of 40 MB/s.
  const Platform::Settings blocks{on_crossbar, "workload.record_size=8000B"};
  auto slow = blocks;
  slow.push_back("machine.network.link_bandwidth=1MB/s");
  CHECK(elapsed(platform.run(slow)) > elapsed(platform.run(blocks)));
  CHECK(platform.exit_code({on_crossbar, "machine.network.ports=5"}) == 3);
  check_said(platform, "machine.network.ports has 5 ports");

  const auto config = platform.print({"--print-config", "--set", on_crossbar, "--set", "file_system.kind=uncached"});
  std::ofstream(folder / "config.json") << config;
  CHECK(platform.print({"--print-config", "--config", (folder / "config.json").string()}) == config);
  const auto faults = test::schema_faults(parse(platform.print({"--schema"})), parse(config));
  CHECK(faults == std::vector<std::string>{});
  const auto result_schema = parse(platform.print({"--result-schema"}));
  CHECK(test::schema_faults(result_schema, platform.run({on_crossbar, "workload.kind=random-reads"})) ==
        std::vector<std::string>{});
}

}  // namespace

TEST_CASE("the changes that docs/extending.md describes work") {
  TemporaryFolder folder;
  const fs::path source = test::source_folder(), tree = folder.path / "tree";
  for (const char* part : {"cmake", "models", "sw", "platforms"}) {
    fs::create_directories(tree / part);
    fs::copy(source / part, tree / part, fs::copy_options::recursive);
  }
  for (const char* file : {"CMakeLists.txt", "CMakePresets.json"}) fs::copy(source / file, tree / file);
  add_file(tree / "tests/CMakeLists.txt", "");  // the copy needs no tests
  const auto commands = follow(blocks_of(TemporaryFolder::read(source / "docs/extending.md")), tree);

  std::ptrdiff_t lines = 0;
  for (const auto& file : fs::directory_iterator(tree / "models/network/crossbar"))
    lines += std::ranges::count(TemporaryFolder::read(file.path()), '\n');
  CHECK(lines > 50);
  CHECK(lines < 120);

  // The same preset in the same place of the tree: so ccache finds what the project itself has compiled.
  test::Program program("/usr/bin/env");
  REQUIRE(program({"-C", tree.string(), "cmake", "--preset", "release", "-DSUNSTAR_BENCH=OFF"}) == 0);
  const auto build = tree / "build/release";
  const int built = program({"ninja", "-C", build.string(), "sunstar-torus", "sunstar-sp2", "sunstar-network"});
  INFO(program.out);
  REQUIRE(built == 0);

  CHECK(commands.size() == 7);
  for (const auto& command : commands) {
    INFO(command);
    std::istringstream in(command);
    const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    test::Program shown(build / "bin" / words.front());
    const int code = shown({words.begin() + 1, words.end()});
    INFO(shown.err);
    CHECK(code == 0);
  }

  Platform platform(build / "bin/sunstar-torus", folder.path);
  check_drive_and_layout(platform);
  check_file_system(platform);
  check_workload(platform);
  check_fabric(platform, folder.path);
}
