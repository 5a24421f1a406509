// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <vector>

#include "models/node/hal.h"
#include "sw/file_systems/pvfs/protocol/params.h"
#include "sw/file_systems/pvfs/protocol/versions.h"
#include "sw/io/volume.h"

namespace sunstar::file_systems::pvfs {

/// For each block of the iod's files, the caches that may hold a copy (section 3.2). A cache does not tell when it
/// replaces a block, and plain writes tell nobody: from the requests that it gets, the iod knows of each copy whether
/// another node has written the block since.
class Directory {
 public:
  struct Holder {
    hal::NodeId cache;
    bool current;  ///< nobody else has written the block since the cache got all of it
    bool operator==(const Holder&) const = default;
  };
  using Holders = std::vector<Holder>;

  explicit Directory(const io::Volume& volume) : volume_(volume) {}

  /// The cache gets bytes of the block, all of them if `whole`. A partial copy that was out of date stays so.
  void read(const BlockKey& block, hal::NodeId cache, bool whole) {
    Holders all = holders(block);
    const auto found = std::ranges::find(all, cache, &Holder::cache);
    if (found == all.end()) all.push_back({cache, true});
    else found->current |= whole;
    holders_.set(place(block), all);
  }
  /// A cache has written bytes of the block, all of them if `whole`; copies elsewhere are out of date. `keeps`: the
  /// cache keeps its copy.
  void written(const BlockKey& block, hal::NodeId cache, bool whole, bool keeps) {
    Holders all = holders(block);
    bool known = false;
    for (Holder& holder : all) {
      const bool writer = keeps && holder.cache == cache;
      holder.current = writer && (whole || holder.current);
      known |= writer;
    }
    if (keeps && !known) all.push_back({cache, whole});
    holders_.set(place(block), all);
  }
  /// The caches other than `writer` that may hold a copy of the block; from now on only the writer may.
  std::vector<hal::NodeId> take_others(const BlockKey& block, hal::NodeId writer) {
    std::vector<hal::NodeId> others;
    Holders left;
    for (const Holder& holder : holders(block)) {
      if (holder.cache == writer) left.push_back(holder);
      else others.push_back(holder.cache);
    }
    holders_.set(place(block), left);
    return others;
  }
  /// A cache other than `reader` that may hold an up-to-date copy; `reader` itself if there is none.
  hal::NodeId another(const BlockKey& block, hal::NodeId reader) const {
    const Holders& all = holders(block);
    const auto other = std::ranges::find_if(all, [reader](const Holder& h) { return h.cache != reader && h.current; });
    return other == all.end() ? reader : other->cache;
  }
  /// The cache has turned out not to hold all of the block.
  void lacks(const BlockKey& block, hal::NodeId cache) {
    Holders all = holders(block);
    for (Holder& holder : all) holder.current &= holder.cache != cache;
    holders_.set(place(block), all);
  }

 private:
  const Holders& holders(const BlockKey& block) const { return holders_.at(place(block)); }
  /// Makes neighbours of blocks that follow one another on a unit.
  BlockKey place(const BlockKey& block) const {
    const std::uint64_t stripe_blocks = volume_.block_bytes() / cache_block, stripe = block.number / stripe_blocks;
    return {block.file * volume_.units() + volume_.unit_of(stripe),
            stripe / volume_.units() * stripe_blocks + block.number % stripe_blocks};
  }

  const io::Volume& volume_;
  BlockRuns<Holders> holders_;
};

}  // namespace sunstar::file_systems::pvfs
