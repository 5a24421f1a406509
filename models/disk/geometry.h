// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/disk/drive_params.h"

// Where the sectors lie: logical block number <-> cylinder, head and sector, and the place of a sector on its track.
namespace sunstar::disk {

/// Logical block number: a sector as the host counts them.
using Lbn = std::uint64_t;

/// A track, by cylinder and head.
struct Track {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  bool operator==(const Track&) const = default;
};

/// A sector: its track and its number on it, counted from the track's first sector.
struct Address {
  Track track;
  std::uint32_t sector = 0;
  bool operator==(const Address&) const = default;
};

/// The map of one type of drive. Blocks fill the tracks of a cylinder from head 0 on, then the next cylinder, inside
/// the data regions only (track sparing as on the HP 97560: spare tracks between regions of consecutive data tracks).
/// A track's first sector lies track_skew sectors after that of the track before it in its cylinder, cylinder_skew
/// after it if it is the first track of its cylinder; in each zone the count starts anew at the index mark.
class Geometry {
 public:
  /// A run of consecutive data tracks inside one zone.
  struct Extent {
    Lbn first = 0;                  ///< block number of its first sector
    std::uint64_t sectors = 0;
    std::uint64_t first_track = 0;  ///< cylinder * heads + head
    std::uint32_t zone = 0;
    Lbn end() const { return first + sectors; }
  };

  /// The parameters must have passed validate().
  explicit Geometry(const DriveParams& params);

  std::uint64_t sectors() const { return sectors_; }
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t heads() const { return heads_; }
  const std::vector<Extent>& extents() const { return extents_; }
  const Zone& zone(std::uint32_t index) const { return zones_[index]; }

  /// The extent of a block, as an index into extents(). lbn < sectors().
  std::size_t extent_of(Lbn lbn) const;
  /// The place of a block. lbn < sectors().
  Address address(Lbn lbn) const;
  /// The block at a place; none on a spare track or beyond the drive.
  std::optional<Lbn> lbn(const Address& address) const;
  /// First block after `lbn` that is not on its track / in its cylinder.
  Lbn track_end(Lbn lbn) const;
  Lbn cylinder_end(Lbn lbn) const;
  /// Slots (sector widths) from the index mark to the start of sector 0 of a track, 0 <= slot < sectors_per_track.
  std::uint32_t first_slot(std::uint64_t track, std::uint32_t zone) const;

 private:
  std::uint32_t heads_;
  std::uint32_t cylinders_ = 0;
  std::uint64_t sectors_ = 0;
  std::vector<Zone> zones_;
  std::vector<std::uint32_t> zone_start_;
  std::vector<Extent> extents_;
};

}  // namespace sunstar::disk
