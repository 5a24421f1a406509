// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "sw/file_systems/enwrich/write_cache.h"
#include "sw/requests/distributions/mapping.h"

namespace sunstar::file_systems::enwrich {

/// A run of a file's bytes whose latest version one cache holds.
struct Extent {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t processor = 0;
  std::uint64_t time_stamp = 0;  ///< of the entry
  bool operator==(const Extent&) const = default;
};

/// Finds the cache with the latest version of each byte in the entries of all directories. The extents are disjoint and
/// in order of file and offset. Where entries overlap, the later time stamp wins; of equal ones, the higher processor.
std::vector<Extent> latest(std::vector<DirectoryEntry> entries);

/// Counts the runs of entries that are already in order of file and offset. They decide how long a natural merge sort
/// takes. A program that writes its part in order leaves one run in each directory.
std::uint64_t sorted_runs(std::span<const DirectoryEntry> entries);

/// What one I/O processor has to write in a flush: the blocks on its disks, each with its pieces. A piece's
/// memory_offset is the time stamp by which its processor finds the entry.
class FlushPlan {
 public:
  struct Block {
    std::uint32_t file;
    std::uint64_t block;
    std::size_t first_piece, pieces;
  };

  /// `mine` says whether a block lies on this node's disks.
  FlushPlan(std::vector<DirectoryEntry> entries, std::uint32_t block_bytes,
            const std::function<bool(std::uint64_t block)>& mine);

  /// The plan's blocks, in order of file and block number.
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Appends the block's pieces in file order; returns the bytes they cover. The block must be in the plan.
  std::uint64_t pieces(std::uint32_t file, std::uint64_t block, std::vector<requests::Piece>& out) const;

 private:
  std::vector<Block> blocks_;
  std::vector<requests::Piece> pieces_;
};

}  // namespace sunstar::file_systems::enwrich
