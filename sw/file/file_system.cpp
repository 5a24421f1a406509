// SPDX-License-Identifier: MIT
#include "sw/file/file_system.h"

#include <cassert>

#include "sw/disk_directed/disk_directed.h"
#include "sw/traditional_caching/traditional_caching.h"

namespace sunstar::file {

namespace {
struct Kind {
  const char* name;
  std::unique_ptr<FileSystem> (*create)(System&);
};

template <class T>
std::unique_ptr<FileSystem> make(System& system) { return std::make_unique<T>(system); }

// One line a file system.
const Kind kinds[] = {
    {"traditional-caching", make<TraditionalCaching>},
    {"disk-directed", make<DiskDirected>},
};
}  // namespace

std::vector<std::string> file_system_names() {
  std::vector<std::string> names;
  for (const Kind& k : kinds) names.push_back(k.name);
  return names;
}

std::unique_ptr<FileSystem> FileSystem::create(System& system) {
  for (const Kind& k : kinds)
    if (system.params.kind == k.name) return k.create(system);
  assert(!"the name was checked when the configuration was read");
  return nullptr;
}

}  // namespace sunstar::file
