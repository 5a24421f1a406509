// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/kernel/probe.h"
#include "platforms/kit/host.h"
#include "platforms/kit/run/watch.h"

namespace sunstar::kit {

/// The sinks of a run: its files and its critical path. The files must be closed while their machine still exists:
///
///   Sinks sinks(watch);
///   Machine machine(config, sinks.probe());
///   sinks.check_scopes();
///   const Sinks::End end(sinks);  // after the machine: closes them also when the simulation fails
///   sc_start();
///   sinks.close();
class Sinks {
 public:
  /// `now`: the time of changes in the wave file; the kernel's if empty.
  explicit Sinks(const Watch& watch, std::function<Time()> now = {});

  const Probe& probe() const { return probe_; }
  /// Throws ConfigError if a scope names an instance that the machine, which is built by now, does not have.
  void check_scopes() const;
  void close();
  /// The contents of the files, and the reason if a file ends early; nothing without files.
  std::optional<Watched> watched() const;

  /// Closes the files when it is destroyed.
  struct End {
    explicit End(Sinks& s) : sinks(s) {}
    ~End();
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    Sinks& sinks;
  };

 private:
  std::optional<WaveFile> waves_;
  std::optional<Timeline> timeline_;
  std::optional<EventLog> log_;
  std::vector<Recording*> files_;
  Probe probe_;
};

}  // namespace sunstar::kit
