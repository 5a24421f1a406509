// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/critical_path.h"
#include "models/disk/drive.h"

namespace sunstar::disk {

/// Explains why a drive's answer lies in the future.
struct Delay {
  Stages stages{};        ///< the drive's work from the call until the answer
  bool by_heads = false;  ///< the answer waits for the heads, which are still busy
  Time since{};           ///< when they began the uninterrupted work for this answer (Drive::work_since)
  Stages work{};          ///< the work from `since` until the answer
};

/// Explains the answers of one drive from its notes on the heads (Drive::note_activity). The reader of the notes hands
/// them over.
class Delays {
 public:
  /// A note whose time has come.
  void passed(const Activity& note) {
    until(note.at);
    phase_ = note.phase;
  }
  /// All notes up to that time have passed.
  void until(Time t) {
    add(worked_, stage_of(phase_), std::max(settled_, delay_.since), t);
    settled_ = std::max(settled_, t);
  }

  /// The drive was called at `at` and answered with `ready`.
  const Delay& explain(const Drive& drive, Time at, Time ready) {
    const RequestTiming& timing = drive.timing();
    ready = std::max(at, ready);
    const Time decoded = std::clamp(timing.received + timing.overhead, at, ready);
    delay_.stages = {};
    add(delay_.stages, Stage::disk_overhead, at, decoded);
    add_planned(delay_.stages, drive, decoded, ready);
    if (drive.work_since() != delay_.since) {
      delay_.since = drive.work_since();
      worked_ = {};
    }
    delay_.by_heads = drive.by_heads() && ready > at;
    delay_.work = worked_;
    add_planned(delay_.work, drive, std::max(settled_, delay_.since), ready);
    return delay_;
  }

  const Delay& last() const { return delay_; }

 private:
  static Stage stage_of(Phase phase) {
    switch (phase) {
      case Phase::seek: return Stage::disk_seek;
      case Phase::rotation: return Stage::disk_rotation;
      case Phase::idle: return Stage::disk_overhead;  // the controller has not set them to work yet
      default: return Stage::disk_transfer;
    }
  }

  static void add(Stages& to, Stage stage, Time from, Time until) {
    if (until > from) to[static_cast<std::size_t>(stage)] += until - from;
  }

  // Adds the heads' planned work between two times, neither of them before settled_.
  void add_planned(Stages& to, const Drive& drive, Time from, Time until) const {
    Phase phase = phase_;
    for (const Activity& next : drive.activity()) {
      if (next.at >= until) break;
      add(to, stage_of(phase), from, next.at);
      from = std::max(from, next.at);
      phase = next.phase;
    }
    add(to, stage_of(phase), from, until);
  }

  Phase phase_ = Phase::idle;  // the heads' current phase
  Time settled_{};             // worked_ counts the heads' work until then
  Stages worked_{};            // from delay_.since on
  Delay delay_;
};

/// Extends the paths of the requests to one drive.
class DrivePath {
 public:
  /// Extends the path of a request to the drive's answer. If the request waits for the heads, it continues the path of
  /// the request that set them to work; otherwise its own.
  void answered(const CriticalPath& paths, Path& request, const Delay& delay) {
    if (heads_.at != delay.since) {
      heads_ = request;
      paths.advance(heads_, delay.since, Stage::disk_overhead);
    }
    if (!delay.by_heads) {
      paths.advance(request, request.at + total(delay.stages), Stage::disk_overhead);
      return;
    }
    request = heads_;
    for (std::size_t s = 0; s < stage_count; ++s)
      paths.advance(request, request.at + delay.work[s], static_cast<Stage>(s));
  }

 private:
  Path heads_;  // the path of the request that set the heads to work
};

}  // namespace sunstar::disk
