// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sw/io/store/store.h"

namespace sunstar::io {

/// The striping of a file: its blocks go round its objects, which lie on consecutive units from `first` on, several on
/// a unit if there are more objects than units. Most file systems have one object on each unit.
struct Stripes {
  std::uint32_t first = 0, objects = 1;
  std::uint32_t units = 1;  ///< of the store
  std::uint32_t step = 1;   ///< the file lies on every step-th unit; the number of units is a multiple

  std::uint32_t unit_of(std::uint64_t block) const {
    return static_cast<std::uint32_t>((first + block % objects * step) % units);
  }
  /// The block's index among the file's blocks on its unit.
  std::uint64_t index(std::uint64_t block) const {
    return block / objects * objects_on(unit_of(block)) + block % objects / round();
  }
  /// The inverse.
  std::uint64_t block(std::uint32_t unit, std::uint64_t index) const {
    const std::uint64_t here = objects_on(unit);
    return index / here * objects + first_on(unit) + index % here * round();
  }
  /// The file's next block on the same unit.
  std::uint64_t next(std::uint64_t at) const { return block(unit_of(at), index(at) + 1); }
  /// The number of the file's `all` blocks that lie on the unit.
  std::uint64_t blocks_on(std::uint32_t unit, std::uint64_t all) const {
    return all / objects * objects_on(unit) + below(unit, all % objects);
  }

 private:
  std::uint32_t round() const { return units / step; }  // objects on different units
  std::uint64_t first_on(std::uint32_t unit) const { return (unit / step + round() - first / step) % round(); }
  std::uint64_t objects_on(std::uint32_t unit) const { return below(unit, objects); }
  std::uint64_t below(std::uint32_t unit, std::uint64_t object) const {
    if (unit % step != first % step || object <= first_on(unit)) return 0;
    return (object - first_on(unit) - 1) / round() + 1;
  }
};

struct StoredFile {
  std::uint64_t bytes = 0;
  std::vector<BlockAddresses> on_unit;  ///< by unit: first sector of each of the file's blocks there
  std::optional<Stripes> stripes{};     ///< unless it has one object on each unit
};

/// The places of files' blocks on a store: every file goes block by block round the units, unless it is striped
/// otherwise. Functions without a file are for files that are not.
class Volume {
 public:
  Volume(const Store& store, std::uint32_t block_bytes)
      : units_(store.units()),
        sector_bytes_(store.sector_bytes()),
        block_bytes_(block_bytes),
        sectors_per_block_(block_bytes / sector_bytes_) {}

  void add(StoredFile file) { files_.push_back(std::move(file)); }

  std::uint32_t block_bytes() const { return block_bytes_; }
  std::uint32_t sector_bytes() const { return sector_bytes_; }
  std::uint32_t sectors_per_block() const { return sectors_per_block_; }

  /// This many consecutive blocks lie on different units.
  std::uint32_t units() const { return static_cast<std::uint32_t>(units_.size()); }
  const Place& place(std::uint32_t unit) const { return units_[unit]; }
  std::uint32_t unit_of(std::uint64_t block) const { return static_cast<std::uint32_t>(block % units_.size()); }
  std::uint64_t first_on(std::uint32_t unit) const { return unit; }
  /// The file's next block on the same unit.
  std::uint64_t next_on_unit(std::uint64_t block) const { return block + units_.size(); }
  const Place& place_of(std::uint64_t block) const { return units_[unit_of(block)]; }
  std::uint32_t server_of(std::uint64_t block) const { return place_of(block).io_processor; }
  /// The block's first sector on its unit: the order in which a unit prefers to transfer blocks.
  std::uint64_t sector_of(std::uint32_t file, std::uint64_t block) const {
    if (const auto& stripes = files_[file].stripes)
      return files_[file].on_unit[stripes->unit_of(block)][stripes->index(block)];
    return files_[file].on_unit[unit_of(block)][block / units_.size()];
  }
  bool striped_otherwise(std::uint32_t file) const { return files_[file].stripes.has_value(); }
  Stripes stripes(std::uint32_t file) const { return files_[file].stripes.value_or(Stripes{0, units(), units()}); }
  std::uint32_t unit_of(std::uint32_t file, std::uint64_t block) const {
    return files_[file].stripes ? files_[file].stripes->unit_of(block) : unit_of(block);
  }
  const Place& place_of(std::uint32_t file, std::uint64_t block) const { return units_[unit_of(file, block)]; }
  /// The same for all of the file's blocks on the unit, in order.
  const BlockAddresses& sectors_on(std::uint32_t unit, std::uint32_t file) const { return files_[file].on_unit[unit]; }
  /// Aims the request at the whole block, or at `bytes` of it from the beginning of a sector, `from`.
  void aim(DiskRequest& request, std::uint32_t file, std::uint64_t block) const {
    aim(request, file, block, 0, block_bytes_);
  }
  void aim(DiskRequest& request, std::uint32_t file, std::uint64_t block, std::uint32_t from,
           std::uint32_t bytes) const {
    request.unit = place_of(file, block).unit;
    request.sector = sector_of(file, block) + from / sector_bytes_;
    request.sectors = (bytes + sector_bytes_ - 1) / sector_bytes_;
  }

  std::size_t file_count() const { return files_.size(); }
  std::uint64_t file_bytes(std::uint32_t file) const { return files_[file].bytes; }
  std::uint64_t blocks(std::uint32_t file) const { return blocks_in(files_[file].bytes); }
  /// Bytes of the file in a block; the last block may be short.
  std::uint32_t bytes_in_block(std::uint32_t file, std::uint64_t block) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(block_bytes_, files_[file].bytes - block * block_bytes_));
  }

  /// Blocks of a file of `bytes`, and how many of them lie on `unit`.
  std::uint64_t blocks_in(std::uint64_t bytes) const { return bytes / block_bytes_ + (bytes % block_bytes_ != 0); }
  std::uint64_t blocks_on(std::uint32_t unit, std::uint64_t bytes) const {
    const std::uint64_t all = blocks_in(bytes);
    return all / units_.size() + (unit < all % units_.size() ? 1 : 0);
  }

 private:
  const std::vector<Place> units_;
  const std::uint32_t sector_bytes_, block_bytes_, sectors_per_block_;
  std::vector<StoredFile> files_;
};

/// The blocks of a file divided among n processors: the k-th has a contiguous part, or every n-th block.
struct Shares {
  std::uint64_t blocks = 0, n = 1;
  bool cyclic = false;

  std::uint64_t begin(std::uint64_t k) const { return cyclic ? k : blocks * k / n; }
  /// One past the last block, or some block behind it.
  std::uint64_t end(std::uint64_t k) const { return cyclic ? blocks : blocks * (k + 1) / n; }
  /// From one block of a share to the next.
  std::uint64_t step() const { return cyclic ? n : 1; }
  /// The owner of the block's share: the inverse.
  std::uint64_t owner(std::uint64_t block) const { return cyclic ? block % n : ((block + 1) * n - 1) / blocks; }
};

}  // namespace sunstar::io
