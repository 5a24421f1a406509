// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string_view>

namespace sunstar::kit {

/// The run's progress, its activity, and its time so far: on a terminal one line, rewritten in place at most ten times
/// a second; elsewhere a line every ten seconds. If it is off, it costs one comparison. The time shown is the host's
/// and never reaches a result.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Progress(std::ostream& out, bool on, bool terminal, std::function<Clock::time_point()> now = Clock::now)
      : out_(out), on_(on), terminal_(terminal), now_(std::move(now)) {
    if (on_) start_ = now_();
    if (!terminal_) last_ = start_;
  }
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` from 0 to 1; `text` is cut to 100 characters.
  void update(double fraction, std::string_view text) {
    if (on_) draw(fraction, text);
  }
  void clear() {
    if (drawn_) out_ << "\r\x1b[K" << std::flush;
    drawn_ = false;
  }

  /// Returns a function for run_trials() that shows how many trials have ended or, for a single trial, its progress and
  /// activity. It is empty if the display is off.
  std::function<void(double done, std::string_view doing)> of_trials(std::uint32_t trials) {
    if (!on_) return {};
    return [this, trials](double done, std::string_view doing) {
      const auto ended = static_cast<std::uint32_t>(done);
      update(done / trials, trials > 1      ? std::to_string(ended) + " of " + std::to_string(trials) + " trials"
                            : doing.empty() ? "simulated"
                                            : std::string(doing));
    };
  }

 private:
  void draw(double fraction, std::string_view text) {
    const auto t = now_();
    const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10);
    if ((drawn_ || !terminal_) && t - last_ < pause) return;
    last_ = t;
    drawn_ = terminal_;
    char line[160];
    std::snprintf(line, sizeof line, "%3.0f%%  %.*s  %.1f s", 100 * std::clamp(fraction, 0.0, 1.0),
                  static_cast<int>(std::min<std::size_t>(text.size(), 100)), text.data(),
                  std::chrono::duration<double>(t - start_).count());
    out_ << (terminal_ ? "\r\x1b[K" : "") << line << (terminal_ ? "" : "\n") << std::flush;
  }

  std::ostream& out_;
  bool on_, terminal_, drawn_ = false;
  std::function<Clock::time_point()> now_;
  Clock::time_point start_, last_{};
};

}  // namespace sunstar::kit
