// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/on_disk/form.h"

#include <algorithm>
#include <limits>

#include "models/core/error.h"

namespace sunstar::file_systems::galley {

void Form::check(const std::string& disk) const {
  const auto refuse = [&](const auto&... what) { throw ConfigError("Galley cannot use ", disk, ": ", what...); };
  if (block_bytes < 512 || block_bytes > (1u << 20) || block_bytes % 512 != 0)
    refuse("a block has ", block_bytes, " bytes; it must have a multiple of 512 bytes, from 512 bytes to 1 MiB.");
  if (table_entries == 0) refuse("its table has no entries; it must have at least 1.");
  if (blocks > std::numeric_limits<BlockNumber>::max())
    refuse("it has ", blocks, " blocks; it may have at most 4294967295. Larger blocks help.");
  if (blocks <= first_data_block())
    refuse("it has ", blocks, " blocks; the superblock, the bitmap and the table of ", table_entries, " entries need ",
           first_data_block(), ", and at least one block must be left for data.");
}

namespace superblock_bytes {
// Offsets in the block.
constexpr std::size_t magic_at = 0, version_at = 8, checksum_at = 12, blocks_at = 16, block_bytes_at = 24,
                      table_entries_at = 28, disk_at = 32, disks_at = 36, end = 40;
constexpr std::uint64_t magic = 0x0a0d79656c6c6147;  // "Galley\r\n": a conversion of line ends spoils it
constexpr std::uint32_t version = 1;
}  // namespace superblock_bytes

void encode(const Superblock& s, std::span<std::byte> block) {
  using namespace superblock_bytes;
  std::ranges::fill(block, std::byte{0});
  write_number(block, magic_at, magic);
  write_number(block, version_at, version);
  write_number(block, blocks_at, s.form.blocks);
  write_number(block, block_bytes_at, s.form.block_bytes);
  write_number(block, table_entries_at, s.form.table_entries);
  write_number(block, disk_at, s.disk);
  write_number(block, disks_at, s.disks);
  write_number(block, checksum_at, checksum_around(block.first(end), checksum_at));
}

std::optional<Superblock> decode_superblock(std::span<const std::byte> block) {
  using namespace superblock_bytes;
  if (read_number<std::uint64_t>(block, magic_at) != magic || read_number<std::uint32_t>(block, version_at) != version)
    return std::nullopt;
  if (read_number<std::uint32_t>(block, checksum_at) != checksum_around(block.first(end), checksum_at))
    return std::nullopt;
  Superblock s;
  s.form.blocks = read_number<std::uint64_t>(block, blocks_at);
  s.form.block_bytes = read_number<std::uint32_t>(block, block_bytes_at);
  s.form.table_entries = read_number<std::uint32_t>(block, table_entries_at);
  s.disk = read_number<std::uint32_t>(block, disk_at);
  s.disks = read_number<std::uint32_t>(block, disks_at);
  return s;
}

}  // namespace sunstar::file_systems::galley
