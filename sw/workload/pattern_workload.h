// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/quantity.h"
#include "sw/file/distribution.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// An access pattern's name taken apart: r or w, then the distribution of a vector (n, b, c), of a matrix (two of them,
/// rows first) or `a`, the whole file to every processor (reading only). TR94-226, Figure 3.
struct Pattern {
  Operation operation = Operation::read;
  file::Distribution rows = file::Distribution::none;
  std::optional<file::Distribution> cols;  ///< of a matrix
};

/// ra rn rb rc rnn ... rcc, wn wb ... wcc.
const std::vector<std::string>& pattern_names();

/// Throws ConfigError naming the nearest and all patterns.
Pattern parse_pattern(const std::string& name);

struct PatternParams {
  std::string pattern = "rb";
  Bytes record_size{8192};
  Bytes file_size{10 << 20};  ///< a whole number of records
  /// "ROWSxCOLS" in records for a matrix, "ROWS" for a vector; their product is the number of records of the file. Empty:
  /// one dimension for a vector, and file::square_shape for a matrix, which gives TR94-226's shapes at 10 MiB.
  std::string shape;
};

/// One file read or written in one collective by all processors, in an HPF distribution. As calls of single processors,
/// each makes one call a contiguous chunk, in file order.
class PatternWorkload : public Workload {
 public:
  /// Throws ConfigError when a name, a size or a shape cannot be used.
  PatternWorkload(const PatternParams& params, std::uint32_t processors);

  const std::vector<FileSpec>& files() const override { return files_; }
  std::uint32_t processors() const override { return mapping_->processors(); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return mapping_->memory_bytes(processor); }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  const std::vector<Collective>& collectives() const override { return collectives_; }
  std::uint64_t bytes_moved() const override { return bytes_; }
  std::uint64_t access_count() const override { return accesses_; }

  file::ArrayShape shape() const { return shape_; }
  const file::HpfMapping& mapping() const { return *mapping_; }

 private:
  file::ArrayShape shape_;
  std::shared_ptr<const file::HpfMapping> mapping_;
  std::vector<FileSpec> files_;
  std::vector<Collective> collectives_;
  std::uint64_t bytes_ = 0, accesses_ = 0;
};

}  // namespace sunstar::workload
