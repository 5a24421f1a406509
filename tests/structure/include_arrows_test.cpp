// SPDX-License-Identifier: MIT
// The floors of the house: models at the bottom, sw, platforms on top; arrows only downward.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

namespace {

struct Include {
  std::string file;  ///< that includes
  std::string what;
  bool quoted;
};

/// All includes of the sources and headers below a folder of the tree.
std::vector<Include> includes_of(const fs::path& root, const std::string& floor) {
  static const std::regex line(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> all;
  for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::ifstream in(entry.path());
    for (std::string text; std::getline(in, text);)
      if (std::smatch m; std::regex_search(text, m, line))
        all.push_back({entry.path().lexically_relative(root).string(), m[2], m[1] == "\""});
  }
  return all;
}

/// Finished sentences about includes that point the wrong way.
std::vector<std::string> wrong_arrows(const fs::path& root) {
  std::vector<std::string> wrong;
  const auto forbid = [&](const Include& i, const std::string& why) {
    wrong.push_back(i.file + " includes " + i.what + ": " + why);
  };
  for (const auto& i : includes_of(root, "models"))
    if (i.quoted && !i.what.starts_with("models/")) forbid(i, "models may include models only");
  for (const auto& i : includes_of(root, "sw")) {
    if (i.quoted && !i.what.starts_with("sw/") && !i.what.starts_with("models/core/") && i.what != "models/node/hal.h")
      forbid(i, "sw may include sw, models/core and models/node/hal.h only");
    if (i.what.starts_with("systemc") || i.what.starts_with("tlm") || i.what.starts_with("sysc/"))
      forbid(i, "sw knows nothing of SystemC");
  }
  for (const auto& i : includes_of(root, "platforms"))
    if (i.quoted && !i.what.starts_with("platforms/") && !i.what.starts_with("sw/") && !i.what.starts_with("models/"))
      forbid(i, "platforms may include platforms, sw and models only");
  // What sw sees of models must not bring SystemC in either.
  std::vector<std::string> seen, todo{"models/node/hal.h"};
  for (const auto& i : includes_of(root, "sw"))
    if (i.what.starts_with("models/")) todo.push_back(i.what);
  const auto in_models = includes_of(root, "models");
  while (!todo.empty()) {
    const std::string header = todo.back();
    todo.pop_back();
    if (std::ranges::find(seen, header) != seen.end()) continue;
    seen.push_back(header);
    for (const auto& i : in_models) {
      if (i.file != header) continue;
      if (i.what.starts_with("systemc") || i.what.starts_with("tlm"))
        forbid(i, "sw sees it, and knows nothing of SystemC");
      if (i.quoted) todo.push_back(i.what);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("includes point downward only: platforms to sw and models, sw to hal.h and models/core, models to models") {
  const fs::path root = sunstar::test::source_folder();
  CHECK(includes_of(root, "models").size() > 100);
  CHECK(includes_of(root, "sw").size() > 100);
  CHECK(wrong_arrows(root) == std::vector<std::string>{});
}

namespace {

/// The rooms of the house and what each may include, beside itself.
const std::map<std::string, std::vector<std::string>> rooms{
    {"models/core", {}},
    {"models/core/content", {"models/core"}},
    {"models/kernel", {"models/core", "models/core/content"}},
    {"models/network", {"models/core", "models/kernel"}},
    {"models/network/*", {"models/core", "models/kernel", "models/network", "models/network/worm"}},
    {"models/registry", {"models/core", "models/network", "models/network/*"}},
    {"models/disk", {"models/core", "models/core/content"}},
    {"models/nvme", {"models/core", "models/core/content", "models/kernel", "models/disk"}},
    {"models/scsi", {"models/core", "models/core/content", "models/kernel", "models/disk"}},
    {"models/node",
     {"models/core", "models/core/content", "models/kernel", "models/network", "models/scsi", "models/nvme"}},
    {"sw/os", {"models/core", "models/core/content", "models/node"}},
    {"sw/messages", {"models/core", "models/node", "sw/os"}},
    // What file systems and workloads both know.
    {"sw/requests", {"models/core", "models/node", "sw/os"}},
    {"sw/requests/distributions", {"models/core", "sw/requests"}},
    {"sw/workload",
     {"models/core", "models/core/content", "sw/os", "sw/messages", "sw/requests", "sw/requests/distributions"}},
    {"sw/workload/*",
     {"models/core", "models/core/content", "sw/os", "sw/requests", "sw/workload", "sw/requests/distributions"}},
    {"sw/workload/subset",
     {"models/core", "sw/requests", "sw/workload", "sw/requests/distributions", "sw/workload/trace"}},
    {"sw/io/layouts", {"models/core"}},
    {"sw/io/store", {"models/core", "models/core/content", "models/node", "sw/os", "sw/messages", "sw/io/layouts"}},
    {"sw/io/store/*", {"models/core", "sw/io/store"}},
    {"sw/io/store/redundant", {"models/core", "models/core/content", "sw/os", "sw/messages", "sw/io/store"}},
    {"sw/io",
     {"models/core", "models/node", "sw/os", "sw/messages", "sw/requests", "sw/io/store", "sw/io/replacement"}},
    {"sw/io/replacement", {"models/core"}},
    {"sw/io/page_cache", {"models/core", "sw/os", "sw/requests", "sw/io", "sw/io/replacement"}},
    {"sw/io/cached", {"models/core", "sw/requests", "sw/io", "sw/io/replacement"}},
    // Below the file systems, only sw/io knows the drivers of disks: file systems ask the store.
    {"sw/file_systems",
     {"models/core", "sw/messages", "sw/io", "sw/io/cached", "sw/workload", "sw/requests",
      "sw/requests/distributions"}},
    {"sw/file_systems/*",
     {"models/core", "sw/os", "sw/messages", "sw/requests/distributions", "sw/io", "sw/io/cached", "sw/file_systems"}},
    // Galley has rooms of its own: what applications say, how disks are divided, what nodes say to each other, the two
    // kinds of nodes, and libraries on top.
    {"sw/file_systems/galley", {"models/core", "sw/file_systems", "sw/file_systems/galley/*"}},
    {"sw/file_systems/galley/requests", {}},
    {"sw/file_systems/galley/on_disk", {"models/core"}},
    {"sw/file_systems/galley/protocol",
     {"models/core", "sw/messages", "sw/requests", "sw/io/replacement", "sw/file_systems",
      "sw/file_systems/galley/requests", "sw/file_systems/galley/on_disk"}},
    {"sw/file_systems/galley/server",
     {"models/core", "sw/os", "sw/requests", "sw/io", "sw/io/replacement", "sw/file_systems",
      "sw/file_systems/galley/requests", "sw/file_systems/galley/on_disk", "sw/file_systems/galley/protocol"}},
    {"sw/file_systems/galley/gfs",
     {"sw/os", "sw/file_systems", "sw/file_systems/galley/requests", "sw/file_systems/galley/on_disk",
      "sw/file_systems/galley/protocol"}},
    {"sw/file_systems/galley/libraries", {"sw/file_systems/galley/gfs"}},
    // PVFS: the two kinds of daemons and the cache module speak one protocol.
    {"sw/file_systems/pvfs", {"models/core", "sw/file_systems", "sw/file_systems/striped", "sw/file_systems/pvfs/*"}},
    {"sw/file_systems/pvfs/protocol",
     {"models/core", "sw/io/replacement", "sw/io/page_cache", "sw/file_systems", "sw/file_systems/striped"}},
    {"sw/file_systems/pvfs/iod",
     {"models/core", "models/node", "sw/os", "sw/requests", "sw/io", "sw/io/replacement", "sw/io/page_cache",
      "sw/file_systems", "sw/file_systems/pvfs/protocol"}},
    {"sw/file_systems/pvfs/module",
     {"models/core", "models/core/content", "models/node", "sw/io", "sw/io/replacement", "sw/file_systems",
      "sw/file_systems/pvfs/protocol"}},
    // Two kinds share servers of objects and what speaks to them; PVFS shares their processes and metadata server.
    {"sw/file_systems/striped", {"models/core", "sw/os", "sw/messages", "sw/requests", "sw/io", "sw/file_systems"}},
    {"sw/file_systems/locking",
     {"models/core", "sw/os", "sw/io", "sw/io/replacement", "sw/io/page_cache", "sw/file_systems",
      "sw/file_systems/striped"}},
    {"sw/file_systems/versioned", {"models/core", "sw/io", "sw/file_systems", "sw/file_systems/striped"}},
    // It cuts calls as file systems of objects do.
    {"sw/file_systems/local",
     {"models/core", "sw/os", "sw/io", "sw/io/cached", "sw/file_systems", "sw/file_systems/striped"}},
    // It is made of another file system.
    {"sw/file_systems/hybrid", {"models/core", "sw/io/cached", "sw/file_systems", "sw/file_systems/disk_directed"}},
    {"sw/registry",
     {"models/core", "sw/requests", "sw/requests/distributions", "sw/workload", "sw/workload/*", "sw/io/layouts",
      "sw/io/store", "sw/io/store/*", "sw/file_systems", "sw/file_systems/*"}},
    {"platforms/kit", {"models/core", "models/kernel"}},
    {"platforms/kit/results", {"models/core", "platforms/kit"}},
    {"platforms/kit/explain", {"models/core", "platforms/kit"}},
    {"platforms/kit/structure", {"models/network", "platforms/kit"}},
    {"platforms/kit/run",
     {"models/core", "models/kernel", "platforms/kit", "platforms/kit/explain", "platforms/kit/results"}},
    {"platforms/disk",
     {"models/*", "models/core/content", "sw/workload/trace", "sw/os", "sw/io/store", "sw/io/store/redundant",
      "platforms/disk/array", "platforms/kit", "platforms/kit/*"}},
    {"platforms/disk/array", {"models/core", "sw/io/store", "sw/io/store/redundant"}},
    {"platforms/network",
     {"models/*", "models/core/content", "sw/os", "sw/messages", "sw/workload/trace", "platforms/kit",
      "platforms/kit/*"}},
    // A machine, what a run of it leaves behind, and the run, which knows both.
    {"platforms/machine/assembly", {"models/*", "sw/os", "sw/io", "platforms/kit", "platforms/kit/structure"}},
    {"platforms/machine/report",
     {"models/core", "models/core/content", "sw/io", "sw/requests", "sw/workload", "sw/file_systems", "platforms/kit",
      "platforms/kit/results"}},
    {"platforms/machine/run",
     {"models/*", "models/core/content", "sw/*", "platforms/kit", "platforms/kit/*", "platforms/machine/assembly",
      "platforms/machine/report"}},
    {"platforms/*", {"platforms/machine/run", "platforms/kit/run"}},
};

bool fits(const std::string& folder, const std::string& pattern) {
  if (!pattern.ends_with("/*")) return folder == pattern;
  const std::string parent = pattern.substr(0, pattern.size() - 1);
  return folder.starts_with(parent) && folder.find('/', parent.size()) == std::string::npos;
}

/// What the folder may include; null if it is no room of the house.
const std::vector<std::string>* allowed(const std::string& folder) {
  if (const auto room = rooms.find(folder); room != rooms.end()) return &room->second;
  for (const auto& [pattern, may] : rooms)
    if (fits(folder, pattern)) return &may;
  return nullptr;
}

/// The arrows between folders, each with an include that makes it.
std::map<std::string, std::map<std::string, std::string>> arrows_of(const fs::path& root) {
  std::map<std::string, std::map<std::string, std::string>> arrows;
  for (const char* floor : {"models", "sw", "platforms"})
    for (const auto& i : includes_of(root, floor)) {
      if (!i.quoted) continue;
      const auto from = fs::path(i.file).parent_path().string(), to = fs::path(i.what).parent_path().string();
      if (from != to) arrows[from].emplace(to, i.file + " includes " + i.what);
    }
  return arrows;
}

/// A circle of folders that include one another, from the first folder back to it; empty if there is none.
std::vector<std::string> circle(const std::map<std::string, std::map<std::string, std::string>>& arrows) {
  std::map<std::string, int> state;  // 1 on the way, 2 done
  std::vector<std::string> way, found;
  const std::function<void(const std::string&)> walk = [&](const std::string& folder) {
    state[folder] = 1;
    way.push_back(folder);
    if (const auto out = arrows.find(folder); out != arrows.end())
      for (const auto& [to, why] : out->second) {
        if (!found.empty()) return;
        if (state[to] == 1) {
          found.assign(std::ranges::find(way, to), way.end());
          found.push_back(to);
        } else if (state[to] == 0) {
          walk(to);
        }
      }
    way.pop_back();
    state[folder] = 2;
  };
  for (const auto& [folder, out] : arrows)
    if (state[folder] == 0 && found.empty()) walk(folder);
  return found;
}

}  // namespace

TEST_CASE("every folder includes only files of the rooms below it") {
  for (const auto& [from, out] : arrows_of(sunstar::test::source_folder())) {
    const auto* may = allowed(from);
    INFO(from << " is no room of the house: say in this test what it may include");
    REQUIRE(may);
    for (const auto& [to, why] : out) {
      INFO(why);
      CHECK(std::ranges::any_of(*may, [&to = to](const std::string& room) { return fits(to, room); }));
    }
  }
}

TEST_CASE("servers of requests see no workload, no oracle and no program of an application") {
  // It knows what messages tell it: nothing that it includes, however far away, describes what applications do.
  const fs::path root = sunstar::test::source_folder();
  std::map<std::string, std::vector<std::string>> includes;
  for (const auto& i : includes_of(root, "sw"))
    if (i.quoted) includes[i.file].push_back(i.what);
  const auto serves = [](const std::string& file) {
    const auto below = [&file](const char* folder) { return file.starts_with(folder); };
    return below("sw/io/") || below("sw/messages/") || below("sw/os/") ||
           (below("sw/file_systems/") &&
            (file.find("/server") != std::string::npos || file.find("_server.h") != std::string::npos)) ||
           below("sw/file_systems/request_lists") || below("sw/file_systems/galley/on_disk/") ||
           below("sw/file_systems/galley/protocol/") || below("sw/file_systems/pvfs/iod/") ||
           below("sw/file_systems/pvfs/module/") || below("sw/file_systems/pvfs/protocol/") ||
           below("sw/file_systems/pvfs/libpvfs");
  };
  std::size_t servers = 0;
  for (const auto& [file, direct] : includes) {
    if (!serves(file)) continue;
    // Frames and programs of clients: these see applications.
    if (file == "sw/file_systems/client_server.h") continue;
    ++servers;
    std::set<std::string> seen;
    std::vector<std::string> todo{file};
    while (!todo.empty()) {
      const std::string one = todo.back();
      todo.pop_back();
      if (!seen.insert(one).second) continue;
      INFO(file << " reaches " << one);
      CHECK_FALSE(one.starts_with("sw/workload/"));
      CHECK_FALSE(one == "sw/file_systems/file_system.h");
      if (const auto more = includes.find(one); more != includes.end())
        todo.insert(todo.end(), more->second.begin(), more->second.end());
    }
  }
  CHECK(servers > 60);
}

TEST_CASE("no folders include one another in a circle") {
  CHECK(circle(arrows_of(sunstar::test::source_folder())) == std::vector<std::string>{});
  sunstar::test::TemporaryFolder tree;
  tree.write("models/a/x.h", "#include \"models/b/y.h\"\n");
  tree.write("models/b/y.h", "#include \"models/c/z.h\"\n");
  tree.write("models/c/z.h", "#include \"models/a/w.h\"\n");
  fs::create_directories(tree.path / "sw");
  fs::create_directories(tree.path / "platforms");
  CHECK(circle(arrows_of(tree.path)) == std::vector<std::string>{"models/a", "models/b", "models/c", "models/a"});
}

TEST_CASE("models/core and the firmware know nothing of SystemC") {
  for (const char* floor : {"models/core", "sw"})
    for (const auto& i : includes_of(sunstar::test::source_folder(), floor)) {
      INFO(i.file << " includes " << i.what);
      CHECK_FALSE((i.what.starts_with("systemc") || i.what.starts_with("tlm") || i.what.starts_with("sysc/")));
      CHECK_FALSE(i.what.starts_with("models/kernel/"));
    }
}

TEST_CASE("the folder of a platform holds no models") {
  // The bench of sunstar-network has terminals where a machine has nodes: they are what it tries the network with.
  const std::set<std::string> test_bench{"terminals.h", "run.cpp"};
  for (const auto& entry : fs::recursive_directory_iterator(sunstar::test::source_folder() / "platforms")) {
    const auto folder = entry.path().parent_path().filename().string(), name = entry.path().filename().string();
    if (!entry.is_regular_file() || folder == "assembly" || (folder == "network" && test_bench.contains(name)))
      continue;
    INFO(folder << "/" << name);
    CHECK(sunstar::test::TemporaryFolder::read(entry.path()).find("public sc_core::sc_module") == std::string::npos);
  }
}

TEST_CASE("nothing but platforms, tests and benchmarks includes platforms") {
  for (const char* floor : {"models", "sw"})
    for (const auto& i : includes_of(sunstar::test::source_folder(), floor)) {
      INFO(i.file << " includes " << i.what);
      CHECK_FALSE(i.what.starts_with("platforms/"));
      CHECK_FALSE(i.what.starts_with("tests/"));
      CHECK_FALSE(i.what.starts_with(".."));
    }
}

TEST_CASE("the kit knows no part by name: a part says of itself what the kit shows") {
  static const std::regex part(R"(\b(disks?|drives?|nvme|scsi|torus|ethernet|galley|pvfs|sp2|cluster|Stage::\w+)\b)",
                               std::regex::icase);
  for (const auto& entry : fs::recursive_directory_iterator(sunstar::test::source_folder() / "platforms/kit")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      INFO(entry.path().filename().string() << ": " << line);
      const std::string code = line.substr(0, line.find("//"));
      CHECK((!std::regex_search(code, part) || code.find("sunstar-disk import") != code.npos));
    }
  }
}

TEST_CASE("an include that points the wrong way is found") {
  sunstar::test::TemporaryFolder tree;
  tree.write("models/node/hal.h", "#include \"models/core/bad.h\"\n");
  tree.write("models/core/bad.h", "#include <systemc>\n");
  tree.write("models/a.h", "#include \"sw/b.h\"\n");
  tree.write("sw/b.h",
             "#include <tlm>\n  # include \"platforms/c.h\"\n#include \"models/disk/drive.h\"\n#include "
             "\"models/core/ok.h\"\n");
  tree.write("platforms/c.h", "#include \"tests/d.h\"\n#include \"sw/b.h\"\n");
  CHECK(wrong_arrows(tree.path) ==
        std::vector<std::string>{
            "models/a.h includes sw/b.h: models may include models only",
            "sw/b.h includes tlm: sw knows nothing of SystemC",
            "sw/b.h includes platforms/c.h: sw may include sw, models/core and models/node/hal.h only",
            "sw/b.h includes models/disk/drive.h: sw may include sw, models/core and models/node/hal.h only",
            "platforms/c.h includes tests/d.h: platforms may include platforms, sw and models only",
            "models/core/bad.h includes systemc: sw sees it, and knows nothing of SystemC"});
}
