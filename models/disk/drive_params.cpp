// SPDX-License-Identifier: MIT
#include "models/disk/drive_params.h"

namespace sunstar::disk {

void check(const DriveParams& p, const std::string& path, Problems& problems) {
  const auto fault = [&](const std::string& key, const std::string& what) { problems.add(json_path(path, key), what); };
  const auto number = [](std::uint64_t n) { return std::to_string(n); };

  if (p.heads == 0) fault("heads", "is 0; a drive has at least one head");
  if (!(p.rpm >= 1 && p.rpm <= 1e6)) fault("rpm", "is " + std::to_string(p.rpm) + "; it must lie between 1 and 1000000");
  if (p.sector_size.count == 0) fault("sector_size", "is 0; it must be at least 1B");
  if (p.zones.empty()) fault("zones", "is empty; a drive has at least one zone");
  std::uint64_t cylinders = 0;
  for (std::size_t i = 0; i < p.zones.size(); ++i) {
    const Zone& z = p.zones[i];
    const std::string key = "zones." + number(i);
    if (z.cylinders == 0) fault(key + ".cylinders", "is 0; a zone has at least one cylinder");
    if (z.sectors_per_track == 0) fault(key + ".sectors_per_track", "is 0; a track has at least one sector");
    if (z.sectors_per_track > 0 && z.track_skew >= z.sectors_per_track)
      fault(key + ".track_skew", "is " + number(z.track_skew) + "; it must be less than the " + number(z.sectors_per_track) + " sectors of a track");
    if (z.sectors_per_track > 0 && z.cylinder_skew >= z.sectors_per_track)
      fault(key + ".cylinder_skew", "is " + number(z.cylinder_skew) + "; it must be less than the " + number(z.sectors_per_track) + " sectors of a track");
    cylinders += z.cylinders;
  }
  std::uint64_t next_free = 0;
  for (std::size_t i = 0; i < p.regions.size(); ++i) {
    const DataRegion& r = p.regions[i];
    const std::string key = "regions." + number(i);
    if (r.first_track >= p.heads) fault(key + ".first_track", "is " + number(r.first_track) + "; there are " + number(p.heads) + " heads");
    if (r.last_track >= p.heads) fault(key + ".last_track", "is " + number(r.last_track) + "; there are " + number(p.heads) + " heads");
    if (r.last_cylinder >= cylinders)
      fault(key + ".last_cylinder", "is " + number(r.last_cylinder) + "; the zones have " + number(cylinders) + " cylinders");
    const std::uint64_t first = std::uint64_t{r.first_cylinder} * p.heads + r.first_track;
    const std::uint64_t last = std::uint64_t{r.last_cylinder} * p.heads + r.last_track;
    if (last < first) fault(key, "ends before it starts");
    if (first < next_free) fault(key, "starts inside or before the region ahead of it");
    next_free = last + 1;
  }
  for (auto [key, time] : {std::pair{"seek.short_constant", p.seek.short_constant}, {"seek.short_root", p.seek.short_root},
                           {"seek.long_constant", p.seek.long_constant}, {"seek.long_slope", p.seek.long_slope},
                           {"head_switch", p.head_switch}, {"write_settle", p.write_settle},
                           {"read_overhead", p.read_overhead}, {"write_overhead", p.write_overhead}})
    if (time < Duration::zero()) fault(key, "is negative");
  for (auto [key, size] : {std::pair{"buffer_size", p.buffer_size}, {"read_fence", p.read_fence},
                           {"write_fence", p.write_fence}, {"write_buffer", p.write_buffer}}) {
    if (size < p.sector_size)
      fault(key, "is " + number(size.count) + "B; it must hold at least one sector of " + number(p.sector_size.count) + "B");
    if (size > p.buffer_size)
      fault(key, "is " + number(size.count) + "B; it must not exceed the buffer of " + number(p.buffer_size.count) + "B");
  }
}

void validate(const DriveParams& p) {
  Problems problems;
  check(p, "disk", problems);
  problems.throw_if_any();
}

}  // namespace sunstar::disk
