// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "models/core/quantity.h"

namespace sunstar {

/// "The wave file ends at 0.000123 s: its limit of 256 MiB was reached", without the full stop.
inline std::string limit_reached(const std::string& what, Time end, std::uint64_t limit) {
  char at[32];
  std::snprintf(at, sizeof at, "%.6f", seconds(end));
  return "The " + what + " ends at " + at + " s: its limit of " +
         (limit % (1 << 20) == 0 ? std::to_string(limit >> 20) + " MiB" : std::to_string(limit) + " bytes") +
         " was reached";
}

}  // namespace sunstar
