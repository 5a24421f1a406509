// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <optional>

#include "sw/requests/distributions/segmented_mapping.h"
#include "sw/workload/ior/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// IOR: a phase in which all tasks write, a barrier, and a phase in which they read, or one of the two.
///
/// Task r runs on node r / tasks_per_node. Its transfer i of segment k is at k n b + r b + i t of the one file, or at
/// k b + i t of its own file; n tasks, blocks of b bytes, transfers of t. In the phase that reads, task r takes the
/// place of task r + reorder_nodes * tasks_per_node, round all. The transfers of a task lie one behind the other in its
/// buffer, and a read puts its bytes where the write of the same number had its own: so every byte that was read is
/// checked.
///
/// With a deadline a task begins no transfer after it, but at least one. All wait until the last has come so far; then
/// each makes the transfers that it lacks of the most that any has made. That phase, or its end with fsync, and what
/// the phase after it reads follow from there.
///
/// A phase lasts from the moment when its first task begins until its last one has closed its files, with fsync until
/// all is on disk. Its bandwidth is that of all bytes over this time, as IOR computes it from open to close.
class IorWorkload final : public Workload {
 public:
  IorWorkload(const IorParams& params, const MachineSizes& machine);

  std::uint32_t processors() const override { return file_.processors; }
  std::uint32_t node(std::uint32_t processor) const override { return processor / params_.tasks_per_node; }
  std::vector<TeamRange> teams() const override { return {{0, processors(), !collective()}}; }
  std::uint64_t memory_bytes(std::uint32_t) const override { return bytes_of(file_.transfers_of_processor()); }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return phases() * bytes_of(made()) * processors(); }
  std::uint64_t access_count() const override { return collective() ? 0 : phases() * made() * processors(); }
  bool stops_by_time() const override { return params_.deadline > Duration{}; }
  void carried_out(const Collective& collective, Time begin, Time end) const override;
  std::unique_ptr<Oracle> oracle() const override;
  /// The section "ior": each phase's bytes, time and bandwidth, and the line that IOR prints of it.
  void add_figures(NamedFigures& figures) const override;

 private:
  class Task;
  class Contents;
  struct Span {
    Time begin = Time::max(), end{};
    void add(Time from, Time to) {
      begin = std::min(begin, from);
      end = std::max(end, to);
    }
  };
  /// What the tasks have done.
  struct Done {
    std::optional<std::uint64_t> most;  ///< transfers of a task at the deadline
    std::array<Span, 2> phases;         ///< by operation
  };

  bool collective() const { return params_.collective != IorCollective::none; }
  bool runs(Operation phase) const { return phase == Operation::write ? params_.write : params_.read; }
  std::uint64_t phases() const { return std::uint64_t{params_.write} + params_.read; }
  std::uint64_t bytes_of(std::uint64_t transfers) const { return transfers * file_.transfer_bytes; }
  /// Transfers that each task makes in a phase.
  std::uint64_t made() const { return done_->most.value_or(file_.transfers_of_processor()); }
  /// The transfer of that number.
  Access transfer(Operation phase, std::uint32_t task, std::uint64_t number) const;
  void add_collectives(Operation phase);

  const IorParams params_;
  requests::Segments file_;  ///< as it is written; of a file for each task, all of them together
  std::uint32_t shift_ = 0;  ///< of the phase that reads
  std::unique_ptr<Done> done_ = std::make_unique<Done>();
};

}  // namespace sunstar::workload
