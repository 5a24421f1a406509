// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/core/quantity.h"
#include "models/kernel/sc_time_bridge.h"

namespace sunstar {

/// A wave file (VCD) whose signals change at the times they are told, now or later: a bus works out a whole connection
/// at its beginning, a worm reserves its path before its head gets there. The file keeps the changes until their time
/// has come; the kernel is asked for no event, so a run that is watched is the same run (docs/decisions: why not
/// sc_trace).
///
/// What no longer fits into the limit is left out, which the file and truncation() say.
///
/// Names are instance names, parts separated by dots; each part but the last becomes a scope. The same run gives the
/// same file, byte for byte.
class WaveFile {
 public:
  using Signal = std::uint32_t;
  static constexpr std::uint64_t default_limit = 256 << 20;

  /// Somebody whose signals are looked at only now and then: told to hand in all changes before the present time.
  class Source {
   public:
    virtual void settle() = 0;

   protected:
    ~Source() = default;
  };

  /// Throws ConfigError if the file cannot be written. `limit`: bytes of changes. `clock` tells the time before which
  /// nothing changes any more.
  explicit WaveFile(std::filesystem::path path, std::uint64_t limit = default_limit, std::function<Time()> clock = now);
  ~WaveFile();
  WaveFile(const WaveFile&) = delete;

  // All signals are made before the first change.
  /// A signed number of 32 bits.
  Signal number(const std::string& name, int initial = 0);
  /// A value that is one of some words, in order of the numbers by which change() knows them.
  Signal word(const std::string& name, std::vector<std::string> words, int initial = 0);
  void add(Source& source) { sources_.push_back(&source); }

  /// From `at` on the signal has that value: takes the place of all it was to do at `at` and later.
  void change(Signal signal, Time at, int value);
  /// At `at` the number goes up by `by`. A signal is either changed or stepped.
  void step(Signal signal, Time at, int by);

  /// Writes everything up to the present time; what was to happen after it is not written. Throws ConfigError if the
  /// file could not be written. The sources must still be there.
  void close();
  /// A sentence, if the file ends before the run does.
  std::optional<std::string> truncation() const;

 private:
  struct Change {
    Time at;
    int value;
  };
  struct Trace {
    std::string name;
    std::vector<std::string> words;
    int written;  // the value that the file shows
    bool steps = false;
    std::deque<Change> planned;  // in order of time
  };

  void grown();
  void write_until(Time end);
  void write_header();
  void append(const Trace& trace, Signal signal);

  std::filesystem::path path_;
  std::function<Time()> clock_;
  std::ofstream out_;
  std::string text_;
  std::vector<Trace> traces_;
  std::vector<Source*> sources_;
  std::uint64_t limit_, bytes_ = 0;
  std::optional<Time> full_at_;  // the limit was reached: the first change left out
  std::size_t planned_ = 0, planned_limit_;
  Time written_until_{};
  bool header_written_ = false, closed_ = false;
};

}  // namespace sunstar
