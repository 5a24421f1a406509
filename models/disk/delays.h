// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/critical_path.h"
#include "models/disk/drive.h"

namespace sunstar::disk {

/// Why a drive's answer lies in the future.
struct Delay {
  Stages stages{};        ///< what the drive does from the call until then
  bool by_heads = false;  ///< it takes that long because the heads are still busy
  Time since{};           ///< when they began the uninterrupted work for this answer (Drive::work_since)
  Stages work{};          ///< that work, until the answer
};

/// Explains the answers of one drive from its notes on what the heads do (Drive::note_activity). Whoever takes the
/// notes hands them over.
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
  const Delay& explain(const Drive& drive, Time at, Time ready);
  const Delay& last() const { return delay_; }

 private:
  static Stage stage_of(Phase phase);
  static void add(Stages& to, Stage stage, Time from, Time until) {
    if (until > from) to[static_cast<std::size_t>(stage)] += until - from;
  }
  void add_planned(Stages& to, const Drive& drive, Time from, Time until) const;

  Phase phase_ = Phase::idle;  // what the heads are doing
  Time settled_{};             // until then, worked_ counts what they have done
  Stages worked_{};            // since delay_.since
  Delay delay_;
};

/// Leads the paths of the requests to one drive on.
class DrivePath {
 public:
  /// Leads the path of a request on to the drive's answer. If the request waits for the heads, the path is that of the
  /// request that set them to work; otherwise its own.
  void answered(const CriticalPath& paths, Path& request, const Delay& delay);

 private:
  Path heads_;  // what set them to work
};

}  // namespace sunstar::disk
