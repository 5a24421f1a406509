// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "platforms/kit/host.h"
#include "platforms/kit/run/watch.h"

namespace sunstar::kit {

/// The files that show a run. They must be closed while the machine that they show still lives:
///
///   Watching watching(watch);
///   Machine machine(config, watching.waves(), watching.timeline(), watching.log());
///   watching.check_scopes();
///   const Watching::End end(watching);  // after the machine: closes them also when the simulation fails
///   sc_start();
///   watching.close();
class Watching {
 public:
  /// `now`: the time of changes in the wave file; the kernel's if empty.
  explicit Watching(const Watch& watch, std::function<Time()> now = {});

  /// Null if there is none.
  WaveFile* waves() { return waves_ ? &*waves_ : nullptr; }
  Timeline* timeline() { return timeline_ ? &*timeline_ : nullptr; }
  EventLog* log() { return log_ ? &*log_ : nullptr; }
  bool any() const { return waves_ || timeline_ || log_; }
  /// Throws ConfigError if a scope names what the machine, which is built by now, does not have.
  void check_scopes() const;
  void close();
  /// What the files hold, and why they end early if they do; nothing if there are none.
  std::optional<Watched> watched() const;

  /// Closes the files when it is destroyed.
  struct End {
    explicit End(Watching& w) : watching(w) {}
    ~End();
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    Watching& watching;
  };

 private:
  std::optional<WaveFile> waves_;
  std::optional<Timeline> timeline_;
  std::optional<EventLog> log_;
};

}  // namespace sunstar::kit
