// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <utility>
#include <variant>

#include "models/core/quantity.h"

// Files that record a run, and the part of the run that each records.
namespace sunstar {

/// A span of time, from `from` until just before `to`.
struct Window {
  Time from{}, to = Time::max();

  bool contains(Time t) const { return from <= t && t < to; }
  /// Whether some of the span from `start` to `end` lies within.
  bool meets(Time start, Time end) const { return start < to && (end > from || start >= from); }
};

/// The instances of a machine that a file records: all, or the instances named by a list of patterns. A pattern is the
/// name of an instance and stands for all below it; `*` stands for any characters, `?` for one, and the name of the
/// whole machine may be left out: "iop0*,cp3" names machine.iop0, machine.iop0_scsi0.disk0, machine.cp3.cpu, but not
/// machine.cp30.
class Scope {
 public:
  Scope() = default;  ///< everything
  /// `patterns`, separated by commas; none of them is empty.
  explicit Scope(std::string_view patterns);

  /// Whether the scope contains the instance, which must exist.
  bool contains(std::string_view instance);
  /// Throws ConfigError if a pattern has named none of the instances so far; the sentence lists the instances. `option`
  /// is the option in which the user has written the patterns.
  void check(const std::string& option) const;

 private:
  struct Pattern {
    std::string text;
    bool met = false;
  };
  std::vector<Pattern> patterns_;
  std::vector<std::string> exist_;  // the machine's own instances, in order
};

/// A file that grows as a run goes on, through gzip if its name ends in .gz; or a stream.
class TextOutput {
 public:
  /// A file, or a stream that must live until close().
  using To = std::variant<std::filesystem::path, std::ostream*>;
  /// Throws ConfigError if the file cannot be written.
  explicit TextOutput(const To& to);
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;

  void put(std::string_view text);
  /// Throws ConfigError if not all of the text could be written. Nothing more may be put then.
  void close();

 private:
  struct Stages;
  std::unique_ptr<Stages> stages_;
};

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
    const bool in_mib = limit % (1 << 20) == 0;
    return concat("The ", what, " ends at ", at, " s: its limit of ", in_mib ? limit >> 20 : limit,
                  in_mib ? " MiB was reached" : " bytes was reached");
  }
  bool settling_ = false, closed_ = false;

 private:
  const char* option_;
  Scope scope_;
  std::vector<Source*> sources_;
};

}  // namespace sunstar
