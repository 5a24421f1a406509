// SPDX-License-Identifier: MIT
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace sunstar::kit {

/// Gives the heap of this process huge pages, by starting the program again with the setting that glibc reads at its
/// start, unless GLIBC_TUNABLES is set. A run looks at one node after the other; on a machine of a thousand nodes,
/// address translation takes up to a quarter of its time (docs/performance.md). For tools that do not follow the new
/// start, such as valgrind, set GLIBC_TUNABLES, even to nothing. To be called first in main(), with main's `argv`.
inline void use_huge_pages(char** argv) {
  constexpr const char* tunables = "GLIBC_TUNABLES";
  if (std::getenv(tunables)) return;
  // The heap also keeps freed memory: large machines free and take tens of megabytes all the time.
  setenv(tunables,
         "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=4294967296:glibc.malloc."
         "mmap_threshold=1073741824",
         1);
  // By its name, which tools show, unless another file, or none, has that name by now.
  constexpr const char* self = "/proc/self/exe";
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink(self, unknown);
  if (std::filesystem::equivalent(program, self, unknown)) execv(program.c_str(), argv);
  unsetenv(tunables);  // the program runs without huge pages
}

}  // namespace sunstar::kit
