// SPDX-License-Identifier: MIT
#pragma once
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/random.h"

namespace sunstar::io {

/// A disk as layout policies see it.
struct DiskShape {
  std::uint64_t sectors = 0;  ///< user capacity
  std::uint32_t sector_bytes = 512;
  std::uint32_t sectors_per_track = 72;  ///< in the outermost zone, for layouts that place whole tracks
};

/// The places of a file's blocks on one disk: the first sector (logical block number) of each. Blocks at equal
/// distances take no memory, other blocks four bytes each.
class BlockAddresses {
 public:
  /// `blocks` blocks, `step` sectors from one to the next.
  static BlockAddresses evenly(std::uint64_t first, std::uint64_t step, std::uint64_t blocks) {
    BlockAddresses addresses;
    addresses.first_ = first, addresses.step_ = step, addresses.size_ = blocks;
    return addresses;
  }

  /// Throws ConfigError if blocks at uneven distances lie too far up the disk: 2^32 of their greatest common distance.
  void push_back(std::uint64_t sector);
  std::uint64_t operator[](std::uint64_t block) const {
    return even() ? first_ + block * step_ : std::uint64_t{steps_[block]} * step_;
  }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Whether all blocks lie at equal distances.
  bool even() const { return steps_.empty(); }

 private:
  std::uint64_t first_ = 0, step_ = 1, size_ = 0;
  std::vector<std::uint32_t> steps_;  // if they are uneven: each sector, divided by step_
};

/// The sectors of one disk that files occupy. All files of a run share one object for each disk, so that no two files
/// overlap.
class DiskSpace {
 public:
  /// Throws ConfigError if the disk or a track would have no sectors, or a sector no bytes. Error messages call the
  /// disk `name`.
  explicit DiskSpace(DiskShape shape, std::string name = "disk");

  const DiskShape& shape() const { return shape_; }
  const std::string& name() const { return name_; }
  std::uint64_t free_sectors() const { return shape_.sectors - boost::icl::cardinality(taken_); }
  /// Whether [first, first + count) lies on the disk and no sector of it is taken.
  bool is_free(std::uint64_t first, std::uint64_t count) const;
  /// Marks a range that is_free() as taken.
  void take(std::uint64_t first, std::uint64_t count);
  /// The lowest free run of `count` sectors that begins at or after `from` at a multiple of `align` sectors above
  /// `from`; the disk's number of sectors if there is none.
  std::uint64_t find(std::uint64_t from, std::uint64_t count, std::uint64_t align = 1) const;

 private:
  DiskShape shape_;
  std::string name_;
  boost::icl::interval_set<std::uint64_t> taken_;
};

/// The part of one file to be placed on one disk.
struct LayoutRequest {
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 8192;  ///< a whole number of sectors
  std::uint64_t start = 0;           ///< contiguous: the first sector to try
  std::string file = "file";         ///< for error messages
};

/// A policy that places a file's blocks on a disk. The configuration chooses it by name. Each policy has its own file
/// under layouts/ and a line in layouts/list.h.
struct LayoutPolicy {
  std::string_view name;
  std::string_view help;  ///< one line
  BlockAddresses (*place)(const LayoutRequest&, DiskSpace&, RandomStream&);
};

/// All policies, in the order of their list.
const std::vector<LayoutPolicy>& layout_policies();
std::vector<std::string> layout_names();

/// The policy of that name; throws a ConfigError that lists all names if there is none.
const LayoutPolicy& layout_policy(std::string_view name);

/// Places `request.blocks` blocks by the policy and takes their sectors. Throws ConfigError if the block is not a whole
/// number of sectors or the file does not fit.
BlockAddresses place_blocks(const LayoutPolicy& policy, const LayoutRequest& request, DiskSpace& space,
                            RandomStream& random);

}  // namespace sunstar::io
