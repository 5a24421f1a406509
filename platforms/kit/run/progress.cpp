// SPDX-License-Identifier: MIT
#include "platforms/kit/run/progress.h"

#include <algorithm>
#include <cstdio>

namespace sunstar::kit {

Progress::Progress(std::ostream& out, bool on, std::function<Clock::time_point()> now)
    : out_(out), on_(on), now_(std::move(now)) {
  if (on_) start_ = now_();
}

void Progress::draw(double fraction, std::string_view text) {
  const auto t = now_();
  if (drawn_ && t - last_ < std::chrono::milliseconds(100)) return;
  last_ = t;
  drawn_ = true;
  char line[160];
  std::snprintf(line, sizeof line, "\r\x1b[K%3.0f%%  %.*s  %.1f s", 100 * std::clamp(fraction, 0.0, 1.0),
                static_cast<int>(std::min<std::size_t>(text.size(), 100)), text.data(),
                std::chrono::duration<double>(t - start_).count());
  out_ << line << std::flush;
}

std::function<void(double, std::string_view)> Progress::of_trials(std::uint32_t trials) {
  if (!on_) return {};
  return [this, trials](double done, std::string_view doing) {
    const auto ended = static_cast<std::uint32_t>(done);
    update(done / trials, trials > 1      ? std::to_string(ended) + " of " + std::to_string(trials) + " trials"
                          : doing.empty() ? "simulated"
                                          : std::string(doing));
  };
}

void Progress::clear() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace sunstar::kit
