// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <deque>

#include "models/core/quantity.h"

// When an array rebuilds a failed drive on a spare.
namespace sunstar::io::redundant {

enum class Rebuild {
  off,          ///< never: the array goes on without the drive
  md_throttle,  ///< as Linux 2.4's md
};
BOOST_DESCRIBE_ENUM(Rebuild, off, md_throttle)

/// What an array does beside its requests; store.h has the meanings.
struct Upkeep {
  std::uint32_t spares = 0;
  std::uint32_t corrections = 20;
  Rebuild rebuild = Rebuild::md_throttle;
  Bandwidth least, most;  ///< of a rebuild, of the drive that is written
  bool finish = false;    ///< whether a run waits for its end
  Duration plug{};        ///< how long a write waits for others of its row
  bool tell_rows = false;
  Duration scrub_period{};
  bool scrub_repairs = false;
};

/// The throttle of Linux 2.4 (md.c, md_do_sync): below the least rate a rebuild is never held back; above the most it
/// always is; in between, while the array has had other requests since the last look. The rate is that of the last 30
/// s, looked up every 3 s, and counts a second more than has passed.
class Throttle {
 public:
  Throttle(const Upkeep& rates, Time start) : rates_(rates), marks_{{start, 0}} {}
  static constexpr Duration pause = std::chrono::milliseconds{250};

  /// Whether the rebuild must pause. `bytes`: rebuilt so far; `idle`: whether the array has had nothing else to do.
  bool holds(Time now, std::uint64_t bytes, bool idle) {
    if (now - marks_.back().at >= std::chrono::seconds{3}) {
      marks_.push_back({now, bytes});
      if (marks_.size() > 10) marks_.pop_front();
    }
    const double rate = static_cast<double>(bytes - marks_.front().bytes) / (seconds(now - marks_.front().at) + 1);
    if (rate <= rates_.least.bytes_per_second) return false;
    return rate > rates_.most.bytes_per_second || !idle;
  }

 private:
  struct Mark {
    Time at;
    std::uint64_t bytes;
  };
  const Upkeep& rates_;
  std::deque<Mark> marks_;
};

}  // namespace sunstar::io::redundant
