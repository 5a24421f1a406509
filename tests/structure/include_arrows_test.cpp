// SPDX-License-Identifier: MIT
// The floors of the house: models at the bottom, sw, platforms on top; arrows only downward.
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/support/catch.h"
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
  const fs::path root = SUNSTAR_SOURCE_DIR;
  CHECK(includes_of(root, "models").size() > 100);
  CHECK(includes_of(root, "sw").size() > 100);
  CHECK(wrong_arrows(root) == std::vector<std::string>{});
}

TEST_CASE("nothing but platforms, tests and benchmarks includes platforms") {
  for (const char* floor : {"models", "sw"})
    for (const auto& i : includes_of(SUNSTAR_SOURCE_DIR, floor)) {
      INFO(i.file << " includes " << i.what);
      CHECK_FALSE(i.what.starts_with("platforms/"));
      CHECK_FALSE(i.what.starts_with("tests/"));
      CHECK_FALSE(i.what.starts_with(".."));
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
