// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <iterator>
#include <map>

#include "sw/io/replacement/entry.h"

namespace sunstar::file_systems::pvfs {

/// A block of a file: its bytes [number * block_bytes, (number + 1) * block_bytes).
using io::BlockKey;

/// A value for each block of the files. Neighbours of equal value are one entry: most blocks have the same history as
/// their neighbours, and files have far more blocks than memory has room for.
template <class Value>
class BlockRuns {
 public:
  const Value& at(const BlockKey& key) const { return std::prev(begins_.upper_bound(key))->second; }
  void set(const BlockKey& key, const Value& value) {
    const auto run = std::prev(begins_.upper_bound(key));
    if (run->second == value) return;
    const auto next = begins_.try_emplace({key.file, key.number + 1}, run->second).first;
    const auto here = begins_.insert_or_assign(key, value).first;
    if (next->second == value) begins_.erase(next);
    if (here != begins_.begin() && std::prev(here)->second == value) begins_.erase(here);
  }
  std::size_t size() const { return begins_.size(); }

 private:
  std::map<BlockKey, Value> begins_{
      {BlockKey{}, Value{}}};  // by the first block of a run, which ends where the next begins
};

/// Which version of each block is where: the simulation knows this, no node of the machine does. Plain writes promise
/// no coherence (section 3.2), so a read may miss a write elsewhere; this tells. A version is the number of writes to
/// the block so far.
class Versions {
 public:
  using Version = std::uint64_t;

  /// A copy of version `mine` in a cache has been written. `to_flush`: the copy had nothing to flush before. Returns
  /// the copy's version: the newest if it was up to date, otherwise still `mine`, because its other bytes are old.
  Version written(const BlockKey& key, Version mine, bool to_flush) {
    State block = blocks_.at(key);
    const bool up_to_date = mine == block.newest;
    ++block.newest;
    if (to_flush) ++block.to_flush;
    blocks_.set(key, block);
    return up_to_date ? block.newest : mine;
  }
  /// The data node has got everything that one copy had to flush.
  void flushed(const BlockKey& key) {
    State block = blocks_.at(key);
    if (--block.to_flush == 0) block.at_server = block.newest;
    blocks_.set(key, block);
  }
  /// A write has gone straight to the data node.
  void written_at_server(const BlockKey& key) {
    State block = blocks_.at(key);
    ++block.newest;
    if (block.to_flush == 0) block.at_server = block.newest;
    blocks_.set(key, block);
  }
  Version newest(const BlockKey& key) const { return blocks_.at(key).newest; }
  /// The newest version that is complete at the data node.
  Version at_server(const BlockKey& key) const { return blocks_.at(key).at_server; }

 private:
  struct State {
    Version newest = 0, at_server = 0;
    std::uint32_t to_flush = 0;  // copies
    bool operator==(const State&) const = default;
  };
  BlockRuns<State> blocks_;
};

}  // namespace sunstar::file_systems::pvfs
