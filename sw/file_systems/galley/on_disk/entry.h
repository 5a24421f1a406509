// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <string_view>
#include <variant>

#include "sw/file_systems/galley/on_disk/form.h"

namespace sunstar::file_systems::galley {

constexpr std::size_t longest_name = 63;  ///< of a file or fork, in bytes

/// Whether an entry can hold the name: 1 to 63 bytes, none of them 0.
bool is_name(std::string_view);

/// A file: "files are composed of one or more subfiles [...]. Each subfile resides entirely on a single disk, and no
/// disk contains more than one subfile from any file. [...] The number of subfiles remains fixed throughout the life of
/// the file" (section 3.1). Its entry lies on the home disk of its name.
struct FileEntry {
  std::uint64_t id = 0;  ///< of the file in the whole file system; from 1
  std::string name;
  std::uint32_t subfiles = 1;    ///< 1 to the number of disks
  std::uint32_t first_disk = 0;  ///< subfile i lies on disk (first_disk + i) mod disks
  bool operator==(const FileEntry&) const = default;

  /// The subfile on `disk`, which is below `disks`; none if the file has no subfile there.
  std::optional<std::uint32_t> subfile_on(std::uint32_t disk, std::uint32_t disks) const {
    const std::uint32_t subfile = (disk + disks - first_disk) % disks;
    return subfile < subfiles ? std::optional(subfile) : std::nullopt;
  }
};

/// A fork, "a named, addressable, linear sequence of bytes" (section 3.2). Its entry lies on the disk of its subfile,
/// like its index blocks; each of these lists block_bytes / 4 data blocks.
struct ForkEntry {
  std::uint64_t file = 0;  ///< its id
  std::string name;        ///< unique in the subfile
  std::uint64_t bytes = 0;
  std::uint32_t blocks = 0;  ///< that the bytes need, holes included; stored as a check of the size
  std::array<BlockNumber, Form::index_blocks_of_fork> index_blocks{};  ///< 0: all blocks listed there would be holes
  bool operator==(const ForkEntry&) const = default;
};

struct FreeEntry {
  bool operator==(const FreeEntry&) const = default;
};

using Entry = std::variant<FreeEntry, FileEntry, ForkEntry>;

/// Writes the entry over its 512 bytes. Names must be is_name(). A free entry has only zeros.
void encode(const Entry&, std::span<std::byte> place);
/// The entry in its 512 bytes; none if the checksum is wrong or no encode() writes such bytes.
std::optional<Entry> decode_entry(std::span<const std::byte> place);

/// The data block listed at a place of an index block, counted from 0; 0 is a hole, which reads as zeros. A fork's
/// block number b is listed at place b % form.numbers_per_index_block() of index block b /
/// form.numbers_per_index_block().
BlockNumber data_block(std::span<const std::byte> index_block, std::uint32_t place);
void set_data_block(std::span<std::byte> index_block, std::uint32_t place, BlockNumber);

/// The disk, below `disks`, with the entry of the file of that name: the name alone leads to it, without a directory.
std::uint32_t home_disk(std::string_view name, std::uint32_t disks);

}  // namespace sunstar::file_systems::galley
