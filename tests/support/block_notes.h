// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "sw/os/os.h"

namespace sunstar::test {

/// What the firmware of one node says of its blocks, in order: "miss 3".
struct BlockNotes final : os::Observer {
  explicit BlockNotes(os::Os& os) { os.observe(*this); }
  void notes(const char* what, std::uint64_t, std::uint64_t block) override {
    lines.push_back(what + std::string(" ") + std::to_string(block));
  }

  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

}  // namespace sunstar::test
