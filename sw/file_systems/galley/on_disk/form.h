// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// How numbers and checksums lie in the bytes of a block, on every host alike.
namespace sunstar::file_systems::galley {

/// A block of one disk. 0 is the superblock, so it never holds data: where a data or index block is listed, 0 says that
/// there is none.
using BlockNumber = std::uint32_t;

/// How Galley divides a disk. "Each IOP in Galley controls a single disk, logically partitioned into 32 KB blocks"
/// (Nieuwejaar, Kotz, The Galley Parallel File System, section 6.1.2, as for all sections named in this folder). The
/// paper does not say what lies in them; this is our own:
///
///   block 0            the superblock
///   bitmap blocks      a bit for each block of the disk, 1 = used
///   table blocks       entries of 512 bytes: files whose home is this disk, and forks that lie on it
///   all other blocks   data of forks, and index blocks, which list the data blocks of a fork
struct Form {
  static constexpr std::uint32_t entry_bytes = 512;
  /// Index blocks that the entry of a fork lists: they fill the rest of its 512 bytes.
  static constexpr std::uint32_t index_blocks_of_fork = 105;

  std::uint32_t block_bytes = 32768;   ///< 512 B to 1 MiB, a multiple of 512 B
  std::uint64_t blocks = 0;            ///< of the disk; at most 2^32 - 1, and more than first_data_block()
  std::uint32_t table_entries = 1024;  ///< at least 1

  bool operator==(const Form&) const = default;

  /// Throws ConfigError if a member is out of its range or no block is left for data. The sentence calls the disk
  /// `disk`.
  void check(const std::string& disk) const;

  std::uint64_t bits_per_block() const { return std::uint64_t{8} * block_bytes; }
  std::uint64_t bitmap_blocks() const { return divided_up(blocks, bits_per_block()); }
  BlockNumber first_bitmap_block() const { return 1; }
  /// The bitmap block with the bit of `block`, and which of its bits that is.
  BlockNumber bitmap_block_of(BlockNumber block) const {
    return first_bitmap_block() + static_cast<BlockNumber>(block / bits_per_block());
  }
  std::uint32_t bit_of(BlockNumber block) const { return static_cast<std::uint32_t>(block % bits_per_block()); }

  std::uint32_t entries_per_block() const { return block_bytes / entry_bytes; }
  std::uint64_t table_blocks() const { return divided_up(table_entries, entries_per_block()); }
  BlockNumber first_table_block() const { return static_cast<BlockNumber>(first_bitmap_block() + bitmap_blocks()); }
  /// The table block with the entry, and the entry's first byte in it.
  BlockNumber table_block_of(std::uint32_t entry) const { return first_table_block() + entry / entries_per_block(); }
  std::uint32_t offset_of(std::uint32_t entry) const { return entry % entries_per_block() * entry_bytes; }

  // The forks.
  std::uint64_t first_data_block() const { return 1 + bitmap_blocks() + table_blocks(); }
  /// Whether the number is one that data or an index may have.
  bool may_hold_data(BlockNumber block) const { return block >= first_data_block() && block < blocks; }
  std::uint32_t numbers_per_index_block() const { return block_bytes / 4; }
  std::uint64_t blocks_for(std::uint64_t bytes) const { return divided_up(bytes, block_bytes); }
  /// The most blocks and bytes that a fork can have.
  std::uint32_t most_blocks_of_fork() const { return index_blocks_of_fork * numbers_per_index_block(); }
  std::uint64_t most_bytes_of_fork() const { return std::uint64_t{most_blocks_of_fork()} * block_bytes; }

 private:
  static constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }
};

/// A fork as it lies on the disk of its subfile.
struct ForkOnDisk {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<BlockNumber> blocks;  ///< its data blocks in order, holes included; 0 is a hole
  bool operator==(const ForkOnDisk&) const = default;
};

using SubfileOnDisk = std::vector<ForkOnDisk>;

struct FileOnDisks {
  std::string name;
  std::uint32_t first_disk = 0;         ///< subfile i lies on disk (first_disk + i) mod disks
  std::vector<SubfileOnDisk> subfiles;  ///< 1 to the number of disks
  bool operator==(const FileOnDisks&) const = default;
};

/// Block 0 of each disk: whether it is one of Galley's disks, which one, and how it is divided.
struct Superblock {
  Form form;
  std::uint32_t disk = 0;   ///< this one
  std::uint32_t disks = 1;  ///< of the file system
  bool operator==(const Superblock&) const = default;
};

/// Writes the superblock over a whole block.
void encode(const Superblock&, std::span<std::byte> block);
/// The superblock in a block; none if magic number, version or checksum are wrong.
std::optional<Superblock> decode_superblock(std::span<const std::byte> block);

/// The number whose bytes begin at `at`, the least significant one first.
template <std::unsigned_integral T>
T read_number(std::span<const std::byte> bytes, std::size_t at) {
  assert(at + sizeof(T) <= bytes.size());
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return static_cast<T>(value);
}

template <std::unsigned_integral T>
void write_number(std::span<std::byte> bytes, std::size_t at, T value) {
  assert(at + sizeof(T) <= bytes.size());
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
}

/// The hash FNV-1a (Fowler, Noll, Vo) of `bytes`, with 32 bits, going on from `start`. It notices every change of a
/// single byte.
inline std::uint32_t fnv1a(std::span<const std::byte> bytes, std::uint32_t start = 0x811c9dc5u) {
  for (const std::byte b : bytes) start = (start ^ std::to_integer<std::uint32_t>(b)) * 0x01000193u;
  return start;
}

/// The checksum of `bytes` without the four at `at`, where it lies itself.
inline std::uint32_t checksum_around(std::span<const std::byte> bytes, std::size_t at) {
  return fnv1a(bytes.subspan(at + 4), fnv1a(bytes.first(at)));
}

}  // namespace sunstar::file_systems::galley
