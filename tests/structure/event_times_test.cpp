// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/places.h"

namespace fs = std::filesystem;

TEST_CASE("models set their events with notify_at() and read the time from now(), so that a timetable can run ahead") {
  std::vector<std::string> found;
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sunstar::test::source_folder() / "models")) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    if (entry.path().filename() == "sc_time_bridge.h" || entry.path().filename() == "timetable.cpp") continue;
    ++files;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      if (line.find(".notify(") != std::string::npos || line.find("sc_time_stamp") != std::string::npos)
        found.push_back(entry.path().filename().string() + ": " + line);
  }
  CHECK(files > 50);
  CHECK(found == std::vector<std::string>{});
}
