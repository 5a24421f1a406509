// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <boost/json.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sunstar::test {

/// A timeline, read back. Times are in nanoseconds.
struct TimelineFile {
  struct Span {
    std::string group, track, name;
    std::int64_t start, end;
    boost::json::object args;
  };
  struct Instant {
    std::string group, track, name;
    std::int64_t at;
    boost::json::object args;
  };
  struct Flow {
    char phase;
    std::string group, track;
    std::int64_t start;
  };

  explicit TimelineFile(const std::filesystem::path& file) {
    const auto whole = boost::json::parse(text(file)).as_object();
    if (const auto* other = whole.if_contains("otherData")) truncated = other->at("truncated").as_string();
    for (const auto& event : whole.at("traceEvents").as_array()) events.push_back(event.as_object());
    std::map<std::int64_t, std::string> group_name, track_name;
    std::map<std::int64_t, std::int64_t> group_order, track_order, group_of;
    for (const auto& e : events) {
      if (e.at("ph") != "M") continue;
      const std::string what(e.at("name").as_string());
      const auto pid = e.at("pid").as_int64(), tid = e.at("tid").as_int64();
      const auto& args = e.at("args").as_object();
      if (what == "process_name") group_name[pid] = args.at("name").as_string();
      if (what == "process_sort_index") group_order[args.at("sort_index").as_int64()] = pid;
      if (what == "thread_name") track_name[tid] = args.at("name").as_string(), group_of[tid] = pid;
      if (what == "thread_sort_index") track_order[tid] = args.at("sort_index").as_int64();
    }
    for (const auto& [order, pid] : group_order) groups.push_back(group_name.at(pid));
    std::vector<std::pair<std::int64_t, std::int64_t>> ordered;
    for (const auto& [tid, order] : track_order) ordered.emplace_back(order, tid);
    std::ranges::sort(ordered);
    for (const auto& [order, tid] : ordered) tracks[group_name.at(group_of.at(tid))].push_back(track_name.at(tid));
    for (const auto& e : events) {
      const char ph = e.at("ph").as_string()[0];
      if (ph == 'M') continue;
      const auto pid = e.at("pid").as_int64(), tid = e.at("tid").as_int64();
      const std::string name(e.at("name").as_string());
      const std::int64_t ts = ns(e.at("ts"));
      if (ph == 'C')
        counters[group_name.at(pid) + " " + name].emplace_back(ts, e.at("args").at("value").to_number<std::uint64_t>());
      const auto args = e.contains("args") ? e.at("args").as_object() : boost::json::object{};
      if (ph == 'X') spans.push_back({group_name.at(pid), track_name.at(tid), name, ts, ts + ns(e.at("dur")), args});
      if (ph == 'i') instants.push_back({group_name.at(pid), track_name.at(tid), name, ts, args});
      if (ph == 's' || ph == 't' || ph == 'f')
        flows[e.at("id").as_int64()].push_back({ph, group_name.at(pid), track_name.at(tid), ts});
    }
  }

  /// The file's text, decompressed if need be.
  static std::string text(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    boost::iostreams::filtering_streambuf<boost::iostreams::input> through;
    if (file.extension() == ".gz") through.push(boost::iostreams::gzip_decompressor());
    through.push(in);
    std::ostringstream all;
    boost::iostreams::copy(through, all);
    return all.str();
  }

  /// Spans of one track that neither follow nor contain one another; spans that begin together come from outside in.
  std::vector<std::string> overlaps() const {
    std::vector<std::string> wrong;
    for (const auto& [key, all] : by_track()) {
      std::vector<const Span*> open;
      for (const Span* s : all) {
        while (!open.empty() && open.back()->end <= s->start) open.pop_back();
        if (!open.empty() && s->end > open.back()->end)
          wrong.push_back(key + ": " + open.back()->name + ", " + s->name);
        open.push_back(s);
      }
    }
    return wrong;
  }
  /// Ends of arrows that lie in no span of their track, and chains that are none.
  std::vector<std::string> loose_flows() const {
    std::vector<std::string> wrong;
    const auto on = by_track();
    for (const auto& [id, chain] : flows) {
      for (std::size_t i = 0; i < chain.size(); ++i) {
        const Flow& f = chain[i];
        const std::string key = f.group + " " + f.track;
        const char phase = i == 0 ? 's' : i + 1 == chain.size() ? 'f' : 't';
        if (f.phase != phase || (i > 0 && f.start < chain[i - 1].start))
          wrong.push_back(std::to_string(id) + ": " + f.phase + " at " + std::to_string(f.start));
        if (std::ranges::none_of(on.at(key), [&](const Span* s) { return s->start <= f.start && f.start < s->end; }))
          wrong.push_back(std::to_string(id) + ": in no span of " + key);
      }
      if (chain.size() < 2) wrong.push_back(std::to_string(id) + ": alone");
    }
    return wrong;
  }

  std::vector<boost::json::object> events;
  std::vector<std::string> groups;                         ///< in the order in which they are shown
  std::map<std::string, std::vector<std::string>> tracks;  ///< of each group, in the order in which they are shown
  std::vector<Span> spans;
  std::vector<Instant> instants;
  std::map<std::int64_t, std::vector<Flow>> flows;                                      ///< by request
  std::map<std::string, std::vector<std::pair<std::int64_t, std::uint64_t>>> counters;  ///< by group and name
  std::string truncated;

 private:
  static std::int64_t ns(const boost::json::value& us) { return std::llround(us.to_number<double>() * 1000); }
  std::map<std::string, std::vector<const Span*>> by_track() const {
    std::map<std::string, std::vector<const Span*>> on;
    for (const Span& s : spans) on[s.group + " " + s.track].push_back(&s);
    for (auto& [key, all] : on) std::ranges::stable_sort(all, {}, &Span::start);
    return on;
  }
};

}  // namespace sunstar::test
