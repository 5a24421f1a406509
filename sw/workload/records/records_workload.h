// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "sw/workload/records/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// One collective that reads a file and distributes its records by their bytes. There are no calls of single
/// processors: which bytes a processor gets is known only when they have been read.
class RecordsWorkload : public Workload {
 public:
  /// Throws ConfigError if the parameters do not fit one another. `file` is the number of the file among all files of
  /// the run, on which its content depends.
  RecordsWorkload(const RecordsParams& params, std::uint32_t processors, std::uint32_t file = 0);

  std::uint32_t processors() const override { return selection_->processors; }
  /// Room for all records that the function names the processor for, whether the filter keeps them or not, and one.
  std::uint64_t memory_bytes(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return files_.front().bytes; }
  std::uint64_t access_count() const override { return 0; }
  std::unique_ptr<Oracle> oracle() const override;
  void add_figures(NamedFigures& sections) const override;

  const Selection& selection() const { return *selection_; }
  /// By processor: the offsets of the records that it must get, in file order.
  const std::vector<std::vector<std::uint64_t>>& kept() const { return kept_; }

 private:
  std::shared_ptr<Selection> selection_;
  std::vector<std::vector<std::uint64_t>> kept_;
  std::vector<std::uint64_t> named_;  // by processor: records that the function names it for
};

}  // namespace sunstar::workload
