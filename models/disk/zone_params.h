// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"

// Where a drive's sectors lie: zones, skews, spare and slipped sectors.
namespace sunstar::disk {

/// A run of cylinders with the same number of sectors in each track. Zones follow each other from the outermost
/// cylinder, 0. The drive's Sparing decides whether `spares` and `slipped` count tracks or sectors, and where the
/// spares are.
struct Zone {
  std::uint32_t skipped_cylinders = 0;
  std::uint32_t cylinders = 1962;
  std::uint32_t sectors_per_track = 72;
  std::uint32_t track_skew = 8;
  std::uint32_t cylinder_skew = 18;
  std::uint32_t offset = 0;
  std::uint64_t reserved = 0;
  std::uint32_t spares = 0;
  std::vector<std::uint64_t> slipped;
  bool operator==(const Zone&) const = default;
};
BOOST_DESCRIBE_STRUCT(Zone, (),
                      (skipped_cylinders, cylinders, sectors_per_track, track_skew, cylinder_skew, offset, reserved,
                       spares, slipped))
inline std::vector<Param> parameters(const Zone*) {
  return {
      {"skipped_cylinders", "cylinders between the zone before and this one that hold no data", "0", "1000000"},
      {"cylinders", "cylinders in the zone, including spare ones", "1", "1000000"},
      {"sectors_per_track", "sectors on each track of the zone", "1", "100000"},
      {"track_skew", "sectors by which a track starts later than the track before it in its cylinder", "0", "99999"},
      {"cylinder_skew",
       "sectors by which a cylinder's first track starts later than the last track before it (the whole offset)", "0",
       "99999"},
      {"offset", "sectors from the index mark to the first sector of the zone's first track", "0", "99999"},
      {"reserved", "sectors at the start of the zone that hold no data", "0"},
      {"spares", "spare tracks or sectors of the zone, of each of its ranges, cylinders or tracks: see sparing", "0"},
      {"slipped", "numbers of the tracks or sectors that blocks skip; the zone's first is 0"}};
}

/// Where spares are kept. A slipped sector or track is skipped: the block numbers after it move on by one, up to the
/// spares.
enum class Sparing {
  none,
  tracks_at_zone_end,  ///< whole tracks; slipped tracks use them up
  sectors_at_track_end,
  sectors_at_cylinder_end,
  sectors_at_range_end,  ///< of each spare_range cylinders
  sectors_at_zone_end
};
BOOST_DESCRIBE_ENUM(Sparing, none, tracks_at_zone_end, sectors_at_track_end, sectors_at_cylinder_end,
                    sectors_at_range_end, sectors_at_zone_end)

/// In what order blocks fill the tracks of each cylinder.
enum class Mapping {
  forward,               ///< from the first head to the last in each cylinder
  serpentine,            ///< forth in a zone's first cylinder, back in its second, and so on
  serpentine_over_zones  ///< forth in even cylinders, back in odd ones
};
BOOST_DESCRIBE_ENUM(Mapping, forward, serpentine, serpentine_over_zones)

/// A run of consecutive tracks that hold data, both ends included; tracks outside all regions are spare.
struct DataRegion {
  std::uint32_t first_cylinder = 0;
  std::uint32_t first_track = 0;
  std::uint32_t last_cylinder = 0;
  std::uint32_t last_track = 0;
  bool operator==(const DataRegion&) const = default;
};
BOOST_DESCRIBE_STRUCT(DataRegion, (), (first_cylinder, first_track, last_cylinder, last_track))
inline std::vector<Param> parameters(const DataRegion*) {
  return {{"first_cylinder", "cylinder of the first data track", "0"},
          {"first_track", "head of the first data track", "0"},
          {"last_cylinder", "cylinder of the last data track", "0"},
          {"last_track", "head of the last data track", "0"}};
}

}  // namespace sunstar::disk
