// SPDX-License-Identifier: MIT
#include "platforms/kit/run/huge_pages.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace sunstar::kit {

void use_huge_pages(char** argv) {
  constexpr const char* tunables = "GLIBC_TUNABLES";
  if (std::getenv(tunables)) return;
  // The heap also keeps freed memory: large machines free and take tens of megabytes all the time.
  setenv(tunables,
         "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=4294967296:"
         "glibc.malloc.mmap_threshold=1073741824",
         1);
  // By its name, which tools show, unless another file, or none, has that name by now.
  constexpr const char* self = "/proc/self/exe";
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink(self, unknown);
  if (std::filesystem::equivalent(program, self, unknown)) execv(program.c_str(), argv);
  unsetenv(tunables);  // the program runs without huge pages
}

}  // namespace sunstar::kit
