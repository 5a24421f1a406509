// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/requests/distributions/hpf_mapping.h"
#include "sw/workload/pattern/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// How an array is distributed.
struct ArrayPattern {
  requests::Distribution rows = requests::Distribution::none;
  std::optional<requests::Distribution> cols;  ///< only of a matrix
};

/// An access pattern's name taken apart.
///
/// One array (TR94-226, Figure 3): r or w, then the distribution of a vector (n, b, c), or of a matrix (two of these
/// letters, rows first), or `a`, the whole file to every processor (reading only). `wss` is wnc, but before each chunk
/// the processors wait for one another.
///
/// Two matrices, each in a file of its own: wr or wp, then two letters for each. Under wr every processor writes a
/// chunk of one and a chunk of the other in turn; under wp the first half of the processors writes one file and the
/// second half the other. Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel
/// file systems", 1995, section 4.1.
struct Pattern {
  enum class Order { together, round_robin, partitions };
  Operation operation = Operation::read;
  std::vector<ArrayPattern> arrays;  ///< one or two
  Order order = Order::together;
  bool in_step = false;
};

/// The names of all patterns of one array: ra rn rb rc rnn ... rcc, wn wb ... wcc, wss.
const std::vector<std::string>& pattern_names();

/// Throws a ConfigError that suggests the nearest name and lists all names.
Pattern parse_pattern(const std::string& name);

/// All processors read or write one or two files in an HPF distribution. Each file is one collective. Without
/// collectives, each processor makes one call for each contiguous chunk, in file order.
class PatternWorkload : public Workload {
 public:
  /// Throws ConfigError if a name, a size or a shape cannot be used.
  PatternWorkload(const PatternParams& params, std::uint32_t processors);

  std::uint32_t processors() const override { return processors_; }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return memory_[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return bytes_; }
  std::uint64_t access_count() const override { return accesses_; }

  requests::ArrayShape shape() const { return shape_; }
  const requests::Mapping& mapping() const { return *collectives_.front().mapping; }

 private:
  Pattern pattern_;
  std::uint32_t processors_;
  requests::ArrayShape shape_;
  std::vector<std::uint64_t> memory_;  // by processor: bytes of its buffer
  std::uint64_t steps_ = 0;            // in step: how often each processor waits
  std::uint64_t bytes_ = 0, accesses_ = 0;
};

}  // namespace sunstar::workload
