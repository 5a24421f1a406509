// SPDX-License-Identifier: MIT
#include "sw/io/replacement/replacement.h"

#include "models/core/one_of.h"

namespace sunstar::io {

Replacement::Choice Replacement::choose(const BlockKey* wanted) {
  Choice choice;
  for (Order* const list : lists(wanted)) {
    if (!list) continue;
    for (CacheEntry& entry : *list) {
      ++choice.steps;
      const auto replaceable = entry.replaceable();
      if (replaceable == CacheEntry::Replaceable::no) continue;
      const bool now = replaceable == CacheEntry::Replaceable::yes;
      if (now || !choice.entry) choice.entry = &entry;
      if (now) return choice;
    }
  }
  return choice;
}

const std::vector<ReplacementPolicy>& replacement_policies() {
  static const std::vector<ReplacementPolicy> all = {
#define SUNSTAR_REPLACEMENT(policy) replacement::policy,
#include "sw/io/replacement/list.h"
#undef SUNSTAR_REPLACEMENT
  };
  return all;
}

std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t blocks) {
  return named(replacement_policies(), name).make(blocks);
}

Param replacement_parameter() {
  return {"replacement", "which block makes room", "", "", names_of(replacement_policies())};
}

}  // namespace sunstar::io
