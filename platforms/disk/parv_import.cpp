// SPDX-License-Identifier: MIT
#include "platforms/disk/parv_import.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "models/core/message_text.h"
#include "models/disk/seek_curve.h"
#include "platforms/kit/json_write.h"
#include "platforms/kit/named_files.h"
#include "sw/workload/trace/csv.h"

namespace sunstar::disk_platform {
namespace {

namespace fs = std::filesystem;
using disk::DriveParams;
using disk::Zone;

std::optional<double> number_in(std::string_view text) {
  double d = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(d)) return {};
  return d;
}

[[noreturn]] void refuse(const ParvValue& v, const std::string& must_be) {
  const std::string shown = v.kind == ParvValue::Kind::text   ? in_quotes(v.text)
                            : v.kind == ParvValue::Kind::list ? "a list"
                                                              : "a block";
  parv_error(v.file, v.line, v.key + " is " + shown + "; it must be " + must_be);
}

double number(const ParvValue& v, double least, double most) {
  const auto d = v.kind == ParvValue::Kind::text ? number_in(v.text) : std::nullopt;
  if (!d) refuse(v, "a number");
  if (*d < least || *d > most) {
    std::ostringstream range;
    range.precision(15);
    range << "a number between " << least << " and " << most;
    refuse(v, range.str());
  }
  return *d;
}

std::uint64_t whole(const ParvValue& v, double most = 1e15) {
  const double d = number(v, 0, most);
  if (d != std::floor(d)) refuse(v, "a whole number");
  return static_cast<std::uint64_t>(d);
}

/// Milliseconds.
Duration time(const ParvValue& v, double least = 0) { return Duration{std::llround(number(v, least, 1000) * 1e9)}; }

/// Finds the members of one block.
class Fields {
 public:
  explicit Fields(const ParvBlock& block) : block_(block) {}

  const ParvValue& at(std::string_view key) const {
    if (const auto* value = block_.find(key)) return *value;
    std::vector<std::string> keys;
    for (const auto& m : block_.members) keys.push_back(m.key);
    parv_error(block_.file, block_.line,
               "the block " + block_.type + (block_.name.empty() ? "" : " " + block_.name) + " has no " +
                   in_quotes(key) + suggestion(key, keys));
  }
  bool has(std::string_view key) const { return block_.find(key) != nullptr; }
  bool flag(std::string_view key) const { return whole(at(key), 1) == 1; }
  const ParvBlock& block(std::string_view key) const {
    const ParvValue& v = at(key);
    if (v.kind != ParvValue::Kind::block) refuse(v, "a block");
    return v.block.front();
  }
  const std::vector<ParvValue>& list(std::string_view key) const {
    const ParvValue& v = at(key);
    if (v.kind != ParvValue::Kind::list) refuse(v, "a list in brackets");
    return v.items;
  }

 private:
  const ParvBlock& block_;
};

std::vector<disk::SeekPoint> read_seeks(const fs::path& file) {
  kit::note_read(file);
  std::istringstream text(workload::read_text(file.string(), "a file of measured seek times"));
  std::vector<disk::SeekPoint> points;
  std::optional<double> said;
  std::string line;
  for (std::uint32_t n = 1; std::getline(text, line); ++n) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::string distance, time, more;
    if (!(words >> distance) || distance.starts_with('#')) continue;
    if (distance == "Seek") {  // "Seek distances measured: 106"
      std::string what, measured, count;
      words >> what >> measured >> count;
      said = number_in(count);
      continue;
    }
    words >> time;
    const auto d = number_in(distance), t = number_in(time);
    if (!d || !t || words >> more || *d < 1 || *d > 1e6 || *d != std::floor(*d) || *t < 0 || *t > 1000)
      parv_error(file, n, "a line must be a distance in cylinders, a comma and a time in ms, as in \"12, 3.13\"");
    points.push_back({static_cast<std::uint32_t>(*d), Duration{std::llround(*t * 1e9)}});
    if (points.size() > 1 && points[points.size() - 2].cylinders >= points.back().cylinders)
      parv_error(file, n, "the distance " + distance + " is not greater than the one before it");
  }
  if (points.empty()) throw ConfigError(file.string() + ": there are no seek times in this file.");
  if (said && *said != static_cast<double>(points.size()))
    throw ConfigError(file.string() + ": it says that it has " + std::to_string(std::llround(*said)) +
                      " seek times, but it has " + std::to_string(points.size()) + "; it may have been cut off.");
  return points;
}

class Import {
 public:
  Import(const fs::path& file, Sourcing sourcing) : file_(file), parv_(read_parv(file, sourcing)) {}

  DriveParams drive() {
    const ParvBlock& spec = disk_block();
    const Fields f(spec);
    p_ = {};
    p_.name = spec.name;
    for (const std::string tail : {"_validate", "_VALIDATE"})
      if (p_.name.ends_with(tail)) p_.name.resize(p_.name.size() - tail.size());
    std::replace(p_.name.begin(), p_.name.end(), '_', ' ');
    const ParvBlock& model = f.block("Model");
    geometry(model);
    mechanics(Fields(model).block("Mechanical Model"));
    overheads(f);
    interface(f);
    buffer(f);
    write_source(spec, model);
    Problems problems;
    Problems::InFile in(problems, file_.string());
    check(p_, "", problems);
    problems.throw_if_any();
    return p_;
  }

 private:
  const ParvBlock& disk_block() {
    // The first disk of the topology, with its bus; without topology the first disk that is described.
    std::string wanted;
    for (const auto& top : parv_.topology) find_disk(top, "");
    if (!disk_instance_.empty()) wanted = made_from(disk_instance_);
    for (const auto& b : parv_.blocks)
      if (b.type == "disksim_disk" && (wanted.empty() || b.name == wanted)) return b;
    throw ConfigError(file_.string() + ": there is no block disksim_disk" + (wanted.empty() ? "" : " " + wanted) +
                      " in it or in what it sources; a drive is described by one.");
  }

  bool find_disk(const ParvNode& node, const std::string& bus) {
    if (node.type == "disksim_disk") {
      disk_instance_ = node.name;
      bus_instance_ = bus;
      return true;
    }
    return std::any_of(node.below.begin(), node.below.end(),
                       [&](const ParvNode& n) { return find_disk(n, node.type == "disksim_bus" ? node.name : bus); });
  }

  /// Finds the block from which an instance is made: its instantiate statement names the instance, or two names joined
  /// by ".." enclose it.
  std::string made_from(const std::string& instance) const {
    const auto split = [](const std::string& name) {
      const auto digits = name.find_last_not_of("0123456789") + 1;
      return std::pair{name.substr(0, digits), number_in(name.substr(digits)).value_or(-1)};
    };
    for (const auto& i : parv_.instances)
      for (std::size_t n = 0; n < i.names.size(); ++n) {
        if (i.names[n] == instance) return i.of;
        if (i.names[n] != ".." || n == 0 || n + 1 == i.names.size()) continue;
        const auto low = split(i.names[n - 1]), high = split(i.names[n + 1]), mine = split(instance);
        if (mine.first == low.first && mine.second >= low.second && mine.second <= high.second) return i.of;
      }
    throw ConfigError(file_.string() + ": the topology has " + in_quotes(instance) + ", which nothing instantiates.");
  }

  void geometry(const ParvBlock& model) {
    const Fields m(model);
    p_.heads = static_cast<std::uint32_t>(whole(m.at("Number of data surfaces"), 1000));
    p_.sectors = whole(m.at("Block count"));
    const ParvBlock& layout = m.block("Layout Model");
    if (layout.type != "dm_layout_g1")
      parv_error(layout.file, layout.line,
                 "the layout " + in_quotes(layout.type) + " is not modelled; only dm_layout_g1 is");
    const Fields l(layout);
    constexpr disk::Mapping mappings[] = {disk::Mapping::forward, disk::Mapping::serpentine,
                                          disk::Mapping::serpentine_over_zones};
    p_.mapping = mappings[whole(l.at("LBN-to-PBN mapping scheme"), 2)];
    sparing(l);
    const auto& zones = l.list("Zones");
    if (zones.empty()) parv_error(layout.file, layout.line, "the list of zones is empty");
    p_.zones.clear();
    std::uint64_t next = 0;
    for (const ParvValue& v : zones) {
      if (v.kind != ParvValue::Kind::block) refuse(v, "a list of blocks");
      p_.zones.push_back(zone(v.block.front(), next));
    }
  }

  void sparing(const Fields& l) {
    using disk::Sparing;
    const ParvValue& v = l.at("Sparing scheme used");
    switch (whole(v, 10)) {
      case 0: p_.sparing = Sparing::none; break;
      case 1: p_.sparing = Sparing::tracks_at_zone_end; break;
      case 2: p_.sparing = Sparing::sectors_at_cylinder_end; break;
      case 3: p_.sparing = Sparing::sectors_at_track_end; break;
      case 4:
      case 6:
        p_.sparing = Sparing::sectors_at_cylinder_end;
        p_.slipped_use_spares = false;
        break;
      case 7: p_.sparing = Sparing::sectors_at_zone_end; break;
      case 8: p_.sparing = Sparing::sectors_at_range_end; break;
      case 9:
        p_.sparing = Sparing::sectors_at_zone_end;
        p_.slipped_use_spares = false;
        break;
      default: refuse(v, "one of 0, 1, 2, 3, 4, 6, 7, 8, 9; the others are not modelled");
    }
    p_.spare_range = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(whole(l.at("Rangesize for sparing"), 1e6)));
  }

  Zone zone(const ParvBlock& block, std::uint64_t& next) {
    const Fields z(block);
    Zone zone;
    const std::uint64_t first = whole(z.at("First cylinder number"), 1e6),
                        last = whole(z.at("Last cylinder number"), 1e6);
    if (first < next)
      refuse(z.at("First cylinder number"), "at least " + std::to_string(next) + ", since zones follow one another");
    if (last < first) refuse(z.at("Last cylinder number"), "at least the first one, " + std::to_string(first));
    zone.skipped_cylinders = static_cast<std::uint32_t>(first - next);
    zone.cylinders = static_cast<std::uint32_t>(last - first + 1);
    next = last + 1;
    zone.sectors_per_track = static_cast<std::uint32_t>(whole(z.at("Blocks per track"), 1e5));
    if (zone.sectors_per_track == 0) refuse(z.at("Blocks per track"), "at least 1");
    const auto modulo = [&](std::string_view key) {
      return static_cast<std::uint32_t>(whole(z.at(key)) % zone.sectors_per_track);
    };
    zone.track_skew = modulo("Skew for track switch");
    zone.cylinder_skew = modulo("Skew for cylinder switch");
    zone.offset = modulo("Offset of first block");
    zone.reserved = whole(z.at("Empty space at zone front"));
    zone.spares = static_cast<std::uint32_t>(whole(z.at("Number of spares"), 4e9));
    for (const auto& v : z.list("slips")) zone.slipped.push_back(whole(v));
    std::sort(zone.slipped.begin(), zone.slipped.end());
    // Each pair is a sector and the sector that took its place.
    if (z.has("defects"))
      for (std::size_t i = 0; i + 1 < z.list("defects").size(); i += 2)
        if (z.list("defects")[i].text != z.list("defects")[i + 1].text) ++remapped_;
    return zone;
  }

  void mechanics(const ParvBlock& block) {
    const Fields m(block);
    if (block.type != "dm_mech_g1")
      parv_error(block.file, block.line,
                 "the mechanics " + in_quotes(block.type) + " is not modelled; only dm_mech_g1 is");
    if (const auto& type = m.at("Access time type"); type.text != "trackSwitchPlusRotation")
      refuse(type, "\"trackSwitchPlusRotation\"; the other types do not describe a drive");
    p_.rpm = number(m.at("Rotation speed (in rpms)"), 1, 1e6);
    p_.head_switch = time(m.at("Head switch time"));
    const Duration settling = time(m.at("Add. write settling delay"), -1000);
    p_.write_settle = std::max(settling, Duration::zero());
    p_.read_settle = std::max(-settling, Duration::zero());
    seek(m);
    head_switch();
  }

  /// A description that was extracted while the drive's read-ahead was on has a head switch that no head can perform,
  /// because read-ahead hides its time. The track skew shows how much time the manufacturer allows for a head switch,
  /// and a head switch takes no longer than a seek to the next cylinder.
  void head_switch() {
    Duration skew = Duration::max();
    for (const Zone& z : p_.zones)
      skew = std::min(skew, from_seconds(60 / p_.rpm * z.track_skew / z.sectors_per_track));
    if (p_.head_switch * 3 >= skew || p_.heads == 1) return;
    notes_ += "; head switch time inferred: the described " + kit::to_text(p_.head_switch) +
              " is less than a third of the time that the track skew allows, so ";
    const Duration next = disk::SeekCurve(p_.seek)(1);
    notes_ += skew <= next ? "that time is used" : "the time of a seek to the next cylinder is used";
    p_.head_switch = std::min(skew, next);
    p_.head_switch -= p_.head_switch % std::chrono::microseconds{1};
  }

  void seek(const Fields& m) {
    const ParvValue& type = m.at("Seek type");
    auto& s = p_.seek;
    s = {};
    const std::uint32_t cylinders = cylinder_count();
    if (type.text == "extracted") {
      const ParvValue& name = m.at("Full seek curve");
      const fs::path file = name.file.parent_path() / name.text;
      require_within(parv_.within, file, name.text, name.file, name.line);
      s.table = read_seeks(file);
      s.beyond_table = disk::BeyondTable::last_two_points;
      s.short_constant = s.short_root = s.long_constant = s.long_slope = Duration::zero();
      s.short_limit = 0;
    } else if (type.text == "hpl" || type.text == "hplplus10") {
      const auto& values = m.list("HPL seek equation values");
      if (values.size() != 6) refuse(m.at("HPL seek equation values"), "a list of six numbers");
      s.short_limit = static_cast<std::uint32_t>(whole(values[0], 1e6));
      s.short_limit -= s.short_limit > 0;  // distances below the first value are short
      s.short_constant = time(values[1]);
      s.short_root = time(values[2]);
      s.long_constant = time(values[3]);
      s.long_slope = time(values[4]);
      const double single = number(values[5], -1, 1000);
      if (single >= 0) s.table.push_back({1, time(values[5])});
      if (type.text == "hplplus10") {
        const auto& ten = m.list("First ten seek times");
        if (ten.size() != 10) refuse(m.at("First ten seek times"), "a list of ten times in ms");
        s.table.clear();
        for (std::uint32_t i = 0; i < 10; ++i) s.table.push_back({i + 1, time(ten[i])});
      }
    } else if (type.text == "constant" || type.text == "linear" || type.text == "curve") {
      three_points(m, type.text, cylinders);
    } else {
      refuse(type, "\"extracted\", \"hpl\", \"hplplus10\", \"curve\", \"linear\" or \"constant\"");
    }
  }

  std::uint32_t cylinder_count() const {
    std::uint32_t n = 0;
    for (const auto& z : p_.zones) n += z.skipped_cylinders + z.cylinders;
    return n;
  }

  /// Lee's curve through the seek times over one cylinder, over the average distance (a third of all cylinders) and
  /// over all cylinders; also a line or a constant.
  void three_points(const Fields& m, const std::string& type, std::uint32_t cylinders) {
    const double average = number(m.at("Average seek time"), 0, 1000);
    double a = 0, b = 0, c = average;
    if (type != "constant") {
      const double n = std::max(1u, cylinders - 1), single = number(m.at("Single cylinder seek time"), 0, 1000);
      const double full = type == "curve" ? number(m.at("Full strobe seek time"), 0, 1000) : 0;
      c = single;
      if (type == "linear") b = (average - single) / (n / 3);
      else
        a = (-10 * single + 15 * average - 5 * full) / (3 * std::sqrt(n)),
        b = (7 * single - 15 * average + 8 * full) / (3 * n);
    }
    auto& s = p_.seek;
    s.beyond_table = disk::BeyondTable::last_two_points;
    for (std::uint32_t d = 1; d < cylinders; d += std::max(1u, d / 16))
      s.table.push_back({d, Duration{std::llround((a * std::sqrt(d - 1) + b * (d - 1) + c) * 1e9)}});
    notes_ += "; seek table computed from the single-cylinder, average and full-stroke seek times";
  }

  void overheads(const Fields& f) {
    const double scale = f.has("Time scale for overheads") ? number(f.at("Time scale for overheads"), 0, 1e6) : 1;
    const Duration each =
        f.has("Per-request overhead time") ? time(f.at("Per-request overhead time")) : Duration::zero();
    const auto scaled = [&](std::string_view key) {
      return Duration{std::llround(static_cast<double>(time(f.at(key)).count()) * scale)};
    };
    const auto decode = [&](std::string_view key) { return each + scaled(key); };
    auto& o = p_.overheads;
    o.read_hit_after_read = decode("Read hit over. after read");
    o.read_hit_after_write = decode("Read hit over. after write");
    o.read_miss_after_read = decode("Read miss over. after read");
    o.read_miss_after_write = decode("Read miss over. after write");
    o.write_hit_after_read = decode("Write hit over. after read");
    o.write_hit_after_write = decode("Write hit over. after write");
    o.write_miss_after_read = decode("Write miss over. after read");
    o.write_miss_after_write = decode("Write miss over. after write");
    o.read_completion = scaled("Read completion overhead");
    o.write_completion = scaled("Write completion overhead");
    o.data_preparation = scaled("Data preparation overhead");
    o.first_reselection = scaled("First reselect overhead");
    o.other_reselection = scaled("Other reselect overhead");
    o.read_disconnect_after_read = scaled("Read disconnect afterread");
    o.read_disconnect_after_write = scaled("Read disconnect afterwrite");
    o.write_disconnect = scaled("Write disconnect overhead");
    o.write_reconnects = f.flag("Extra write disconnect");
    o.reconnect_command = each + scaled("Extradisc command overhead");
    o.reconnect_disconnect = scaled("Extradisc disconnect overhead");
    o.reconnect_delay = scaled("Extradisc inter-disconnect delay");
    o.reconnect_second_disconnect = scaled("Extradisc 2nd disconnect overhead");
    o.minimum_seek_delay = scaled("Minimum seek delay");
  }

  void interface(const Fields& f) {
    // The format describes what passed when the drive was measured, not what its interface can do.
    p_.rig.read_sector = p_.rig.write_sector = time(f.at("Bulk sector transfer time"));
    if (bus_instance_.empty()) return;
    const std::string name = made_from(bus_instance_);
    const auto bus = std::find_if(parv_.blocks.begin(), parv_.blocks.end(),
                                  [&](const ParvBlock& b) { return b.type == "disksim_bus" && b.name == name; });
    if (bus == parv_.blocks.end()) throw ConfigError(file_.string() + ": there is no block disksim_bus " + name + ".");
    const Fields b(*bus);
    p_.rig.read_sector = std::max(p_.rig.read_sector, time(b.at("Read block transfer time")));
    p_.rig.write_sector = std::max(p_.rig.write_sector, time(b.at("Write block transfer time")));
  }

  void buffer(const Fields& f) {
    const std::uint64_t segment = whole(f.at("Segment size (in blks)"), 1e6) * p_.sector_size.count;
    p_.segments =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, whole(f.at("Number of buffer segments"), 1024)));
    p_.write_segments = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(whole(f.at("Maximum number of write segments"), 1024), 1, p_.segments));
    p_.separate_write_segment = f.flag("Use separate write segment") && p_.segments > 1;
    p_.buffer_size = {segment * p_.segments};
    p_.read_fence = p_.buffer_size;
    p_.write_buffer = p_.write_fence = {segment * p_.write_segments};
    p_.read_watermark = number(f.at("High (read) water mark"), 0, 1);
    // A write that leaves the bus and comes back for its data: the format does not describe when its writing begins.
    p_.write_watermark = p_.overheads.write_reconnects ? 0.5 : number(f.at("Low (write) water mark"), 0, 1);
    if (!f.flag("Set watermark by reqsize"))
      notes_ += "; water marks taken as shares of the request instead of the segment";
    constexpr disk::ImmediateReporting reporting[] = {
        disk::ImmediateReporting::off, disk::ImmediateReporting::empty_or_sequential, disk::ImmediateReporting::always};
    p_.immediate_reporting = reporting[whole(f.at("Fast write level"), 2)];
    constexpr disk::ReadAhead ahead[] = {disk::ReadAhead::off, disk::ReadAhead::until_track_end,
                                         disk::ReadAhead::until_cylinder_end, disk::ReadAhead::until_full,
                                         disk::ReadAhead::until_next_track_end};
    p_.read_ahead = ahead[whole(f.at("Buffer continuous read"), 4)];
    const std::uint64_t caching = whole(f.at("Enable caching in buffer"), 2);
    if (caching == 0) p_.read_ahead = disk::ReadAhead::off;
    p_.reuse_written_data = caching == 1 && f.flag("Allow read hits on write data");
    p_.least_read_ahead = static_cast<std::uint32_t>(whole(f.at("Minimum read-ahead (blks)"), 1e6));
    p_.most_read_ahead = static_cast<std::uint32_t>(whole(f.at("Maximum read-ahead (blks)"), 1e6));
    p_.read_ahead_after_hit = f.flag("Read-ahead on idle hit");
    p_.read_ahead_over_request = number(f.at("Read-ahead over requested"), -1, 1) != 0;
    // Data that read-ahead may overwrite cannot be read again once sent.
    p_.reuse_sent_data = caching == 1 && !p_.read_ahead_over_request;
    p_.read_ahead_stop =
        f.flag("Stop prefetch in sector") ? disk::ReadAheadStop::immediately : disk::ReadAheadStop::after_sector;
    p_.read_before_request = f.flag("Read any free blocks");
    // A drive that keeps all sectors of a track that pass under its heads stays on that track.
    if (p_.read_before_request && p_.read_ahead == disk::ReadAhead::until_next_track_end)
      p_.read_ahead = disk::ReadAhead::until_track_end;
    // A segment that is smaller than a track has no room for what follows any read.
    const auto longest = std::ranges::max(p_.zones, {}, &Zone::sectors_per_track).sectors_per_track;
    if (p_.read_ahead == disk::ReadAhead::until_next_track_end && segment < longest * p_.sector_size.count)
      p_.read_ahead_after = disk::ReadAheadAfter::sequential_read;
    p_.write_seek = disk::WriteSeek::at_command;
  }

  void write_source(const ParvBlock& spec, const ParvBlock& model) {
    std::vector<std::string> files;
    for (const auto& path : {file_, spec.file, model.file})
      if (std::find(files.begin(), files.end(), path.filename().string()) == files.end())
        files.push_back(path.filename().string());
    p_.source = "imported from";
    for (std::size_t i = 0; i < files.size(); ++i) p_.source += (i == 0 ? " " : ", ") + files[i];
    if (bus_instance_.empty())
      notes_ += "; no bus described: the bus to which the drive is attached sets the transfer rate";
    if (remapped_ > 0)
      notes_ += "; " + std::to_string(remapped_) + " remapped sectors are read at their original places";
    p_.source +=
        "; assumed because not described: 512-byte sectors, the arm moves as soon as a write command arrives" +
        std::string(p_.overheads.write_reconnects ? ", writing starts when half of the data has arrived" : "") + notes_;
  }

  fs::path file_;
  ParvFile parv_;
  std::string disk_instance_, bus_instance_, notes_;
  std::size_t remapped_ = 0;
  DriveParams p_;
};

}  // namespace

disk::DriveParams import_drive(const fs::path& file, Sourcing sourcing) { return Import(file, sourcing).drive(); }

std::string catalogue_text(const disk::DriveParams& drive) { return kit::pretty(kit::write(drive)); }

}  // namespace sunstar::disk_platform
