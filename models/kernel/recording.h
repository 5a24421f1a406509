// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/core/error.h"
#include "models/core/quantity.h"
#include "models/kernel/scope.h"

namespace sunstar {

/// A file that records a run as it goes on: the common part of waves, timeline and log.
class Recording {
 public:
  /// A part that looks up its events only now and then. settle() reports all events before the current time and returns
  /// that time, or an earlier one if it is called while the part is reporting: all events before the returned time have
  /// been reported.
  class Source {
   public:
    virtual Time settle() = 0;

   protected:
    ~Source() = default;
  };

  Recording(const Recording&) = delete;
  void add(Source& source) { sources_.push_back(&source); }
  /// Call it once all instances have been mentioned. Throws ConfigError if the scope names others.
  void check_scope() const { scope_.check(option_); }
  /// A sentence, if the file lacks something of the run or of its window.
  virtual std::optional<std::string> truncation() const = 0;
  /// Writes the remaining events, and drops events that lie in the future. Throws ConfigError if the file could not be
  /// written. The sources must still exist.
  void close() {
    if (std::exchange(closed_, true)) return;
    settle();
    finish();
  }

 protected:
  /// `option`: the option in which the user has written the scope.
  Recording(const char* option, Scope scope) : option_(option), scope_(std::move(scope)) {}
  ~Recording() = default;
  bool in_scope(std::string_view instance) { return scope_.contains(instance); }
  /// Returns the time before which the sources have reported everything.
  Time settle() {
    settling_ = true;
    Time until = Time::max();
    for (Source* source : sources_) until = std::min(until, source->settle());
    settling_ = false;
    return until;
  }
  virtual void finish() = 0;
  /// For the destructor: the sources may be gone.
  void abandon() {
    sources_.clear();
    try {
      close();
    } catch (const ConfigError&) {  // the run has failed anyway
    }
  }
  /// "The wave file ends at 0.000123 s: its limit of 256 MiB was reached", without the full stop.
  static std::string limit_reached(const std::string& what, Time end, std::uint64_t limit) {
    char at[32];
    std::snprintf(at, sizeof at, "%.6f", seconds(end));
    return "The " + what + " ends at " + at + " s: its limit of " +
           (limit % (1 << 20) == 0 ? std::to_string(limit >> 20) + " MiB" : std::to_string(limit) + " bytes") +
           " was reached";
  }
  bool settling_ = false, closed_ = false;

 private:
  const char* option_;
  Scope scope_;
  std::vector<Source*> sources_;
};

}  // namespace sunstar
