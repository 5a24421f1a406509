// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <vector>

#include "models/node/hal.h"
#include "sw/file_systems/pvfs/protocol/block_runs.h"
#include "sw/file_systems/pvfs/protocol/params.h"
#include "sw/io/volume.h"

namespace sunstar::file_systems::pvfs {

/// For each block of the iod's files, the caches that may hold a copy (section 3.2). A cache does not tell when it
/// replaces a block.
class Directory {
 public:
  using Holders = std::vector<hal::NodeId>;

  explicit Directory(const io::Volume& volume) : volume_(volume) {}

  void note(const BlockKey& block, hal::NodeId cache) {
    Holders all = holders(block);
    if (std::ranges::find(all, cache) != all.end()) return;
    all.push_back(cache);
    holders_.set(place(block), all);
  }
  /// The caches other than `writer` that may hold a copy of the block; from now on only the writer may.
  Holders take_others(const BlockKey& block, hal::NodeId writer) {
    Holders others = holders(block);
    holders_.set(place(block), std::erase(others, writer) > 0 ? Holders{writer} : Holders{});
    return others;
  }
  /// A cache other than `reader` that may hold a copy; `reader` itself if there is none.
  hal::NodeId another(const BlockKey& block, hal::NodeId reader) const {
    const Holders& all = holders(block);
    const auto other = std::ranges::find_if(all, [reader](hal::NodeId n) { return n != reader; });
    return other == all.end() ? reader : *other;
  }
  /// The cache has turned out not to hold it.
  void forget(const BlockKey& block, hal::NodeId cache) {
    Holders all = holders(block);
    std::erase(all, cache);
    holders_.set(place(block), all);
  }

 private:
  const Holders& holders(const BlockKey& block) const { return holders_.at(place(block)); }
  /// Blocks of a unit's stripes that follow one another there are neighbours.
  BlockKey place(const BlockKey& block) const {
    const std::uint64_t stripe_blocks = volume_.block_bytes() / cache_block, stripe = block.number / stripe_blocks;
    return {block.file * volume_.units() + volume_.unit_of(stripe),
            stripe / volume_.units() * stripe_blocks + block.number % stripe_blocks};
  }

  const io::Volume& volume_;
  BlockRuns<Holders> holders_;
};

}  // namespace sunstar::file_systems::pvfs
