// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "sw/workload/forks/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// A file with a fork on every disk. To file systems without forks it is a linear file whose blocks go to the disks in
/// turn, and each record is a call, or several if it lies in several blocks. There are no collectives: what they would
/// be is up to the file system that has forks.
class ForksWorkload final : public Workload {
 public:
  ForksWorkload(const ForksParams& params, const MachineSizes& machine);

  std::uint32_t processors() const override { return machine_.processors; }
  std::uint64_t memory_bytes(std::uint32_t) const override { return machine_.disks * requests_.memory_of_fork; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::optional<ForkRequests> fork_requests(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return machine_.processors * memory_bytes(0); }
  std::uint64_t access_count() const override { return accesses_; }
  /// The calls that a record amounts to.
  std::uint64_t calls_of_record(std::uint64_t record_offset) const;

 private:
  class Records;
  ForksParams params_;
  MachineSizes machine_;
  ForkRequests requests_;   // of processor 0
  std::uint64_t part_ = 0;  // bytes of a fork for each processor
  std::uint64_t accesses_ = 0;
};

}  // namespace sunstar::workload
