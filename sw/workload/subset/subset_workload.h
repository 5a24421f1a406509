// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "sw/workload/subset/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// The pieces of one file that the processors read or write: one call each and, as a collective, one list. Of the n
/// random chunks, share * n are chosen, rounded and at least one; docs/workloads.md, "Irregular subsets", says how.
///
/// A processor's pieces are taken in file order, and lie so in its buffer, one behind the other. If pieces overlap,
/// every reader gets a copy, and of several writers a collective takes the one whose piece begins first (ListMapping).
class SubsetWorkload : public Workload {
 public:
  /// Throws ConfigError if the list cannot be used.
  SubsetWorkload(const SubsetParams& params, std::uint32_t processors);

  std::uint32_t processors() const override { return static_cast<std::uint32_t>(pieces_.size()); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return (*memory_)[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return bytes_; }
  std::uint64_t access_count() const override { return count_; }
  std::uint64_t collective_bytes() const override { return collective_bytes_; }
  /// The section "subset": how many pieces there are, and how long.
  void add_figures(NamedFigures& sections) const override;

  /// A processor's pieces, in file order.
  const std::vector<Piece>& pieces(std::uint32_t processor) const { return pieces_[processor]; }

 private:
  Operation operation_;
  std::vector<std::vector<Piece>> pieces_;  // by processor
  std::shared_ptr<std::vector<std::uint64_t>> memory_;
  std::uint64_t bytes_ = 0, count_ = 0, collective_bytes_ = 0;
};

}  // namespace sunstar::workload
