// SPDX-License-Identifier: MIT
#pragma once
#include "models/kernel/recording.h"
#include "models/kernel/timeline_format.h"

namespace sunstar {

/// Divides overlapping spans among tracks so that the spans of a track do not overlap. Reuses tracks, the lowest first.
class Lanes {
 public:
  /// Takes a lane that is free from `from` on, until it is given back; returns its number.
  std::uint32_t take(Time from) {
    auto free = std::ranges::find_if(free_from_, [from](Time t) { return t <= from; });
    if (free == free_from_.end()) free = free_from_.insert(free, Time{});
    *free = Time::max();
    return static_cast<std::uint32_t>(free - free_from_.begin());
  }
  /// The lane's span ends at `end`.
  void give_back(std::uint32_t lane, Time end) { free_from_[lane] = end; }
  std::size_t count() const { return free_from_.size(); }

 private:
  std::vector<Time> free_from_;
};

/// A timeline file: spans and instants on tracks, counters, and arrows between the spans of one request. Tracks belong
/// to groups: a node, a SCSI bus. Their makers give the order of groups and tracks.
///
/// The file is written as the run goes on: FTR if its name ends in .ftr, otherwise JSON for Perfetto. Spans beyond the
/// limit are left out; the file and truncation() say so.
class Timeline final : public Recording {
 public:
  static constexpr std::uint64_t default_limit = 64 << 20;
  static constexpr Duration default_interval{10'000'000'000};

  struct Options {
    std::uint64_t limit = default_limit;   ///< the most bytes of spans that it writes, before compression
    Window window = {};                    ///< spans that meet the window are recorded whole
    Scope scope = {};                      ///< instances that have tracks and counters
    Duration interval = default_interval;  ///< counters have one value for each interval
  };
  /// A place for spans. The track of an instance out of scope takes no spans.
  struct Track {
    std::uint32_t group = 0, number = 0;
    explicit operator bool() const { return number != 0; }
  };
  using Counter = std::uint32_t;  ///< 0: none
  using Figures = TimelineFormat::Figures;

  /// Throws ConfigError if the file cannot be written.
  explicit Timeline(const std::filesystem::path& path, Options options);
  explicit Timeline(const std::filesystem::path& path) : Timeline(path, Options{}) {}
  ~Timeline() { abandon(); }

  /// The group of that name; groups stand in the order of their first mention. The name must be an instance's.
  std::uint32_t group(const std::string& name);
  /// A new track of the group; within it, tracks stand in order of `place`. `instance`: the instance whose spans it
  /// shows, for the scope; if empty, the group's instance.
  Track track(std::uint32_t group, const std::string& name, std::uint32_t place, const std::string& instance = {});
  /// A figure of the group that goes up and down, such as the length of a queue. The file has its greatest value in
  /// each interval.
  Counter level(std::uint32_t group, const std::string& name, const std::string& instance = {}) {
    return counter(group, name, instance, false);
  }
  /// A figure of the group that is a rate per second. The file has its mean in each interval.
  Counter rate(std::uint32_t group, const std::string& name, const std::string& instance = {}) {
    return counter(group, name, instance, true);
  }

  /// Adds a span to a track. Spans on one track must follow or contain one another; those that begin at the same time
  /// are added from the outermost inwards. Arrows connect the spans of one request (0: none), in order of time and, at
  /// the same time, of `turn`.
  void span(Track track, std::string_view name, Time start, Time end, Figures figures = {}, std::uint32_t request = 0,
            std::uint32_t turn = Flows::last_turn);
  void instant(Track track, std::string_view name, Time at, Figures figures = {});
  void set(Counter level, Time at, std::uint64_t value);
  void step(Counter level, Time at, std::int64_t by);
  void count(Counter rate, Time at, std::uint64_t amount);

  /// Spans and instants in the file.
  std::uint64_t spans() const { return spans_; }
  std::optional<std::string> truncation() const override;

 private:
  struct Group {
    std::string name;
    bool named = false;  // in the file
  };
  struct Figure {
    std::uint32_t group = 0;
    std::string name;
    bool is_rate = false;
    std::int64_t interval = 0;  // the current interval
    std::uint64_t value = 0;    // of a level: its current value
    std::uint64_t seen = 0;     // in the interval: the greatest value, or the amount so far
    std::uint64_t written = 0;  // the last value in the file
  };

  void finish() override;
  bool shows(std::uint32_t group, const std::string& instance);
  void mention(std::uint32_t group);
  Counter counter(std::uint32_t group, const std::string& name, const std::string& instance, bool is_rate);
  void reach(Figure&, Time at);
  void write_value(Figure&, std::int64_t interval, std::uint64_t value);
  bool admit(Time start, Time end);
  bool full() const { return file_->size() >= options_.limit; }

  Options options_;
  std::unique_ptr<TimelineFormat> file_;
  std::vector<Group> groups_;
  std::vector<Figure> figures_;
  Flows flows_;
  std::uint64_t spans_ = 0, left_out_ = 0;
  std::uint32_t tracks_ = 0;
  Time last_end_{};  // of the spans written
};

}  // namespace sunstar
