// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "models/node/hal.h"
#include "sw/file_systems/pvfs/cache/block.h"

namespace sunstar::file_systems::pvfs {

/// For each block of the iod's files, the caches that may hold a copy (section 3.2). A cache does not tell when it
/// replaces a block.
class Directory {
 public:
  using Holders = std::vector<hal::NodeId>;

  void note(const BlockKey& block, hal::NodeId cache) {
    Holders& all = holders_[block];
    if (std::ranges::find(all, cache) == all.end()) all.push_back(cache);
  }
  /// The caches other than `writer` that may hold a copy of the block; from now on only the writer may.
  Holders take_others(const BlockKey& block, hal::NodeId writer) {
    const auto at = holders_.find(block);
    if (at == holders_.end()) return {};
    Holders others;
    std::ranges::copy_if(at->second, std::back_inserter(others), [writer](hal::NodeId n) { return n != writer; });
    std::erase_if(at->second, [writer](hal::NodeId n) { return n != writer; });
    return others;
  }
  /// A cache other than `reader` that may hold a copy; `reader` itself if there is none.
  hal::NodeId another(const BlockKey& block, hal::NodeId reader) const {
    const auto at = holders_.find(block);
    if (at == holders_.end()) return reader;
    const auto other = std::ranges::find_if(at->second, [reader](hal::NodeId n) { return n != reader; });
    return other == at->second.end() ? reader : *other;
  }
  /// The cache has turned out not to hold it.
  void forget(const BlockKey& block, hal::NodeId cache) {
    if (const auto at = holders_.find(block); at != holders_.end())
      std::erase_if(at->second, [cache](hal::NodeId n) { return n == cache; });
  }

 private:
  boost::unordered_flat_map<BlockKey, Holders> holders_;
};

}  // namespace sunstar::file_systems::pvfs
