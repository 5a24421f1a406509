// SPDX-License-Identifier: MIT
#include "platforms/kit/run/huge_pages.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace sunstar::kit {

void use_huge_pages(char** argv) {
  constexpr const char* tunables = "GLIBC_TUNABLES";
  if (std::getenv(tunables)) return;
  setenv(tunables, "glibc.malloc.hugetlb=1", 1);
  std::error_code no_such_link;
  execv(std::filesystem::read_symlink("/proc/self/exe", no_such_link).c_str(), argv);
  unsetenv(tunables);  // it runs without them
}

}  // namespace sunstar::kit
