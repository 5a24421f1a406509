// SPDX-License-Identifier: MIT
#pragma once
#include <iterator>
#include <map>

#include "sw/io/replacement/entry.h"

namespace sunstar::file_systems::pvfs {

/// A block of a file: its bytes [number * block_bytes, (number + 1) * block_bytes).
using io::BlockKey;

/// A value for each block of the files. Neighbours of equal value are one entry: most blocks have seen the same as
/// those beside them, and files have far more blocks than memory has room for.
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

}  // namespace sunstar::file_systems::pvfs
