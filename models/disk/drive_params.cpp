// SPDX-License-Identifier: MIT
#include "models/disk/drive_params.h"

#include <sstream>

#include "models/disk/geometry.h"

namespace sunstar::disk {
namespace {

/// The errors in one drive's parameters, each at its key.
class Checker {
 public:
  Checker(const DriveParams& p, const std::string& path, Problems& problems)
      : p_(p), path_(path), problems_(problems) {}

  void whole() {
    const std::size_t before = problems_.count();
    if (p_.heads == 0) fault("heads", "is 0; a drive has at least one head");
    if (!(p_.rpm >= 1 && p_.rpm <= 1e6)) fault("rpm", "is ", p_.rpm, "; it must lie between 1 and 1000000");
    if (p_.sector_size.count == 0) fault("sector_size", "is 0; it must be at least 1B");
    if (p_.zones.empty()) fault("zones", "is empty; a drive has at least one zone");
    for (std::size_t i = 0; i < p_.zones.size(); ++i) zone(p_.zones[i], "zones." + std::to_string(i));
    seek();
    check_not_negative(p_, path_, problems_);
    buffer();
    if (problems_.count() > before || p_.sectors == 0) return;
    DriveParams all = p_;
    all.sectors = 0;
    if (const auto held = Geometry(all).sectors(); p_.sectors > held)
      fault("sectors", "is ", p_.sectors, "; the zones hold ", held);
  }

 private:
  template <class... What>
  void fault(const std::string& key, const What&... what) {
    problems_.add(json_path(path_, key), what...);
  }

  void zone(const Zone& z, const std::string& key) {
    if (z.cylinders == 0) fault(key + ".cylinders", "is 0; a zone has at least one cylinder");
    if (z.sectors_per_track == 0) return fault(key + ".sectors_per_track", "is 0; a track has at least one sector");
    for (auto [name, value] :
         {std::pair{"track_skew", z.track_skew}, {"cylinder_skew", z.cylinder_skew}, {"offset", z.offset}})
      if (value >= z.sectors_per_track)
        fault(key + "." + name, "is ", value, "; it must be less than the ", z.sectors_per_track,
              " sectors of a track");
    if (z.cylinders == 0 || p_.heads == 0) return;
    const std::uint64_t tracks = std::uint64_t{z.cylinders} * p_.heads, sectors = tracks * z.sectors_per_track;
    const std::uint64_t cylinder = std::uint64_t{p_.heads} * z.sectors_per_track;
    const auto [unit, what] = [&]() -> std::pair<std::uint64_t, std::string> {
      switch (p_.sparing) {
        case Sparing::none: return {1, "drive without sparing"};
        case Sparing::tracks_at_zone_end: return {tracks, "zone"};
        case Sparing::sectors_at_track_end: return {z.sectors_per_track, "track"};
        case Sparing::sectors_at_cylinder_end: return {cylinder, "cylinder"};
        case Sparing::sectors_at_range_end: return {cylinder * std::min(p_.spare_range, z.cylinders), "range"};
        case Sparing::sectors_at_zone_end: return {sectors, "zone"};
      }
      return {1, ""};
    }();
    const bool in_tracks = p_.sparing == Sparing::tracks_at_zone_end;
    if (z.spares >= unit)
      fault(key + ".spares", "is ", z.spares, "; a ", what, " has room for ", unit - 1,
            in_tracks ? " spare tracks" : " spare sectors");
    if (z.reserved >= sectors) fault(key + ".reserved", "is ", z.reserved, "; the zone has ", sectors, " sectors");
    if (in_tracks && z.reserved % z.sectors_per_track != 0)
      fault(key + ".reserved", "is ", z.reserved, "; where tracks are spared it must be whole tracks of ",
            z.sectors_per_track, " sectors");
    for (std::uint64_t s : z.slipped)
      if (s >= (in_tracks ? tracks : sectors)) {
        fault(key + ".slipped", "holds ", s, "; the zone has ", in_tracks ? tracks : sectors,
              in_tracks ? " tracks" : " sectors");
        break;
      }
    if (p_.sparing == Sparing::sectors_at_track_end && !z.slipped.empty())
      fault(key + ".slipped", "is not empty; with spares at the end of tracks, slipped sectors are not modelled");
  }

  void seek() {
    for (std::size_t i = 0; i < p_.seek.table.size(); ++i) {
      const std::string key = "seek.table." + std::to_string(i);
      const SeekPoint& point = p_.seek.table[i];
      if (point.cylinders == 0) fault(key + ".cylinders", "is 0; a seek has a distance");
      if (point.time < Duration::zero()) fault(key + ".time", "is negative");
      if (i > 0 && point.cylinders <= p_.seek.table[i - 1].cylinders)
        fault(key + ".cylinders", "is ", point.cylinders, "; distances must grow, and the one before is ",
              p_.seek.table[i - 1].cylinders);
    }
  }

  void buffer() {
    for (auto [key, size] : {std::pair{"buffer_size", p_.buffer_size},
                             {"read_fence", p_.read_fence},
                             {"write_fence", p_.write_fence},
                             {"write_buffer", p_.write_buffer}}) {
      if (size < p_.sector_size)
        fault(key, "is ", size.count, "B; it must hold at least one sector of ", p_.sector_size.count, "B");
      if (size > p_.buffer_size)
        fault(key, "is ", size.count, "B; it must not exceed the buffer of ", p_.buffer_size.count, "B");
    }
    for (auto [key, share] : {std::pair{"read_watermark", p_.read_watermark}, {"write_watermark", p_.write_watermark}})
      if (!(share >= 0 && share <= 1)) fault(key, "is ", share, "; it must lie between 0 and 1");
    if (p_.segments == 0) return fault("segments", "is 0; a buffer has at least one segment");
    if (p_.sector_size.count > 0 && p_.buffer_size.count / p_.segments < p_.sector_size.count)
      fault("segments", "is ", p_.segments, "; a buffer of ", p_.buffer_size.count, "B has room for ",
            p_.buffer_size.count / p_.sector_size.count, " segments of at least one sector");
    if (p_.write_segments == 0 || p_.write_segments > p_.segments)
      fault("write_segments", "is ", p_.write_segments, "; it must lie between 1 and the ", p_.segments,
            " segments of the buffer");
    if (p_.separate_write_segment && p_.segments < 2)
      fault("separate_write_segment", "is true; the buffer has one segment only, and reads need it");
  }

  const DriveParams& p_;
  const std::string& path_;
  Problems& problems_;
};

Duration sector_time(const DriveParams& p, const Zone& z) { return from_seconds(60 / p.rpm / z.sectors_per_track); }

}  // namespace

void check(const DriveParams& p, const std::string& path, Problems& problems) { Checker(p, path, problems).whole(); }

DriveParams with_skews_in_sectors(DriveParams p) {
  for (Zone& z : p.zones) {
    const auto sectors = [&](Duration time, std::uint32_t& skew) {
      if (time == Duration::zero()) return;
      const Duration sector = sector_time(p, z);
      skew = static_cast<std::uint32_t>((time + sector - Duration{1}) / sector % z.sectors_per_track);
    };
    sectors(p.track_skew_time, z.track_skew);
    sectors(p.cylinder_skew_time, z.cylinder_skew);
  }
  return p;
}

std::vector<std::string> drive_warnings(const DriveParams& drive) {
  const DriveParams p = with_skews_in_sectors(drive), preset;
  const Duration cylinder = SeekCurve(p.seek)(1);
  std::vector<std::string> sentences;
  const bool seeks = p.seek == preset.seek, overheads = p.overheads == preset.overheads;
  if ((p.name != preset.name || p.heads != preset.heads || drive.zones != preset.zones) && (seeks || overheads))
    sentences.push_back("the drive " + p.name + " leaves its " + (seeks ? "seeks" : "") +
                        (seeks && overheads ? " and " : "") + (overheads ? "controller times" : "") +
                        " to the HP 97560; sunstar new drive makes one from a data sheet");
  const auto warn = [&](std::uint32_t skew, const Zone& z, Duration needed, const char* what, const char* parameter) {
    const Duration lasts = sector_time(p, z) * (skew + (p.sparing == Sparing::sectors_at_track_end ? z.spares : 0));
    if (lasts >= needed) return true;
    std::ostringstream text;
    text.precision(4);
    text << "on the drive " << p.name << " a skew of " << skew << " sectors lasts " << 1e3 * seconds(lasts)
         << " ms and does not cover " << what << " of " << 1e3 * seconds(needed)
         << " ms, so reads lose a revolution there; set " << parameter << " to " << 1e3 * seconds(needed) << "ms";
    sentences.push_back(text.str());
    return false;
  };
  for (const Zone& z : p.zones)
    if (p.heads > 1 && !warn(z.track_skew, z, p.head_switch, "the head switch", "track_skew_time")) break;
  for (const Zone& z : p.zones)
    if (z.cylinders > 1 && !warn(z.cylinder_skew, z, cylinder, "the seek to the next cylinder", "cylinder_skew_time"))
      break;
  return sentences;
}

const Speedup& speed_up(DriveParams& drive) {
  const auto keep = [&](Duration& time, std::uint32_t Zone::*sectors) {
    if (time > Duration{}) return;
    Duration skew = longest_duration;
    for (const Zone& zone : drive.zones)
      skew = std::min(skew, from_seconds(zone.*sectors * 60 / drive.rpm / zone.sectors_per_track));
    if (skew / 2 < drive.head_switch) time = skew;
  };
  keep(drive.track_skew_time, &Zone::track_skew);
  keep(drive.cylinder_skew_time, &Zone::cylinder_skew);
  drive.rpm *= 2;
  return faster_spindles;
}

}  // namespace sunstar::disk
