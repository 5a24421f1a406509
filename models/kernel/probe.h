// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/critical_path.h"
#include "models/kernel/event_log.h"
#include "models/kernel/timeline.h"
#include "models/kernel/wave_file.h"

namespace sunstar {

/// The parts of a machine report their events here. Each sink is null unless the run has one; all outlive the machine.
///
/// A part with events to report has one hook, `void probe(const Probe&)`, to be called after the part is built and
/// before the simulation starts. The hook makes the emitters below, which the part calls at each event
/// (docs/decisions/0029-one-probe.md).
struct Probe {
  WaveFile* waves = nullptr;
  Timeline* timeline = nullptr;
  EventLog* log = nullptr;
  CriticalPath* path = nullptr;  ///< null unless the run is to be explained

  bool files() const { return waves || timeline || log; }
  explicit operator bool() const { return files() || path; }
  /// A new track of the group `group` (Timeline::track); none without a timeline.
  Timeline::Track track(const std::string& group, const std::string& name, std::uint32_t place,
                        const std::string& instance = {}) const {
    return timeline ? timeline->track(timeline->group(group), name, place, instance) : Timeline::Track{};
  }
};

/// A number of a part, or a word for it, as it changes: a signal in the waves.
class Wave {
 public:
  Wave() = default;
  Wave(const Probe& probe, const std::string& name, int initial = 0)
      : waves_(probe.waves), signal_(waves_ ? waves_->number(name, initial) : WaveFile::unseen) {}
  Wave(const Probe& probe, const std::string& name, const WaveFile::Words& words)
      : waves_(probe.waves), signal_(waves_ ? waves_->word(name, words) : WaveFile::unseen) {}
  /// From `at` on, which may lie in the future.
  void change(Time at, int value) const {
    if (waves_) waves_->change(signal_, at, value);
  }
  void step(Time at, int by) const {
    if (waves_) waves_->step(signal_, at, by);
  }

 private:
  WaveFile* waves_ = nullptr;
  WaveFile::Signal signal_ = WaveFile::unseen;
};

/// The length of a queue, or the like: a signal in the waves and a level on the timeline.
class Level {
 public:
  Level() = default;
  Level(Wave wave, Timeline* timeline, Timeline::Counter counter)
      : wave_(wave), timeline_(timeline), counter_(counter) {}
  void step(Time at, int by) const {
    wave_.step(at, by);
    if (timeline_) timeline_->step(counter_, at, by);
  }

 private:
  Wave wave_;
  Timeline* timeline_ = nullptr;
  Timeline::Counter counter_ = 0;
};

/// Bytes that pass, as a rate on the timeline.
class Rate {
 public:
  Rate() = default;
  Rate(const Probe& probe, const std::string& group, const std::string& name, const std::string& instance = {})
      : timeline_(probe.timeline), counter_(timeline_ ? timeline_->rate(timeline_->group(group), name, instance) : 0) {}
  void count(Time at, std::uint64_t amount) const {
    if (timeline_) timeline_->count(counter_, at, amount);
  }

 private:
  Timeline* timeline_ = nullptr;
  Timeline::Counter counter_ = 0;
};

/// The events of one instance: instants, as lines of the log, and spans, on a track of the timeline.
class Reporter {
 public:
  using Figures = Timeline::Figures;
  Reporter() = default;
  explicit Reporter(const Probe& probe, const std::string& instance, Timeline::Track track = {})
      : log_(probe.log),
        timeline_(probe.timeline),
        instance_(log_ ? log_->instance(instance) : EventLog::Instance{}),
        track_(track) {}
  bool tells(LogLevel level) const { return log_ && log_->tells(level); }
  bool records() const { return timeline_ != nullptr; }
  void instant(LogLevel level, Time at, std::string_view what, Figures figures = {}, std::uint32_t request = 0) const {
    if (log_) log_->event(instance_, level, at, what, figures, request);
  }
  void span(std::string_view what, Time start, Time end, Figures figures = {}, std::uint32_t request = 0) const {
    if (timeline_) timeline_->span(track_, what, start, end, figures, request);
  }

 private:
  EventLog* log_ = nullptr;
  Timeline* timeline_ = nullptr;
  EventLog::Instance instance_;
  Timeline::Track track_;
};

}  // namespace sunstar
