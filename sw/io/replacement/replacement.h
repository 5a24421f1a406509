// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "models/core/param.h"
#include "sw/io/replacement/entry.h"

namespace sunstar::io {

/// Chooses the block of a cache that makes room. It sees the entries that hold a block, and orders them by
/// CacheEntry::order. It chooses the first in its order that is replaceable(), and an entry to be replaced `last` only
/// if there is no other.
///
/// It also returns steps, the blocks looked at, for which firmware may charge.
class Replacement {
 public:
  virtual ~Replacement() = default;
  using Order = boost::intrusive::list<
      CacheEntry, boost::intrusive::member_hook<CacheEntry, boost::intrusive::list_member_hook<>, &CacheEntry::order>>;
  /// The entry has been given to a block, for an access that did not find it.
  virtual void inserted(CacheEntry& entry) = 0;
  /// An access found the block.
  virtual void touched(CacheEntry& entry) = 0;

  struct Choice {
    CacheEntry* entry = nullptr;  ///< null if none is replaceable()
    std::uint32_t steps = 0;
  };
  /// Chooses an entry. `wanted`, if known, is the block that needs the room.
  virtual Choice choose(const BlockKey* wanted);
  /// The same choice, for a cache that calls became_replaceable(): an entry that was not replaceable is not looked at
  /// again before that. A cache with thousands of buffers on their way to disk would look at them all for each block.
  virtual CacheEntry* choose_ready(const BlockKey* wanted) { return choose(wanted).entry; }
  virtual void became_replaceable(CacheEntry&) {}
  /// The block leaves the cache: its content is out of date.
  virtual void dropped(CacheEntry& entry) = 0;
  /// The same because choose() has just returned it.
  virtual void replaced(CacheEntry& entry) { dropped(entry); }

  /// The first entry, in the order in which they would be replaced, for which `fits` is true; null if there is none.
  template <class Fits>
  CacheEntry* first(Fits fits) {
    for (Order* const list : lists(nullptr))
      if (list)
        for (CacheEntry& entry : *list)
          if (fits(entry)) return &entry;
    return nullptr;
  }

 protected:
  /// The policy's lists in the order in which choose() searches them, each from its front.
  virtual std::array<Order*, 2> lists(const BlockKey* wanted) = 0;
};

/// A policy, which the configuration chooses by name. Each has its own file and a line in list.h.
struct ReplacementPolicy {
  std::string_view name;
  std::string_view help;  ///< one line
  /// Makes the policy for a cache of `blocks` blocks.
  std::unique_ptr<Replacement> (*make)(std::uint32_t blocks);
};

/// All policies, in the order of their list.
const std::vector<ReplacementPolicy>& replacement_policies();
/// Makes the policy of that name for a cache of `blocks` blocks; the name must be a policy's.
std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t blocks);
/// The parameter `replacement` of a cache: the name of a policy.
Param replacement_parameter();

namespace replacement {
#define SUNSTAR_REPLACEMENT(policy) extern const ReplacementPolicy policy;
#include "sw/io/replacement/list.h"
#undef SUNSTAR_REPLACEMENT
}  // namespace replacement

}  // namespace sunstar::io
