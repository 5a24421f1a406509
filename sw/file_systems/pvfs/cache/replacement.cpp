// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/cache/replacement.h"

#include <cassert>

#include "sw/file_systems/pvfs/cache/replacement_policies.h"

namespace sunstar::file_systems::pvfs {

const std::vector<ReplacementPolicy>& replacement_policies() {
  static const std::vector<ReplacementPolicy> all = {
#define SUNSTAR_REPLACEMENT(policy) replacement::policy,
#include "sw/file_systems/pvfs/cache/replacement_list.h"
#undef SUNSTAR_REPLACEMENT
  };
  return all;
}

std::vector<std::string> replacement_names() {
  std::vector<std::string> names;
  for (const ReplacementPolicy& p : replacement_policies()) names.emplace_back(p.name);
  return names;
}

std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t blocks) {
  for (const ReplacementPolicy& p : replacement_policies())
    if (name == p.name) return p.make(blocks);
  assert(!"the name was checked when the configuration was read");
  return replacement_policies().front().make(blocks);
}

}  // namespace sunstar::file_systems::pvfs
