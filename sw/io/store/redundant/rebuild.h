// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <deque>

#include "models/core/quantity.h"

// The policy for rebuilding a failed drive on a spare.
namespace sunstar::io::redundant {

enum class Rebuild {
  off,          ///< never: the array goes on without the drive
  md_throttle,  ///< as Linux 2.4's md
};
BOOST_DESCRIBE_ENUM(Rebuild, off, md_throttle)

/// The throttle of Linux 2.4 (md.c, md_do_sync): below the least rate a rebuild is never held back; above the most it
/// always is; in between, while the array has had other requests since the last look. The rate is averaged over the
/// last 30 s, looked up every 3 s, and counts a second more than has passed.
class Throttle {
 public:
  /// The rates are of bytes written to the spare.
  Throttle(Bandwidth least, Bandwidth most, Time start) : least_(least), most_(most), marks_{{start, 0}} {}
  static constexpr Duration pause = std::chrono::milliseconds{250};

  /// Whether the rebuild must pause. `bytes`: rebuilt so far; `idle`: whether the array has had no other requests.
  bool holds(Time now, std::uint64_t bytes, bool idle) {
    if (now - marks_.back().at >= std::chrono::seconds{3}) {
      marks_.push_back({now, bytes});
      if (marks_.size() > 10) marks_.pop_front();
    }
    const double rate = static_cast<double>(bytes - marks_.front().bytes) / (seconds(now - marks_.front().at) + 1);
    if (rate <= least_.bytes_per_second) return false;
    return rate > most_.bytes_per_second || !idle;
  }

 private:
  struct Mark {
    Time at;
    std::uint64_t bytes;
  };
  const Bandwidth least_, most_;
  std::deque<Mark> marks_;
};

}  // namespace sunstar::io::redundant
