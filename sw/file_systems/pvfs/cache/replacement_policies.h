// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/pvfs/cache/replacement.h"

// What the replacement policies share; only they and replacement.cpp include this.
namespace sunstar::file_systems::pvfs::replacement {

#define SUNSTAR_REPLACEMENT(policy) extern const ReplacementPolicy policy;
#include "sw/file_systems/pvfs/cache/replacement_list.h"
#undef SUNSTAR_REPLACEMENT

/// Looks for the block to replace in one list after the other, from the front: the first clean block that is
/// replaceable, or the first dirty one of all lists.
class VictimSearch {
 public:
  /// Returns whether it has found a clean block, so that no other list need be searched.
  bool in(Order& order) {
    for (Block& b : order) {
      ++choice_.steps;
      if (!b.replaceable()) continue;
      const bool dirty = b.state() == BlockState::dirty;
      if (!dirty || !choice_.block) choice_.block = &b;
      if (!dirty) return true;
    }
    return false;
  }
  Replacement::Choice choice() const { return choice_; }

 private:
  Replacement::Choice choice_;
};

}  // namespace sunstar::file_systems::pvfs::replacement
