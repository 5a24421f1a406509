// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sw/requests/distributions/list_mapping.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/trace/trace.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// Limits of a request's length and of its end, because every request needs a buffer. Records and files of patterns
/// have the same limits.
inline constexpr std::uint64_t most_request_bytes = std::uint64_t{1} << 30, most_file_bytes = std::uint64_t{1} << 40;

/// Where the requests of a trace went: lines_read is the sum of all the others, in requests and in bytes.
struct TraceCounts {
  struct Count {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    bool operator==(const Count&) const = default;
  };
  Count lines_read;      ///< all requests of the trace
  Count filtered;        ///< requests to files that `include` and `exclude` leave out
  Count zero_length;     ///< requests to the other files that move nothing; they are not replayed
  Count outside_window;  ///< those before or after the window of time
  Count other_ranks;     ///< those of ranks that are not kept
  Count other_files;     ///< those to files that are not kept
  Count cut_out;         ///< requests of which `lengths` leaves nothing; bytes also of those that it shortens
  Count kept;            ///< requests that the workload makes
  /// Bytes of `kept` that another request of the same write collective also writes. Calls move them; collectives need
  /// not.
  std::uint64_t written_twice = 0;
};

/// What requests are like: those of the trace, or those that are kept of it.
struct TraceShape {
  TraceCounts::Count reads, writes;
  std::uint64_t files = 0, ranks = 0;
  std::uint64_t shortest = 0, median = 0, longest = 0;  ///< lengths, zero-length requests aside
  bool operator==(const TraceShape&) const = default;
};

/// The requests of a real application, replayed by the compute processors.
///
/// **Processors.** Rank r becomes processor r mod processors. A processor makes its calls in order of start time, then
/// rank, then line of the trace.
///
/// **Scale.** See scaled() in sw/workload/trace/scale.h; counts() and the shapes tell what is kept. A file ends with
/// the last byte that a kept request touches, and may have holes.
///
/// **Think times.** A processor computes while none of its ranks is in a call. The think time of a call is its start
/// minus the latest end of the processor's earlier calls (for the first call, minus the start of the first kept call of
/// the trace), or zero if they overlap. The think time before a request that is filtered, of length 0, cut out or to
/// another file is added to that of the processor's next kept call. Requests outside the window and those of other
/// ranks count as if they were not in the trace.
///
/// **Memory.** Each kept request has a region of its own in its processor's buffer, aligned to 8 bytes; regions follow
/// one another collective by collective and, within one, in file order.
///
/// **Collectives.** Each rank's requests are cut into runs of the same file and operation. The i-th runs of that file
/// and operation of all ranks form one collective. Collectives are put into an order that agrees with the order of
/// every rank's runs; where several may come next, the one with the earliest first request does. If the ranks' orders
/// contradict one another (rank 0 does A then B, rank 1 B then A), the earliest collective in question goes ahead with
/// the ranks that are ready for it, and the others form a later one. Neighbours in this order with the same file and
/// operation are merged. A collective's think time is the largest sum of its calls' think times over all processors. In
/// an open loop it begins no earlier than the last of its ranks makes its first call in it.
///
/// A read collective delivers its bytes to every reader. A write collective moves one copy of bytes that several of its
/// requests hold (see requests::ListMapping); TraceCounts::written_twice counts the other copies. bytes_moved() and
/// access_count() count the calls.
class TraceWorkload : public Workload {
 public:
  /// Throws ConfigError if the trace or a parameter cannot be used, or no request is kept.
  TraceWorkload(const TraceParams& params, std::uint32_t processors);
  /// The same for a trace read earlier.
  TraceWorkload(const Trace& trace, const TraceParams& params, std::uint32_t processors);

  std::uint32_t processors() const override { return static_cast<std::uint32_t>(calls_.size()); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return (*memory_)[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return counts_.kept.bytes; }
  std::uint64_t access_count() const override { return counts_.kept.requests; }

  std::uint64_t collective_bytes() const override { return counts_.kept.bytes - counts_.written_twice; }

  const TraceCounts& counts() const { return counts_; }
  const TraceShape& shape() const { return shape_; }            ///< of the whole trace
  const TraceShape& kept_shape() const { return kept_shape_; }  ///< of what the run keeps
  /// The section "trace": counts(), and how what is kept compares with the whole.
  void add_figures(NamedFigures&) const override;

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
