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

/// A wave file (VCD) that accepts changes of its signals for now or for later: a bus works out a whole connection at
/// its beginning, and a worm reserves its path before its head gets there. The file keeps the changes until their time
/// has come. It needs no kernel events, so watching a run does not change it (docs/decisions: why not sc_trace).
///
/// Changes beyond the limit are left out; the file and truncation() say so.
///
/// Signals have instance names, with parts separated by dots; each part but the last becomes a scope. The same run
/// gives the same file, byte for byte.
class WaveFile {
 public:
  using Signal = std::uint32_t;
  static constexpr std::uint64_t default_limit = 256 << 20;

  /// A part whose signals are sampled only now and then. settle() reports all its changes before the current time.
  class Source {
   public:
    virtual void settle() = 0;

   protected:
    ~Source() = default;
  };

  /// Throws ConfigError if the file cannot be written. `limit` is the most bytes of changes that it writes. `clock`
  /// returns the time before which no signal changes any more.
  explicit WaveFile(std::filesystem::path path, std::uint64_t limit = default_limit, std::function<Time()> clock = now);
  ~WaveFile();
  WaveFile(const WaveFile&) = delete;

  // All signals must be created before the first change.
  /// A signed number of 32 bits.
  Signal number(const std::string& name, int initial = 0);
  /// A signal whose values are words; change() refers to a word by its index in `words`.
  Signal word(const std::string& name, std::vector<std::string> words, int initial = 0);
  void add(Source& source) { sources_.push_back(&source); }

  /// From `at` on the signal has that value. This replaces all changes planned for `at` and later.
  void change(Signal signal, Time at, int value);
  /// Adds `by` to the number at `at`. A signal is either changed or stepped, never both.
  void step(Signal signal, Time at, int by);

  /// Writes all changes up to the current time and drops those planned for later. Throws ConfigError if the file could
  /// not be written. The sources must still exist.
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
  std::optional<Time> full_at_;  // if the limit was reached: time of the first change left out
  std::size_t planned_ = 0, planned_limit_;
  Time written_until_{};
  bool header_written_ = false, closed_ = false;
};

}  // namespace sunstar
