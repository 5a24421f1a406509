// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/problems.h"
#include "models/disk/overhead_params.h"
#include "models/disk/seek_curve.h"

// The places of a drive's sectors: zones, skews, spare and slipped sectors. The choices of a drive's on-board buffer,
// and their names.
namespace sunstar::disk {

/// A run of cylinders with the same number of sectors in each track. Zones follow each other from the outermost
/// cylinder, 0. The drive's Sparing decides whether `spares` and `slipped` count tracks or sectors, and the place of
/// the spares.
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
      {"skipped_cylinders", "cylinders without data between the previous zone and this one", "0", "1000000"},
      {"cylinders", "cylinders in the zone, including spare ones", "1", "1000000"},
      {"sectors_per_track", "sectors on each track of the zone", "1", "100000"},
      {"track_skew", "sectors by which a track starts later than the previous track of its cylinder", "0", "99999"},
      {"cylinder_skew",
       "sectors by which a cylinder's first track starts later than the previous cylinder's last track (the whole "
       "offset)",
       "0", "99999"},
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
  sectors_at_range_end,  ///< at the end of every spare_range cylinders
  sectors_at_zone_end
};
BOOST_DESCRIBE_ENUM(Sparing, none, tracks_at_zone_end, sectors_at_track_end, sectors_at_cylinder_end,
                    sectors_at_range_end, sectors_at_zone_end)

/// The order in which blocks fill the tracks of each cylinder.
BOOST_DEFINE_ENUM_CLASS(Mapping,
                        forward,               ///< from the first head to the last in each cylinder
                        serpentine,            ///< forth in a zone's first cylinder, back in its second, and so on
                        serpentine_over_zones  ///< forth in even cylinders, back in odd ones
)

/// When the drive may report a write complete.
BOOST_DEFINE_ENUM_CLASS(
    ImmediateReporting,
    off,                  ///< when it is on the medium
    empty_only,           ///< when it is in the buffer and all earlier writes are on the medium
    empty_or_sequential,  ///< likewise; or when it is in the buffer, if it starts where the previous write ended
    always                ///< when it is in the buffer
)

/// The extent of read-ahead after a read.
BOOST_DEFINE_ENUM_CLASS(
    ReadAhead,
    off,                   ///< not at all
    until_track_end,       ///< to the end of the track on which the read ended
    until_next_track_end,  ///< to the end of the next block's track, and of the track after it if the reads that it
                           ///< continues began on an earlier track: it stays ahead of a sequential stream
    until_cylinder_end,    ///< to the end of the cylinder on which the read ended
    until_full             ///< until the segment is full of sectors not sent yet
)

/// The reads after which the drive reads ahead.
enum class ReadAheadAfter {
  any_read,
  sequential_read  ///< a read that continues an earlier read whose blocks are still in the buffer
};
BOOST_DESCRIBE_ENUM(ReadAheadAfter, any_read, sequential_read)

/// The event that ends read-ahead early.
BOOST_DEFINE_ENUM_CLASS(
    ReadAheadAbandoned,
    on_new_command,      ///< the arrival of any command; read-ahead starts again when the data of a hit has been sent
    on_mechanism_needed  ///< a write, or a read that is neither in the buffer nor on its way, once it is decoded
)

/// Whether the drive finishes the sector under the head when it abandons read-ahead.
BOOST_DEFINE_ENUM_CLASS(ReadAheadStop, immediately, after_sector)

/// When the arm starts to move for a write.
BOOST_DEFINE_ENUM_CLASS(
    WriteSeek,
    at_command,  ///< once the command is decoded and earlier writes are on the medium: seek and data-out overlap
    after_data   ///< likewise, but not before the data is in the buffer
)

/// All parameters of a type of drive. The defaults describe the HP 97560 (Ruemmler and Wilkes, IEEE Computer 27(3),
/// 1994; Kotz, Toh and Radhakrishnan, PCS-TR94-220).
struct DriveParams {
  std::string name = "HP 97560";
  std::string source =
      "Ruemmler and Wilkes 1994; Kotz, Toh and Radhakrishnan 1994; docs/models/disk.md says what they leave open";
  std::uint32_t heads = 19;
  Bytes sector_size{512};
  double rpm = 4002;
  /// Three zones of 12,255 tracks of data each: the first cylinder and four tracks hold none.
  std::vector<Zone> zones{{0, 654, 72, 8, 18, 0, 23 * 72, 148, {}},
                          {0, 654, 72, 8, 18, 36, 0, 171, {}},
                          {0, 654, 72, 8, 18, 0, 0, 171, {}}};
  Duration track_skew_time{0};
  Duration cylinder_skew_time{0};
  Mapping mapping = Mapping::forward;
  Sparing sparing = Sparing::tracks_at_zone_end;
  std::uint32_t spare_range = 1;
  bool slipped_use_spares = true;
  std::uint64_t sectors = 0;
  SeekParams seek;
  Duration head_switch = std::chrono::microseconds{1600};
  Duration read_settle{0};
  Duration write_settle{0};
  OverheadParams overheads;
  InterfaceParams interface;
  RigParams rig;
  Bytes buffer_size{128 << 10};
  std::uint32_t segments = 1;
  std::uint32_t write_segments = 1;
  bool separate_write_segment = false;
  Bytes read_fence{64 << 10};
  double read_watermark = 1;
  Bytes write_fence{64 << 10};
  double write_watermark = 1;
  Bytes write_buffer{64 << 10};
  ImmediateReporting immediate_reporting = ImmediateReporting::empty_or_sequential;
  ReadAhead read_ahead = ReadAhead::until_full;
  ReadAheadAfter read_ahead_after = ReadAheadAfter::any_read;
  std::uint32_t least_read_ahead = 0;
  std::uint32_t most_read_ahead = 0;
  bool read_ahead_after_hit = true;
  bool read_ahead_over_request = true;
  ReadAheadAbandoned read_ahead_abandoned = ReadAheadAbandoned::on_mechanism_needed;
  ReadAheadStop read_ahead_stop = ReadAheadStop::immediately;
  bool read_before_request = false;
  std::uint32_t stream_window = 0;
  bool reuse_sent_data = true;
  bool reuse_written_data = false;
  WriteSeek write_seek = WriteSeek::at_command;
  bool operator==(const DriveParams&) const = default;

  /// Least time that this many sectors take from the drive to the host, or back: interface and rig.
  Duration crossing(bool write, std::uint32_t sectors_moved) const {
    const Duration by_rig = (write ? rig.write_sector : rig.read_sector) * sectors_moved;
    if (interface.data_rate.bytes_per_second <= 0) return by_rig;
    return std::max(by_rig, interface.data_rate.time_for(sectors_moved * sector_size.count));
  }
  /// The drive in a machine, or alone: without the rig where the rig does not count.
  DriveParams placed(RigCounts where) const {
    DriveParams p = *this;
    if (p.rig.counts != RigCounts::everywhere && p.rig.counts != where)
      p.rig.read_sector = p.rig.write_sector = Duration::zero();
    return p;
  }
};
BOOST_DESCRIBE_STRUCT(DriveParams, (),
                      (name, source, heads, sector_size, rpm, zones, track_skew_time, cylinder_skew_time, mapping,
                       sparing, spare_range, slipped_use_spares, sectors, seek, head_switch, read_settle, write_settle,
                       overheads, interface, rig, buffer_size, segments, write_segments, separate_write_segment,
                       read_fence, read_watermark, write_fence, write_watermark, write_buffer, immediate_reporting,
                       read_ahead, read_ahead_after, least_read_ahead, most_read_ahead, read_ahead_after_hit,
                       read_ahead_over_request, read_ahead_abandoned, read_ahead_stop, read_before_request,
                       stream_window, reuse_sent_data, reuse_written_data, write_seek))
inline std::vector<Param> parameters(const DriveParams*) {
  return {
      {"name", "maker's name of the drive", Tuning::fixed},
      {"source", "the sources of the figures, and which figures are inferred", Tuning::fixed},
      {"heads", "number of heads, and so of tracks in a cylinder", "1", "1000"},
      {"sector_size", "bytes in a sector", "1B", "64KiB"},
      {"rpm", "revolutions a minute", "1", "1000000"},
      {"zones", "zones, from the outermost cylinder inwards"},
      {"track_skew_time",
       "time by which a track starts later than the previous track, rounded up to sectors; 0: the zones' track_skew in "
       "sectors, which take less time the faster the spindle turns",
       "0ms", "1s"},
      {"cylinder_skew_time", "the same for the first track of a cylinder; 0: the zones' cylinder_skew", "0ms", "1s"},
      {"mapping", "the order in which blocks fill the tracks of cylinders"},
      {"sparing", "where spare tracks or sectors are kept"},
      {"spare_range", "cylinders that share their spares, for sectors-at-range-end", "1", "1000000"},
      {"slipped_use_spares", "whether slipped sectors use up spares instead of reducing the room for data"},
      {"sectors", "sectors the drive offers; 0: all sectors of its zones", "0"},
      {"seek", "seek time as a function of the distance", faster_seeks},
      {"head_switch", "time to change to another head of the same cylinder", "0ms", "1s", faster_seeks},
      {"read_settle", "part of a seek or head switch in which the heads settle for a read; a write does without it",
       "0ms", "1s", faster_seeks},
      {"write_settle", "time added to a seek or head switch before a write", "0ms", "1s", faster_seeks},
      {"overheads", "controller times", faster_controllers},
      {"interface", "the drive's own interface"},
      {"rig", "the rig on which the drive was measured, to reproduce its response times", Tuning::fixed},
      {"buffer_size", "size of the on-board buffer, all segments together", "512B", "1GiB"},
      {"segments", "number of equal parts into which the buffer is divided", "1", "1024", Tuning::setting},
      {"write_segments", "greatest number of segments that may hold written data", "1", "1024", Tuning::setting},
      {"separate_write_segment", "whether one segment is kept for writes"},
      {"read_fence", "largest burst that a read sends over the bus", "512B", "1GiB", Tuning::setting},
      {"read_watermark",
       "share of a burst that must be in the buffer before it goes on the bus; the rest follows as the heads get to it",
       "0", "1", Tuning::setting},
      {"write_fence", "largest burst of data that a write asks for at once", "512B", "1GiB", Tuning::setting},
      {"write_watermark", "share of a burst that must be in the buffer before the heads may write it", "0", "1",
       Tuning::setting},
      {"write_buffer", "part of the buffer for writes not yet on the medium", "512B", "1GiB"},
      {"immediate_reporting", "when the drive may report a write complete", Tuning::setting},
      {"read_ahead", "the extent of read-ahead after a read", Tuning::setting},
      {"read_ahead_after", "the reads after which the drive reads ahead", Tuning::setting},
      {"least_read_ahead", "least number of sectors that the drive reads ahead", "0"},
      {"most_read_ahead", "greatest number of sectors that the drive reads ahead; 0: only the segment limits it", "0"},
      {"read_ahead_after_hit", "whether read-ahead goes on after a read found in the buffer"},
      {"read_ahead_over_request", "whether read-ahead may overwrite the data of the previous request"},
      {"read_ahead_abandoned", "the event that ends read-ahead early"},
      {"read_ahead_stop", "whether the drive finishes the sector under the head when it abandons read-ahead"},
      {"read_before_request", "whether the drive keeps sectors that pass while a read waits for its first one"},
      {"stream_window",
       "greatest number of sectors by which a read may lie ahead of read-ahead and still wait for it instead of "
       "seeking",
       "0"},
      {"reuse_sent_data", "whether sectors already sent to the host can serve reads until others take their room"},
      {"reuse_written_data", "whether written data in the buffer can serve reads"},
      {"write_seek", "when the arm starts to move for a write"}};
}

/// The rules across members, and the ranges again, for parameters not read from a file.
void check(const DriveParams& params, const std::string& path, Problems& problems);
/// The same drive with its skews in sectors: the zones' track_skew and cylinder_skew hold.
DriveParams with_skews_in_sectors(DriveParams params);
/// Warnings, without full stops: about a drive with its own tracks but the HP 97560's seeks or controller times, and
/// about skews that do not cover their head switch or seek, so that a read that crosses from one track to the next
/// loses a revolution.
std::vector<std::string> drive_warnings(const DriveParams& drive);
/// Doubles the speed of rotation. If half of the shortest skew would not cover a head switch, the skew keeps its length
/// in time: otherwise reads would miss the next track's first sector and lose a revolution.
const Speedup& speed_up(DriveParams& drive);

}  // namespace sunstar::disk

template <>
struct sunstar::catalogue_of<sunstar::disk::DriveParams> {
  static constexpr std::string_view noun = "drive", folder = "models/disk/drives";
};
