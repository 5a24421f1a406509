// SPDX-License-Identifier: MIT
#include "examples/galley/run_length.h"

#include <algorithm>

namespace sunstar::file_systems::galley {

namespace {
constexpr std::size_t shortest_run = 3, longest_run = 130, most_literals = 128, runs_from = 128;
}

std::optional<std::size_t> run_length_encode(std::span<const std::byte> from, std::span<std::byte> to) {
  std::size_t written = 0;
  const auto run_at = [&](std::size_t at) {
    const std::size_t end = std::min(from.size(), at + longest_run);
    std::size_t i = at + 1;
    while (i < end && from[i] == from[at]) ++i;
    return i - at;
  };
  for (std::size_t at = 0; at < from.size();) {
    const std::size_t run = run_at(at);
    if (run >= shortest_run) {
      if (to.size() - written < 2) return std::nullopt;
      to[written++] = static_cast<std::byte>(runs_from + run - shortest_run);
      to[written++] = from[at];
      at += run;
      continue;
    }
    std::size_t literals = run;
    while (literals < most_literals && at + literals < from.size()) {
      const std::size_t next = run_at(at + literals);
      if (next >= shortest_run) break;
      literals = std::min(literals + next, most_literals);
    }
    if (to.size() - written < 1 + literals) return std::nullopt;
    to[written++] = static_cast<std::byte>(literals - 1);
    std::ranges::copy(from.subspan(at, literals), to.begin() + static_cast<std::ptrdiff_t>(written));
    written += literals;
    at += literals;
  }
  return written;
}

bool run_length_decode(std::span<const std::byte> code, std::span<std::byte> to) {
  while (!code.empty()) {
    const auto control = std::to_integer<std::size_t>(code.front());
    const bool run = control >= runs_from;
    const std::size_t bytes = run ? control - runs_from + shortest_run : control + 1, behind = run ? 1 : bytes;
    if (code.size() - 1 < behind || to.size() < bytes) return false;
    if (run) std::ranges::fill(to.first(bytes), code[1]);
    else std::ranges::copy(code.subspan(1, bytes), to.begin());
    code = code.subspan(1 + behind);
    to = to.subspan(bytes);
  }
  return to.empty();
}

}  // namespace sunstar::file_systems::galley
