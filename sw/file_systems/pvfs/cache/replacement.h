// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sw/file_systems/pvfs/cache/block.h"

namespace sunstar::file_systems::pvfs {

/// Decides which block makes room. It sees the blocks that hold something, and orders them by Block::order.
///
/// All policies prefer clean blocks (Vilayannur, Kandemir, Sivasubramaniam, "Kernel-level caching for optimizing I/O by
/// exploiting inter-application data sharing", CLUSTER 2002, section 3.2): they choose the first clean block in their
/// order that is replaceable(), and the first dirty one only if no clean one is.
///
/// What firmware should charge for is returned in steps: blocks (or keys that a policy remembers) looked at, or moved
/// in a list.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// The block has been allocated, for an access that did not find it. Returns steps.
  virtual std::uint32_t inserted(Block& block) = 0;
  /// An access found the block. Returns steps.
  virtual std::uint32_t touched(Block& block) = 0;

  struct Choice {
    Block* block = nullptr;  ///< null if none is replaceable()
    std::uint32_t steps = 0;
  };
  /// Chooses a block. `wanted`, if known, is the block that needs the room.
  virtual Choice choose(const BlockKey* wanted) = 0;
  /// The block that choose() has just returned is going to be freed.
  virtual void replaced(Block& block) = 0;
  /// The block is going to be freed for another reason: its content is out of date.
  virtual void dropped(Block& block) = 0;
};

/// A policy's list of blocks.
using Order =
    boost::intrusive::list<Block,
                           boost::intrusive::member_hook<Block, boost::intrusive::list_member_hook<>, &Block::order>>;

/// A policy, which the configuration chooses by name. Each has its own file and a line in
/// replacement_list.h.
struct ReplacementPolicy {
  std::string_view name;
  std::string_view help;  ///< one line
  /// Makes one for a cache of `blocks` blocks.
  std::unique_ptr<Replacement> (*make)(std::uint32_t blocks);
};

/// All policies, in the order of their list; the first is that of the paper.
const std::vector<ReplacementPolicy>& replacement_policies();
std::vector<std::string> replacement_names();
/// Makes the policy of that name for a cache of `blocks` blocks; the name must be one of replacement_names().
std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t blocks);

}  // namespace sunstar::file_systems::pvfs
