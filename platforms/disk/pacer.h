// SPDX-License-Identifier: MIT
#pragma once
#include <queue>

#include "platforms/disk/load.h"

namespace sunstar::disk_platform {

/// Says when the requests of a file are due. In an open loop each is due at its time. In a closed loop each stream has
/// at most so many under way: after the end of a request and its think time, the stream's next request is due.
class Pacer {
 public:
  /// `depth`: of a closed loop; 0: the loop is open.
  Pacer(std::vector<Request> requests, std::uint32_t depth);

  bool more() const { return left_ > 0; }
  /// When the next one is due; Time::max() if that depends on the end of another one.
  Time due() const;
  /// The request that is due; it arrives at due().
  Request& next();
  void ended(const Request& request, Time at);

  const std::vector<Request>& requests() const { return requests_; }
  std::uint64_t under_way() const { return under_way_; }
  std::uint64_t most_under_way() const { return most_under_way_; }
  /// A sentence if the requests of an open loop come faster than they are served: when the last one came, a twentieth
  /// of all or more had not ended.
  std::optional<std::string> saturated(Time last_end) const;

 private:
  void release(std::uint32_t stream, Time at);

  std::vector<Request> requests_;
  const bool open_;
  std::vector<std::vector<std::size_t>> streams_;  // of a closed loop: the numbers of their requests, last first
  using Due = std::pair<Time, std::size_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::size_t left_;
  std::uint64_t under_way_ = 0, most_under_way_ = 0, waiting_at_last_ = 0;
};

/// The depth of the workload's closed loop; 0 if its loop is open.
std::uint32_t depth_of(const WorkloadParams& load);

}  // namespace sunstar::disk_platform
