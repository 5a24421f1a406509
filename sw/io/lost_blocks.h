// SPDX-License-Identifier: MIT
#pragma once
#include <map>

#include "models/node/hal.h"
#include "sw/io/replacement/entry.h"

namespace sunstar::io {

/// Blocks, or pages, whose last write a cache could not bring to disk. The disk has older bytes there, which must not
/// be read as the file's.
class LostBlocks {
 public:
  void lose(BlockKey block, hal::Status why) { lost_[block] = why; }
  /// `count` blocks have been written, from `first` on.
  void written(BlockKey first, std::uint64_t count = 1) {
    lost_.erase(lost_.lower_bound(first), lost_.lower_bound({first.file, first.number + count}));
  }
  /// Why the first lost one of `count` blocks was lost; ok if none was.
  hal::Status status(BlockKey first, std::uint64_t count = 1) const {
    const auto found = lost_.lower_bound(first);
    const bool here = found != lost_.end() && found->first < BlockKey{first.file, first.number + count};
    return here ? found->second : hal::Status::ok;
  }

 private:
  std::map<BlockKey, hal::Status> lost_;
};

}  // namespace sunstar::io
