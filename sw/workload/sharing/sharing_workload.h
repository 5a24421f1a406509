// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "sw/workload/sharing/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// A share of a sequence, spread evenly over it, as Bresenham's line spreads its steps. The share counts in millionths.
class EvenShare {
 public:
  explicit EvenShare(double share) : millionths_(static_cast<std::uint64_t>(std::llround(share * 1e6))) {}
  /// How many of the first `items` belong to it: share * items, rounded down. At most 2^43 items.
  std::uint64_t among(std::uint64_t items) const { return items * millionths_ / 1'000'000; }
  /// Whether the item with that index does.
  bool has(std::uint64_t index) const { return among(index + 1) > among(index); }

 private:
  std::uint64_t millionths_;
};

/// Instances of one application, each of p processes: processor k * p + i is process i of instance k, on node i
/// (`same`) or k * p + i (`different`). Process i uses the part [i / p, (i + 1) / p) of the files "shared" and
/// "private<k>"; a file to which no request goes does not exist. docs/workloads.md, "Sharing", says what for.
///
/// The requests of one file come in groups: a new one, for the d bytes that follow the last, and at once its
/// repeats, so that what is repeated is cached wherever one request is. Request k of a file is a repeat if k > 0
/// and floor((k + 1) l) > floor(k l). The group that begins with request j of a sequence, counted from 0, goes to
/// the shared file if that has had less than floor((j + 1) s) requests. There are no collectives: a process that
/// asks again for what it had takes part in none. Each request has a place of its own in its process's buffer, so
/// that every read is checked where it was put.
class SharingWorkload final : public Workload {
 public:
  SharingWorkload(const SharingParams& params, const MachineSizes& machine);

  std::uint32_t processors() const override { return params_.nodes * params_.instances; }
  std::uint32_t node(std::uint32_t processor) const override {
    return params_.placement == Placement::same ? processor % params_.nodes : processor;
  }
  std::vector<TeamRange> teams() const override;
  std::uint64_t memory_bytes(std::uint32_t) const override { return requests_ * params_.request_size.count; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return params_.bytes.count * params_.instances; }
  std::uint64_t access_count() const override { return requests_ * processors(); }
  Totals totals(Unit unit, std::uint32_t team) const override;

 private:
  class Requests;
  SharingParams params_;
  std::uint64_t requests_ = 0;       // of a process
  std::uint32_t first_private_ = 0;  // index of instance 0's file
};

}  // namespace sunstar::workload
