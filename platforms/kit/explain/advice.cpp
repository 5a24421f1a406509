// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "platforms/kit/explain/explanation.h"
#include "platforms/kit/quantity_text.h"

namespace sunstar::kit {

namespace {

using Shares = std::array<double, stage_count>;

/// A change that halves the time of some stages.
struct Change {
  std::string what;
  std::vector<Stage> stages;
  std::vector<std::string> settings;
};

/// The same quantity after the change: durations are halved, rates doubled. Other text stays.
std::string twice_as_fast(const std::string& text) {
  if (Duration d; parse(text, d).empty()) return to_text(d / 2);
  if (Bandwidth b; parse(text, b).empty()) return to_text(Bandwidth{b.bytes_per_second * 2});
  if (Frequency f; parse(text, f).empty()) return to_text(Frequency{f.hertz * 2});
  return text;
}

json::value twice_as_fast(const json::value& v) {
  if (v.is_string()) return json::string(twice_as_fast(std::string(v.get_string())));
  if (const auto* object = v.if_object()) {
    json::object all;
    for (const auto& [key, value] : *object) all[key] = twice_as_fast(value);
    return all;
  }
  if (const auto* array = v.if_array()) {
    json::array all;
    for (const auto& value : *array) all.push_back(twice_as_fast(value));
    return all;
  }
  return v;
}

const json::value* find(const json::value& v, const std::string& path) {
  std::string pointer = "/" + path;
  std::ranges::replace(pointer, '.', '/');
  boost::system::error_code error;
  return v.find_pointer(pointer, error);
}

/// "path=value" for each leaf of the section that the change touches.
void add_settings(const json::value& config, const std::string& path, std::vector<std::string>& settings) {
  const json::value* before = find(config, path);
  if (!before) return;
  if (before->is_object()) {
    for (const auto& [key, value] : before->get_object()) add_settings(config, path + "." + std::string(key), settings);
    return;
  }
  const json::value after = twice_as_fast(*before);
  if (after == *before) return;
  settings.push_back(path + "=" + (after.is_string() ? std::string(after.get_string()) : json::serialize(after)));
}

/// Whether machine.nodes names drives of its own: machine.disk does not describe those.
bool names_own_drives(const json::value& config) {
  const json::value* nodes = find(config, "machine.nodes");
  if (!nodes || !nodes->is_array()) return false;
  for (const json::value& node : nodes->get_array())
    for (const json::value& bus : node.at("buses").as_array())
      for (const json::value& group : bus.at("drives").as_array())
        if (const auto* disk = group.as_object().if_contains("disk"); disk && !disk->is_null()) return true;
  return false;
}

/// Twice the speed of rotation. Where half of the shortest skew would not cover a change of heads, that skew keeps its
/// length in time: otherwise reads would miss the next track's first sector and lose a revolution.
std::vector<std::string> faster_spindle(const json::value& config) {
  std::vector<std::string> settings;
  const json::value* disk = find(config, "machine.disk");
  if (!disk) return settings;
  const double rpm = disk->at("rpm").to_number<double>();
  settings.push_back("machine.disk.rpm=" + short_number_text(rpm * 2));
  const auto keep = [&](const char* time, const char* sectors) {
    if (Duration given{}; parse(disk->at(time).as_string(), given).empty() && given > Duration{}) return;
    Duration skew = longest_duration, head_switch{};
    parse(disk->at("head_switch").as_string(), head_switch);
    for (const json::value& zone : disk->at("zones").as_array())
      skew = std::min(skew, from_seconds(zone.at(sectors).to_number<double>() * 60 / rpm /
                                         zone.at("sectors_per_track").to_number<double>()));
    if (skew / 2 < head_switch) settings.push_back(std::string("machine.disk.") + time + "=" + to_text(skew));
  };
  keep("track_skew_time", "track_skew");
  keep("cylinder_skew_time", "cylinder_skew");
  return settings;
}

std::vector<Change> changes_of(const json::value& config) {
  const auto settings = [&](std::initializer_list<const char*> paths) {
    std::vector<std::string> all;
    for (const char* path : paths) add_settings(config, path, all);
    return all;
  };
  std::vector<Change> all{
      {"disks that turn twice as fast", {Stage::disk_rotation, Stage::disk_transfer}, faster_spindle(config)},
      {"disks that seek in half the time",
       {Stage::disk_seek},
       settings(
           {"machine.disk.seek", "machine.disk.head_switch", "machine.disk.read_settle", "machine.disk.write_settle"})},
      {"disk controllers with half the overhead", {Stage::disk_overhead}, settings({"machine.disk.overheads"})},
      {"SCSI buses twice as fast",
       {Stage::bus_data, Stage::bus_overhead},
       settings({"machine.bus_rate", "machine.bus.data_rate", "machine.bus.bus_free", "machine.bus.arbitration",
                 "machine.bus.selection", "machine.bus.message_byte", "machine.bus.command_overhead",
                 "machine.disk.interface"})},
      {"a network twice as fast",
       {Stage::network, Stage::network_wait},
       settings({"machine.network.link_bandwidth", "machine.network.router_delay", "machine.network.router.cycle",
                 "machine.network.port_bandwidth", "machine.network.chip_delay", "machine.network.bandwidth",
                 "machine.network.station_latency", "machine.network.hub_latency", "machine.network.switch_latency",
                 "machine.network.loopback_latency", "machine.network.timing_variation"})},
      {"processors twice as fast",
       {Stage::compute_processor, Stage::io_processor, Stage::combined_processor},
       settings({"machine.node.clock"})},
      {"node memory twice as fast", {Stage::memory}, settings({"machine.node.memory_bandwidth"})},
  };
  if (names_own_drives(config))
    for (Change& change : all)
      std::erase_if(change.settings, [](const std::string& s) { return s.starts_with("machine.disk."); });
  return all;
}

/// Changes that gain less are not worth a try.
constexpr double least_gain = 1.005;

/// What the path waits for rather than works at: it can shrink with any change.
constexpr std::array waits{Stage::disk_rotation, Stage::network_wait};

double share_of(const Shares& shares, const std::vector<Stage>& stages) {
  double sum = 0;
  for (const Stage s : stages) sum += shares[static_cast<std::size_t>(s)];
  return sum;
}

/// The bound of a change that halves the stages; without the waits, too, that are not among them.
double bound(const Shares& shares, const std::vector<Stage>& stages, bool waits_gone) {
  double rest = 1 - share_of(shares, stages) / 2;
  if (waits_gone)
    for (const Stage s : waits) {
      const double share = shares[static_cast<std::size_t>(s)];
      rest -= std::ranges::find(stages, s) == stages.end() ? share : share / 2;
    }
  return rest > 0 ? 1 / rest : 0;
}

std::string text(const char* format, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}
std::string percent(double share) { return text(share < 0.0995 ? "%.1f %%" : "%.0f %%", share * 100); }

/// "63 % of the run is ...".
const char* in_words(Stage s) {
  switch (s) {
    case Stage::disk_overhead: return "the controllers of the disks";
    case Stage::disk_seek: return "seeks of the disks";
    case Stage::disk_rotation: return "rotational delay on the disks";
    case Stage::disk_transfer: return "sectors passing under the heads of the disks";
    case Stage::bus_data: return "data on the SCSI buses";
    case Stage::bus_overhead: return "the SCSI buses' other phases";
    case Stage::network: return "messages in the network";
    case Stage::network_wait: return "messages that wait in the network, for others or for their receiver";
    case Stage::memory: return "DMA to and from the nodes' memory";
    case Stage::compute_processor: return "work of the compute processors";
    case Stage::io_processor: return "work of the I/O processors";
    case Stage::combined_processor: return "work of the processors";
    case Stage::application: return "programs that think";
    case Stage::timer: return "timers of the file system";
  }
  return "";
}

/// What the path waits for, in words; nothing if it hardly waits.
std::string waiting_in_words(const Shares& shares, const std::string& of_what) {
  const auto share = [&](Stage s) { return shares[static_cast<std::size_t>(s)]; };
  const double sector = share(Stage::disk_rotation), messages = share(Stage::network_wait);
  if (sector + messages < 0.005) return "";
  return " " + percent(sector + messages) + " of " + of_what + " is waiting " +
         (sector > 0 ? "for a sector to come round" : "") + (sector > 0 && messages > 0 ? " or " : "") +
         (messages > 0 ? "for messages ahead" : "") + ", which any change may shorten.";
}

std::vector<std::string> sentences_of(const Shares& shares, const std::vector<Change>& changes,
                                      const std::string& of_what, bool own_drives) {
  std::vector<std::string> all;
  std::vector<std::size_t> order(stage_count);
  for (std::size_t s = 0; s < stage_count; ++s) order[s] = s;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  for (std::size_t i = 0; i < 3; ++i) {
    const auto stage = static_cast<Stage>(order[i]);
    if (shares[order[i]] < 0.005) break;
    all.push_back(percent(shares[order[i]]) + " of " + of_what + " is " + in_words(stage) +
                  "; halving it gives at most " + text("%.2f", bound(shares, {stage}, false)) + "x.");
  }
  all.push_back("The bounds assume an unchanged order of events." + waiting_in_words(shares, of_what));
  if (own_drives)
    all.emplace_back("machine.nodes names drives of its own; what would speed them up has to be set there.");
  if (!changes.empty())
    all.push_back("Most promising: " + changes.front().what + ", at most " +
                  text("%.2f", bound(shares, changes.front().stages, false)) + "x.");
  return all;
}

}  // namespace

void add_advice(json::object& explanation, const json::object& config, const std::string& of_what) {
  Shares shares{};
  for (const json::value& entry : explanation.at("critical_path").as_array())
    for (std::size_t s = 0; s < stage_count; ++s)
      if (entry.at("stage").as_string() == stage_names[s]) shares[s] = entry.at("share").to_number<double>();
  auto changes = changes_of(config);
  std::erase_if(changes,
                [&](const Change& c) { return c.settings.empty() || bound(shares, c.stages, false) < least_gain; });
  std::ranges::stable_sort(changes, [&](const Change& a, const Change& b) {
    return share_of(shares, a.stages) > share_of(shares, b.stages);
  });
  if (changes.size() > 3) changes.resize(3);
  json::array listed;
  for (const Change& c : changes) {
    json::array stages, settings(c.settings.begin(), c.settings.end());
    for (const Stage s : c.stages) stages.push_back(json::value(stage_names[static_cast<std::size_t>(s)]));
    const double waits_gone = bound(shares, c.stages, true);
    listed.push_back({{"change", c.what},
                      {"stages", std::move(stages)},
                      {"share", share_of(shares, c.stages)},
                      {"at_most", bound(shares, c.stages, false)},
                      {"waits_gone", waits_gone > 0 ? json::value(waits_gone) : json::value(nullptr)},
                      {"settings", std::move(settings)}});
  }
  json::array sentences;
  for (const std::string& s : sentences_of(shares, changes, of_what, names_own_drives(config)))
    sentences.push_back(json::value(s));
  explanation["changes"] = std::move(listed);
  explanation["sentences"] = std::move(sentences);
}

}  // namespace sunstar::kit
