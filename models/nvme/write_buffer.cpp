// SPDX-License-Identifier: MIT
#include "models/nvme/write_buffer.h"

#include <algorithm>

namespace sunstar::nvme {

void WriteBuffer::leave_until(Time now) {
  for (; !leaving_.empty() && leaving_.top().at <= now; leaving_.pop())
    used_ -= std::min(used_, leaving_.top().bytes);  // the last page of a flush is padded
}

bool WriteBuffer::fits(Time at, std::uint64_t bytes) {
  leave_until(at);
  return used_ == 0 || used_ + bytes <= bytes_;  // a write longer than the buffer passes through it
}

Time WriteBuffer::room(Time from, std::uint64_t bytes) {
  while (!fits(from, bytes) && !leaving_.empty()) from = std::max(from, leaving_.top().at);
  return from;
}

void WriteBuffer::add(std::uint64_t first, std::uint64_t end) {
  used_ += end - first;
  gathered_ += end - first;
  held_.push_back({first, end, Time::max()});
}

void WriteBuffer::drained(Time until) {
  gathered_ = 0;
  for (auto held = held_.rbegin(); held != held_.rend() && held->until == Time::max(); ++held) held->until = until;
}

bool WriteBuffer::holds(Time now, std::uint64_t first, std::uint64_t end) {
  while (!held_.empty() && held_.front().until <= now) held_.pop_front();
  return std::ranges::any_of(held_, [&](const Held& h) { return h.first <= first && end <= h.end && h.until > now; });
}

}  // namespace sunstar::nvme
