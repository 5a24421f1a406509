// SPDX-License-Identifier: MIT
#include "sw/io/layouts/layouts.h"

namespace sunstar::io::layouts {
namespace {

// Puts all blocks into consecutive sectors: the first free run that is long enough, from sector `start` on. The first
// file thus begins at `start` itself, and later ones follow it without a gap.
BlockAddresses place(const LayoutRequest& request, DiskSpace& space, RandomStream&) {
  const std::uint64_t per_block = request.block_bytes / space.shape().sector_bytes;
  if (request.blocks > space.shape().sectors / per_block)
    does_not_fit(request, space, "more than the whole disk holds");
  const std::uint64_t first = space.find(request.start, request.blocks * per_block);
  if (first == space.shape().sectors)
    does_not_fit(request, space,
                 "and no free run of that length begins at or after sector " + std::to_string(request.start));
  space.take(first, request.blocks * per_block);
  return BlockAddresses::evenly(first, per_block, request.blocks);
}

}  // namespace

const LayoutPolicy contiguous{"contiguous", "a file's blocks lie in consecutive sectors of each disk", place};

}  // namespace sunstar::io::layouts
