// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sw/requests/distributions/list_mapping.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/trace/scale.h"
#include "sw/workload/trace/trace.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// Limits of a request's length and of its end, because every request needs a buffer. Records and files of patterns
/// have the same limits.
inline constexpr std::uint64_t most_request_bytes = std::uint64_t{1} << 30, most_file_bytes = std::uint64_t{1} << 40;

/// Where the requests of a trace went: lines_read is the sum of all fates, in requests and in bytes. The bytes of
/// Fate::cut_out are also those that `lengths` takes of requests that are kept.
struct TraceCounts {
  struct Count {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    bool operator==(const Count&) const = default;
  };
  Count& operator[](Fate fate) { return by_fate[static_cast<std::size_t>(fate)]; }
  const Count& operator[](Fate fate) const { return by_fate[static_cast<std::size_t>(fate)]; }

  Count lines_read;
  std::array<Count, static_cast<std::size_t>(Fate::kept) + 1> by_fate;
  /// Bytes of kept requests that another request of the same write collective also writes. Calls move them;
  /// collectives need not.
  std::uint64_t written_twice = 0;
};

/// What requests are like: those of the trace, or those that are kept of it.
struct TraceShape {
  TraceCounts::Count reads, writes;
  std::uint64_t files = 0, ranks = 0;
  std::uint64_t shortest = 0, median = 0, longest = 0;  ///< lengths, zero-length requests aside
  bool operator==(const TraceShape&) const = default;
};

/// The requests of a real application, replayed by the compute processors: docs/workloads.md, "Traces", says which
/// become calls of which processor, which form a collective, and when they are made.
///
/// Each kept request has a region of its own in its processor's buffer, aligned to 8 bytes; regions follow one another
/// collective by collective and, within one, in file order. A processor's think time before a call is the call's start
/// less the latest end of its earlier calls, or zero if they overlap; that of a request that is filtered, of length 0,
/// cut out or to another file is added to the next kept call's. Requests outside the window and those of other ranks
/// count as if they were not in the trace. bytes_moved() and access_count() count the calls.
class TraceWorkload : public Workload {
 public:
  /// Throws ConfigError if the trace or a parameter cannot be used, or no request is kept.
  TraceWorkload(const TraceParams& params, std::uint32_t processors);

  std::uint32_t processors() const override { return static_cast<std::uint32_t>(calls_.size()); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return (*memory_)[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return counts_[Fate::kept].bytes; }
  std::uint64_t access_count() const override { return counts_[Fate::kept].requests; }

  std::uint64_t collective_bytes() const override { return counts_[Fate::kept].bytes - counts_.written_twice; }

  const TraceCounts& counts() const { return counts_; }
  const TraceShape& shape() const { return shape_; }            ///< of the whole trace
  const TraceShape& kept_shape() const { return kept_shape_; }  ///< of what the run keeps
  /// The section "trace": counts(), and how what is kept compares with the whole.
  void add_figures(NamedFigures&) const override;
  /// That processors without a rank do nothing, but may bring their caches.
  std::vector<std::string> warnings() const override;

 private:
  struct Call {
    std::uint32_t processor, rank;
    Access access;
  };
  std::vector<Call> keep(const Trace& trace, const TraceParams& params, std::uint32_t processors);
  void form_collectives(std::vector<Call>& calls);

  TraceCounts counts_;
  TraceShape shape_, kept_shape_;
  std::shared_ptr<std::vector<std::uint64_t>> memory_;
  std::vector<std::vector<Access>> calls_;  // by processor
};

}  // namespace sunstar::workload
