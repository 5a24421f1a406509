// SPDX-License-Identifier: MIT
#pragma once
#include <queue>

#include "models/core/random.h"
#include "platforms/disk/config.h"
#include "platforms/kit/output.h"

namespace sunstar::disk_platform {

struct Request {
  Time arrives{};  ///< of a load whose requests come at their times
  bool write = false;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
  std::uint32_t stream = 0;
  std::vector<std::uint64_t> partial{};  ///< its sectors that the trace asks for in part
  Duration measured{0};                  ///< response time of the real drive; 0: unknown
  Duration think{0};                     ///< until the next request, from this one's end
};

/// Reads at most `requests` requests (0: all) of the workload's file for a drive or an array with that many sectors of
/// that size. The sectors of a file have 512 bytes: a drive with larger ones reads those that a write changes in part
/// before it writes. The requests of the kind arrivals are in the order of their times. Throws a ConfigError that names
/// file and line for a line that is no request, goes beyond the last sector, or is earlier than the one before it; and
/// one if the file says neither think times nor response times and the kind is trace, unless think_scale is 0.
std::vector<Request> read_requests(const WorkloadParams& load, std::uint64_t sectors, std::uint64_t sector_bytes);

/// Makes the requests of a synthetic load, one at a time.
class SyntheticLoad {
 public:
  SyntheticLoad(const SyntheticParams& params, std::uint64_t drive_sectors, std::uint64_t sector_bytes,
                std::uint64_t seed);
  Request next();

 private:
  double exponential();
  std::uint32_t draw_sectors();

  SyntheticParams params_;
  std::uint64_t span_, unit_;  // sectors
  std::uint32_t size_;
  std::int64_t local_;
  RandomStream random_;
  Request last_;
};

/// Says when the requests of a file are due. In an open loop each is due at its time. In a closed loop each stream has
/// at most so many under way: after the end of a request and its think time, the stream's next request is due.
class Pacer {
 public:
  /// `depth`: of a closed loop; 0: the loop is open.
  Pacer(std::vector<Request> requests, std::uint32_t depth)
      : requests_(std::move(requests)), open_(depth == 0), left_(requests_.size()) {
    if (open_) return;
    for (std::size_t i = requests_.size(); i-- > 0;) {
      const std::uint32_t stream = requests_[i].stream;
      if (stream >= streams_.size()) streams_.resize(stream + 1);
      streams_[stream].push_back(i);
    }
    for (std::uint32_t stream = 0; stream < streams_.size(); ++stream)
      for (std::uint32_t i = 0; i < depth; ++i) release(stream, Time{});
  }

  bool more() const { return left_ > 0; }

  /// When the next one is due; Time::max() if that depends on the end of another one.
  Time due() const {
    if (open_) return left_ > 0 ? requests_[requests_.size() - left_].arrives : Time::max();
    return due_.empty() ? Time::max() : due_.top().first;
  }

  /// The request that is due; it arrives at due().
  Request& next() {
    Request& r = requests_[open_ ? requests_.size() - left_ : due_.top().second];
    if (!open_) {
      r.arrives = due_.top().first;
      due_.pop();
    }
    if (--left_ == 0) waiting_at_last_ = under_way_;
    most_under_way_ = std::max(most_under_way_, ++under_way_);
    return r;
  }

  void ended(const Request& r, Time at) {
    --under_way_;
    if (!open_) release(r.stream, at + r.think);
  }

  const std::vector<Request>& requests() const { return requests_; }
  std::uint64_t under_way() const { return under_way_; }
  std::uint64_t most_under_way() const { return most_under_way_; }

  /// A sentence if the requests of an open loop come faster than they are served: when the last one came, a twentieth
  /// of all or more had not ended.
  std::optional<std::string> saturated(Time last_end) const {
    if (!open_ || waiting_at_last_ < 20 || waiting_at_last_ * 20 < requests_.size()) return std::nullopt;
    return concat("the requests come faster than they are served: when the last of ", requests_.size(), " came, ",
                  waiting_at_last_, " had not ended, which took ",
                  kit::short_number_text(seconds(last_end - requests_.back().arrives)),
                  " s more; response times grow with the length of the trace (workload.time_scale slows it down)");
  }

 private:
  /// Lets the stream's next request come.
  void release(std::uint32_t stream, Time at) {
    auto& waiting = streams_[stream];
    if (waiting.empty()) return;
    due_.push({at, waiting.back()});
    waiting.pop_back();
  }

  std::vector<Request> requests_;
  const bool open_;
  std::vector<std::vector<std::size_t>> streams_;  // of a closed loop: the numbers of their requests, last first
  using Due = std::pair<Time, std::size_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::size_t left_;
  std::uint64_t under_way_ = 0, most_under_way_ = 0, waiting_at_last_ = 0;
};

/// The depth of the workload's closed loop; 0 if its loop is open.
inline std::uint32_t depth_of(const WorkloadParams& load) {
  const auto* trace = load.kind.if_is<TraceParams>();
  return trace ? trace->depth : 0;
}

}  // namespace sunstar::disk_platform
