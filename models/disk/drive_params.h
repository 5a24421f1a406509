// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/catalogue.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/quantity.h"

// Everything that makes one type of drive differ from another. The defaults are those of the HP 97560 (Ruemmler and
// Wilkes, IEEE Computer 27(3), 1994; Kotz, Toh and Radhakrishnan, PCS-TR94-220).
namespace sunstar::disk {

/// A run of cylinders with the same number of sectors a track. Zones follow each other from the outermost cylinder, 0.
struct Zone {
  std::uint32_t cylinders = 1962;
  std::uint32_t sectors_per_track = 72;
  std::uint32_t track_skew = 8;
  std::uint32_t cylinder_skew = 18;
  bool operator==(const Zone&) const = default;
};
BOOST_DESCRIBE_STRUCT(Zone, (), (cylinders, sectors_per_track, track_skew, cylinder_skew))
inline std::vector<Param> parameters(const Zone*) {
  return {{"cylinders", "cylinders in the zone, spare ones included", "1", "1000000"},
          {"sectors_per_track", "sectors on each track of the zone", "1", "100000"},
          {"track_skew", "sectors by which a track starts later than the track before it in its cylinder", "0", "99999"},
          {"cylinder_skew", "sectors by which a cylinder's first track starts later than the last track before it (the whole offset)", "0", "99999"}};
}

/// A run of consecutive tracks that hold data; tracks outside all regions are spare. Both ends belong to it.
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

/// Seek time over d cylinders: short_constant + short_root * sqrt(d) up to d = short_limit, long_constant +
/// long_slope * d beyond it. Settling for a read is included.
struct SeekParams {
  Duration short_constant = std::chrono::microseconds{3240};
  Duration short_root = std::chrono::microseconds{400};
  std::uint32_t short_limit = 383;
  Duration long_constant = std::chrono::microseconds{8000};
  Duration long_slope = std::chrono::microseconds{8};
  bool operator==(const SeekParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(SeekParams, (), (short_constant, short_root, short_limit, long_constant, long_slope))
inline std::vector<Param> parameters(const SeekParams*) {
  return {{"short_constant", "short seeks: constant part", "0ms", "1s"},
          {"short_root", "short seeks: part that grows with the square root of the distance in cylinders", "0ms", "1s"},
          {"short_limit", "greatest distance, in cylinders, of a short seek", "0"},
          {"long_constant", "long seeks: constant part", "0ms", "1s"},
          {"long_slope", "long seeks: part a cylinder of distance", "0ms", "1s"}};
}

/// When a write may be reported complete.
enum class ImmediateReporting {
  off,                 ///< when it is on the medium
  empty_only,          ///< when it is in the buffer and all earlier writes are on the medium
  empty_or_sequential  ///< likewise, and at once if it starts where the write before it ended
};
BOOST_DESCRIBE_ENUM(ImmediateReporting, off, empty_only, empty_or_sequential)

/// How far reading goes on by itself after a read.
enum class ReadAhead {
  off,                 ///< not at all
  until_track_end,     ///< to the end of the track on which the read ended
  until_cylinder_end,  ///< to the end of the cylinder on which the read ended
  until_full           ///< until the buffer is full of sectors not sent yet
};
BOOST_DESCRIBE_ENUM(ReadAhead, off, until_track_end, until_cylinder_end, until_full)

/// What ends read-ahead before that.
enum class ReadAheadAbandoned {
  on_new_command,      ///< the arrival of any command; a hit starts it again when its data has been sent
  on_mechanism_needed  ///< a write, or a read that is neither in the buffer nor on its way, once it is decoded
};
BOOST_DESCRIBE_ENUM(ReadAheadAbandoned, on_new_command, on_mechanism_needed)

/// Whether the sector under the head is finished when read-ahead is abandoned.
enum class ReadAheadStop { immediately, after_sector };
BOOST_DESCRIBE_ENUM(ReadAheadStop, immediately, after_sector)

/// When the arm starts towards the place of a write.
enum class WriteSeek {
  at_command,  ///< once the command is decoded and earlier writes are on the medium: seek and data-out overlap
  after_data   ///< not before the data is in the buffer, too
};
BOOST_DESCRIBE_ENUM(WriteSeek, at_command, after_data)

struct DriveParams {
  std::string name = "HP 97560";
  std::uint32_t heads = 19;
  Bytes sector_size{512};
  double rpm = 4002;
  std::vector<Zone> zones{Zone{}};
  std::vector<DataRegion> regions{{1, 4, 646, 3}, {654, 0, 1298, 18}, {1308, 0, 1952, 18}};
  SeekParams seek;
  Duration head_switch = std::chrono::microseconds{1600};
  Duration write_settle{0};
  Duration read_overhead = std::chrono::microseconds{2200};
  Duration write_overhead = std::chrono::microseconds{2200};
  Bytes buffer_size{128 << 10};
  Bytes read_fence{64 << 10};
  Bytes write_fence{64 << 10};
  Bytes write_buffer{64 << 10};
  ImmediateReporting immediate_reporting = ImmediateReporting::empty_or_sequential;
  ReadAhead read_ahead = ReadAhead::until_full;
  ReadAheadAbandoned read_ahead_abandoned = ReadAheadAbandoned::on_mechanism_needed;
  ReadAheadStop read_ahead_stop = ReadAheadStop::immediately;
  std::uint32_t stream_window = 0;
  bool reuse_sent_data = true;
  WriteSeek write_seek = WriteSeek::at_command;
  bool operator==(const DriveParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(DriveParams, (),
                      (name, heads, sector_size, rpm, zones, regions, seek, head_switch, write_settle, read_overhead,
                       write_overhead, buffer_size, read_fence, write_fence, write_buffer, immediate_reporting,
                       read_ahead, read_ahead_abandoned, read_ahead_stop, stream_window, reuse_sent_data, write_seek))
inline std::vector<Param> parameters(const DriveParams*) {
  return {{"name", "maker's name of the drive"},
          {"heads", "tracks a cylinder", "1", "1000"},
          {"sector_size", "bytes a sector", "1B", "64KiB"},
          {"rpm", "revolutions a minute", "1", "1000000"},
          {"zones", "zones from the outermost cylinder inwards"},
          {"regions", "runs of tracks that hold data, in the order of their block numbers; none: all tracks do"},
          {"seek", "seek time as a function of the distance"},
          {"head_switch", "time to change to another head of the same cylinder", "0ms", "1s"},
          {"write_settle", "time added to a seek or head switch before a write", "0ms", "1s"},
          {"read_overhead", "controller time from the command to the start of a read", "0ms", "1s"},
          {"write_overhead", "controller time from the command to the start of a write", "0ms", "1s"},
          {"buffer_size", "on-board buffer", "512B", "1GiB"},
          {"read_fence", "most data in the buffer before a read goes on the bus", "512B", "1GiB"},
          {"write_fence", "most data that a write asks for at once", "512B", "1GiB"},
          {"write_buffer", "part of the buffer that writes not yet on the medium may fill", "512B", "1GiB"},
          {"immediate_reporting", "when a write may be reported complete"},
          {"read_ahead", "how far reading goes on by itself after a read"},
          {"read_ahead_abandoned", "what ends read-ahead early"},
          {"read_ahead_stop", "whether the sector under the head is finished when read-ahead is abandoned"},
          {"stream_window", "sectors by which a read may lie ahead of read-ahead and still wait for it instead of seeking", "0"},
          {"reuse_sent_data", "whether sectors already sent to the host stay usable until others take their room"},
          {"write_seek", "when the arm starts towards the place of a write"}};
}

/// The rules across members: zones that are not empty, skews within a track, regions inside the zones, in order and
/// disjoint, fences and write buffer within the buffer. Also repeats the ranges, for parameters not read from a file.
void check(const DriveParams& params, const std::string& path, Problems& problems);
/// Throws a ConfigError with all of them, under the path "disk".
void validate(const DriveParams& params);

}  // namespace sunstar::disk

template <>
struct sunstar::catalogue_of<sunstar::disk::DriveParams> {
  static constexpr std::string_view noun = "drive";
};
