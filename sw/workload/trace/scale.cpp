// SPDX-License-Identifier: MIT
#include "sw/workload/trace/scale.h"

#include <set>

namespace sunstar::workload {
namespace {

/// The times at which kept requests start.
class KeptTimes {
 public:
  KeptTimes(const Trace& trace, const ScaleParams& scale) : from_(seconds(scale.from)), to_(seconds(scale.to)) {
    for (const TraceRequest& r : trace.requests) first_ = std::min(first_, r.start);
  }
  bool hold(const TraceRequest& r) const {
    const double at = r.start - first_;
    return at >= from_ && (to_ == 0 || at < to_);
  }

 private:
  double first_ = HUGE_VAL, from_, to_;
};

/// Changes kept requests for which `leaves` holds.
template <class Leaves>
void leave_out(const Trace& trace, std::vector<ScaledRequest>& all, Fate fate, Leaves&& leaves) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].fate == Fate::kept && leaves(trace.requests[i])) all[i].fate = fate;
}

void keep_ranks(const Trace& trace, std::vector<ScaledRequest>& all, std::uint32_t ranks) {
  std::set<std::uint32_t> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].fate == Fate::kept) found.insert(trace.requests[i].rank);
  if (found.size() <= ranks) return;
  const std::uint32_t end = *std::next(found.begin(), ranks);
  leave_out(trace, all, Fate::other_ranks, [&](const TraceRequest& r) { return r.rank >= end; });
}

void keep_files(const Trace& trace, std::vector<ScaledRequest>& all, std::uint32_t files) {
  if (trace.files.size() <= files) return;
  std::vector<double> bytes(trace.files.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].fate == Fate::kept) bytes[trace.requests[i].file] += static_cast<double>(trace.requests[i].bytes);
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  std::vector<char> chosen(bytes.size(), 0);
  for (std::uint32_t i = 0; i < files; ++i) chosen[order[i]] = 1;
  leave_out(trace, all, Fate::other_files, [&](const TraceRequest& r) { return !chosen[r.file]; });
}

}  // namespace

// Block b stays if the product rises to a new whole number from b to b + 1.
std::uint64_t Shrink::stay_below(std::uint64_t block) const {
  // 1e-12: 0.1 * 30 is a little more than 3 in binary.
  return static_cast<std::uint64_t>(std::ceil(lengths_ * static_cast<double>(block) * (1 - 1e-12)));
}

std::uint64_t Shrink::place(std::uint64_t offset) const {
  if (lengths_ == 1) return offset;
  const std::uint64_t block = offset / block_bytes_, before = stay_below(block);
  const bool stays = stay_below(block + 1) > before;
  return before * block_bytes_ + (stays ? offset % block_bytes_ : 0);
}

std::vector<ScaledRequest> scaled(const Trace& trace, const std::vector<char>& wanted, const ScaleParams& scale) {
  std::vector<ScaledRequest> all(trace.requests.size());
  const KeptTimes times(trace, scale);
  leave_out(trace, all, Fate::filtered, [&](const TraceRequest& r) { return !wanted[r.file]; });
  leave_out(trace, all, Fate::zero_length, [](const TraceRequest& r) { return r.bytes == 0; });
  leave_out(trace, all, Fate::outside_window, [&](const TraceRequest& r) { return !times.hold(r); });
  if (scale.ranks != 0) keep_ranks(trace, all, scale.ranks);
  if (scale.files != 0) keep_files(trace, all, scale.files);
  const Shrink shrink(scale.lengths, scale.block_size.count);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].fate != Fate::kept) continue;
    const TraceRequest& r = trace.requests[i];
    all[i].offset = shrink.place(r.offset);
    all[i].bytes = shrink.place(r.offset + r.bytes) - all[i].offset;
    if (all[i].bytes == 0) all[i].fate = Fate::cut_out;
  }
  return all;
}

}  // namespace sunstar::workload
