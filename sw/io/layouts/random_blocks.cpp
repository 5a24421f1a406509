// SPDX-License-Identifier: MIT
#include "sw/io/layouts/layouts.h"

namespace sunstar::io::layouts {
namespace {

// Puts each block at a random multiple of the block size; every free position is equally likely. If the disk's size is
// not a multiple of the block size, the remainder at its end stays unused.
BlockAddresses place(const LayoutRequest& request, DiskSpace& space, RandomStream& random) {
  const std::uint64_t per_block = request.block_bytes / space.shape().sector_bytes;
  BlockAddresses addresses;
  take_random(request.blocks, space.shape().sectors / per_block, request, space, random, per_block,
              "more than it has free block positions", [&](std::uint64_t position) {
                space.take(position * per_block, per_block);
                addresses.push_back(position * per_block);
              });
  return addresses;
}

}  // namespace

const LayoutPolicy random_blocks{"random-blocks", "each block lies at a random block-aligned position of the disk",
                                 place};

}  // namespace sunstar::io::layouts
