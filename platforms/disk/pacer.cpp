// SPDX-License-Identifier: MIT
#include "platforms/disk/pacer.h"

#include "platforms/kit/output.h"

namespace sunstar::disk_platform {

Pacer::Pacer(std::vector<Request> requests, std::uint32_t depth)
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

/// Lets the stream's next request come.
void Pacer::release(std::uint32_t stream, Time at) {
  auto& waiting = streams_[stream];
  if (waiting.empty()) return;
  due_.push({at, waiting.back()});
  waiting.pop_back();
}

Time Pacer::due() const {
  if (open_) return left_ > 0 ? requests_[requests_.size() - left_].arrives : Time::max();
  return due_.empty() ? Time::max() : due_.top().first;
}

Request& Pacer::next() {
  Request& r = requests_[open_ ? requests_.size() - left_ : due_.top().second];
  if (!open_) {
    r.arrives = due_.top().first;
    due_.pop();
  }
  if (--left_ == 0) waiting_at_last_ = under_way_;
  most_under_way_ = std::max(most_under_way_, ++under_way_);
  return r;
}

void Pacer::ended(const Request& r, Time at) {
  --under_way_;
  if (!open_) release(r.stream, at + r.think);
}

std::optional<std::string> Pacer::saturated(Time last_end) const {
  if (!open_ || waiting_at_last_ < 20 || waiting_at_last_ * 20 < requests_.size()) return std::nullopt;
  return "the requests come faster than they are served: when the last of " + std::to_string(requests_.size()) +
         " came, " + std::to_string(waiting_at_last_) + " had not ended, which took " +
         kit::short_number_text(seconds(last_end - requests_.back().arrives)) +
         " s more; response times grow with the length of the trace (workload.time_scale slows it down)";
}

std::uint32_t depth_of(const WorkloadParams& load) {
  const auto* trace = load.kind.if_is<TraceParams>();
  return trace ? trace->depth : 0;
}

}  // namespace sunstar::disk_platform
