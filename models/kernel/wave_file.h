// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <fstream>

#include "models/kernel/recording.h"
#include "models/kernel/sc_time_bridge.h"

namespace sunstar {

struct WaveFileOptions {
  std::uint64_t limit = 256 << 20;  ///< the most bytes of changes that the file may have
  std::string comment = {};         ///< the file's comment on its run, one or several lines
  Scope scope = {};                 ///< the instances it shows
  Window window = {};               ///< when it begins and ends
};

/// A wave file (VCD) that accepts changes of its signals for now or for later: a bus works out a whole connection at
/// its beginning, and a worm reserves its path ahead of its head. The file keeps the changes until their time has come.
/// It needs no kernel events, so watching a run does not change it (docs/decisions: why not sc_trace).
///
/// Changes beyond the limit are left out; the file and truncation() say so.
///
/// Signals have instance names, with parts separated by dots; each part but the last becomes a scope. Every signal is
/// an integer. For a signal whose values stand for words the file also has the table of words (an enumeration,
/// `$attrbegin misc 07`; readers that do not know it skip it). The same run gives the same file, byte for byte.
class WaveFile final : public Recording {
 public:
  using Signal = std::uint32_t;
  /// A signal outside the scope: the file lacks it, and its changes cost nothing.
  static constexpr Signal unseen = ~Signal{0};

  using Options = WaveFileOptions;
  /// The words of a signal, by value from 0.
  struct Words {
    std::string kind;  ///< the table's name, as in "bus_phase"
    std::vector<std::string> words;
  };

  /// Throws ConfigError if the file cannot be written. `clock` returns a time before which no signal will change any
  /// more.
  explicit WaveFile(std::filesystem::path path, Options options = {}, std::function<Time()> clock = now);
  ~WaveFile() { abandon(); }

  // Create all signals before the simulation starts; signals created after the file's first part is written are
  // `unseen`, as are signals outside the scope.
  /// A signed number of 32 bits.
  Signal number(const std::string& name, int initial = 0) { return declare(name, 0, initial); }
  /// A signal whose values are words; change() refers to a word by its index.
  Signal word(const std::string& name, const Words& words, int initial = 0);

  /// Sets the signal to `value` from `at` on, in place of all changes planned for `at` and later.
  void change(Signal signal, Time at, int value);
  /// Adds `by` to the number at `at`. A signal is either changed or stepped, never both.
  void step(Signal signal, Time at, int by);

  std::optional<std::string> truncation() const override;

 private:
  struct Change {
    Time at;
    int value;
  };
  struct Trace {
    std::string name;
    std::size_t words;  // 1 + the number of its table of words; 0: none
    int written;        // the last value written, or due to be written when the window begins
    bool steps = false;
    std::deque<Change> planned;  // in order of time
  };

  Signal declare(const std::string& name, std::size_t words, int initial);
  void grown();
  void finish() override;
  void write_until(Time end);
  void write_header();
  void begin_window();
  void append(const Trace& trace, Signal signal);

  std::filesystem::path path_;
  Options options_;
  std::function<Time()> clock_;
  std::ofstream out_;
  std::string text_;
  std::vector<Words> words_;
  std::vector<Trace> traces_;
  std::uint64_t bytes_ = 0;
  std::optional<Time> full_at_;  // if the limit was reached: time of the first change left out
  std::size_t planned_ = 0, planned_limit_;
  Time written_until_{}, closed_at_{};
  bool header_written_ = false, begun_ = false;
};

}  // namespace sunstar
