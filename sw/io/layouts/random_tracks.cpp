// SPDX-License-Identifier: MIT
#include "sw/io/layouts/layouts.h"

namespace sunstar::io::layouts {
namespace {

// Draws whole tracks at random and fills them in the order drawn, each from its first sector. A track takes only whole
// blocks (72 sectors of 512 bytes: 4 blocks of 8 KiB, and 8 sectors stay free), so no block runs over into another
// track. Only tracks without files are drawn. A track here is sectors_per_track logical sectors that begin at a
// multiple of that number, which is exact on a disk of one zone without spare sectors.
BlockAddresses place(const LayoutRequest& request, DiskSpace& space, RandomStream& random) {
  const std::uint64_t per_block = request.block_bytes / space.shape().sector_bytes;
  const std::uint64_t track = space.shape().sectors_per_track, per_track = track / per_block;
  if (per_track == 0)
    does_not_fit(request, space,
                 "and random-tracks needs tracks of at least one block, but a track has only " + std::to_string(track) +
                     " sectors");
  BlockAddresses addresses;
  take_random((request.blocks + per_track - 1) / per_track, space.shape().sectors / track, request, space, random,
              track, "more than its free tracks hold", [&](std::uint64_t position) {
                for (std::uint64_t i = 0; i < per_track && addresses.size() < request.blocks; ++i) {
                  space.take(position * track + i * per_block, per_block);
                  addresses.push_back(position * track + i * per_block);
                }
              });
  return addresses;
}

}  // namespace

const LayoutPolicy random_tracks{"random-tracks", "blocks fill whole tracks that are drawn at random", place};

}  // namespace sunstar::io::layouts
