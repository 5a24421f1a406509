// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string_view>

namespace sunstar::kit {

/// One line on a terminal, rewritten in place at most ten times a second: the run's progress, its activity, and its
/// time so far. If it is off, it costs one comparison. The time shown is the host's and never reaches a result.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Progress(std::ostream& out, bool on, std::function<Clock::time_point()> now = Clock::now);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` from 0 to 1; `text` is cut to 100 characters.
  void update(double fraction, std::string_view text) {
    if (on_) draw(fraction, text);
  }
  /// Takes the line off the terminal.
  void clear();

  /// Returns a function for run_trials() that shows how many trials have ended or, for a single trial, its progress and
  /// activity. It is empty if the display is off.
  std::function<void(double done, std::string_view doing)> of_trials(std::uint32_t trials);

 private:
  void draw(double fraction, std::string_view text);

  std::ostream& out_;
  bool on_, drawn_ = false;
  std::function<Clock::time_point()> now_;
  Clock::time_point start_, last_{};
};

}  // namespace sunstar::kit
