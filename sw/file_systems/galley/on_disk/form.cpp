// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/on_disk/form.h"

#include <limits>

#include "models/core/error.h"

namespace sunstar::file_systems::galley {

void Form::check(const std::string& disk) const {
  const auto refuse = [&](const std::string& what) { throw ConfigError("Galley cannot use " + disk + ": " + what); };
  if (block_bytes < 512 || block_bytes > (1u << 20) || block_bytes % 512 != 0)
    refuse("a block has " + std::to_string(block_bytes) +
           " bytes; it must have a multiple of 512 bytes, from 512 bytes to 1 MiB.");
  if (table_entries == 0) refuse("its table has no entries; it must have at least 1.");
  if (blocks > std::numeric_limits<BlockNumber>::max())
    refuse("it has " + std::to_string(blocks) + " blocks; it may have at most 4294967295. Larger blocks help.");
  if (blocks <= first_data_block())
    refuse("it has " + std::to_string(blocks) + " blocks; the superblock, the bitmap and the table of " +
           std::to_string(table_entries) + " entries need " + std::to_string(first_data_block()) +
           ", and at least one block must be left for data.");
}

}  // namespace sunstar::file_systems::galley
