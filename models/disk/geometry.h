// SPDX-License-Identifier: MIT
#pragma once
#include "models/disk/drive_params.h"

// The places of sectors: the cylinder, head and sector of each logical block, and the sector's place on its track.
namespace sunstar::disk {

/// Logical block number: a sector as the host counts them.
using Lbn = std::uint64_t;

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

/// The map of one type of drive. Blocks fill one cylinder's tracks after another's, in the order of Mapping; they leave
/// out reserved, spare and slipped sectors. Tracks are numbered in that order, from 0 in cylinder 0. A track's first
/// sector lies track_skew sectors after the previous track's first sector, or cylinder_skew sectors if the track is the
/// first of its cylinder; in each zone the count starts anew at the zone's offset.
class Geometry {
 public:
  /// A run of blocks that lie one behind the other inside one zone, with `row` sectors on each track. It may begin and
  /// end in the middle of a track.
  struct Extent {
    Lbn first = 0;  ///< block number of its first sector
    std::uint64_t sectors = 0;
    std::uint64_t first_track = 0;   ///< track of its first sector
    std::uint32_t first_sector = 0;  ///< its first sector's number on that track
    std::uint32_t zone = 0;
    std::uint32_t row = 0;  ///< sectors of a track that hold data
    Lbn end() const { return first + sectors; }
    /// Sectors from the start of first_track to block `lbn`.
    std::uint64_t position(Lbn lbn) const { return first_sector + (lbn - first); }
    std::uint64_t track(Lbn lbn) const { return first_track + position(lbn) / row; }
  };

  /// The parameters must have passed check().
  explicit Geometry(const DriveParams& params);

  std::uint64_t sectors() const { return sectors_; }
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t heads() const { return heads_; }
  const std::vector<Extent>& extents() const { return extents_; }
  const Zone& zone(std::uint32_t index) const { return zones_[index]; }

  /// The extent of a block, as an index into extents(). lbn < sectors().
  std::size_t extent_of(Lbn lbn) const;
  /// The place of a block. lbn < sectors().
  Address address(Lbn lbn) const { return address(extents_[extent_of(lbn)], lbn); }
  Address address(const Extent& extent, Lbn lbn) const;
  Track track(std::uint64_t number, std::uint32_t zone) const;
  /// First block of the track of `lbn`; first block after `lbn` that is not on its track; first block after it that is
  /// not in its cylinder.
  Lbn track_begin(Lbn lbn) const;
  Lbn track_end(Lbn lbn) const;
  Lbn cylinder_end(Lbn lbn) const;
  /// Slots (sector widths) from the index mark to the start of sector 0 of a track, 0 <= slot < sectors_per_track.
  std::uint32_t first_slot(std::uint64_t track, std::uint32_t zone) const;

 private:
  void add_zone(const DriveParams& params, std::uint32_t zone);
  void index();
  void add(std::uint32_t zone, std::uint32_t row, std::uint64_t from, std::uint64_t to);
  bool backward(std::uint32_t cylinder, std::uint32_t zone) const {
    return mapping_ == Mapping::serpentine ? (cylinder - zone_start_[zone]) % 2 == 1
                                           : mapping_ == Mapping::serpentine_over_zones && cylinder % 2 == 1;
  }

  std::uint32_t heads_;
  Mapping mapping_;
  std::uint32_t cylinders_ = 0;
  std::uint64_t sectors_ = 0;
  std::vector<Zone> zones_;
  std::vector<std::uint32_t> zone_start_;
  std::vector<Extent> extents_;
  std::uint32_t shift_ = 0;            // blocks with the same number >> shift_ are neighbours
  std::vector<std::uint32_t> nearby_;  // the extent of the first of these neighbours
};

}  // namespace sunstar::disk
