// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/workload/distributions/list_mapping.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// One line of a trace. Times are in seconds of the trace's own clock.
struct TraceRequest {
  std::uint32_t rank = 0;
  Operation operation = Operation::read;
  std::uint32_t file = 0;  ///< index into Trace::files
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  double start = 0;
  double end = 0;
};

/// Limits of a request's length and of its end, because every request needs a buffer. Records and files of patterns
/// have the same limits.
inline constexpr std::uint64_t most_request_bytes = std::uint64_t{1} << 30, most_file_bytes = std::uint64_t{1} << 40;

/// A trace as read, line by line.
struct Trace {
  std::vector<std::string> files;  ///< in order of appearance
  std::vector<TraceRequest> requests;
};

/// Reads a CSV file, plain or packed by gzip, with the columns rank, op (r, w, read or write in any case), file, offset
/// and length (bytes), start and end (in `time_unit`); other columns are ignored. Throws a ConfigError with file, line
/// and value for anything that cannot be used: a missing column, a line with too few or too many fields, a field that
/// is not a number or is out of range, an end before its start, packed data cut short.
Trace read_trace(const std::string& path, TimeUnit time_unit = TimeUnit::s);

/// Where the requests of a trace went: lines_read = filtered + zero_length + scaled_out + kept, in requests and in
/// bytes.
struct TraceCounts {
  struct Count {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    bool operator==(const Count&) const = default;
  };
  Count lines_read;   ///< all requests of the trace
  Count filtered;     ///< requests to files that `include` and `exclude` leave out
  Count zero_length;  ///< requests to the other files that move nothing; they are not replayed
  Count scaled_out;   ///< requests that `scale` leaves out
  Count kept;         ///< requests that the workload makes
  /// Bytes of `kept` that another request of the same write collective also writes. Calls move them; collectives need
  /// not.
  std::uint64_t written_twice = 0;
};

/// The requests of a real application, replayed by the compute processors.
///
/// **Processors.** Rank r becomes processor r mod processors. A processor makes its calls in order of start time, then
/// rank, then line of the trace.
///
/// **Scale.** Of the n requests to a file with one operation, ceil(scale * n) are kept: each rank's earliest ones, the
/// same share of every rank's (in order of k / m, then rank, where a request is the k-th of its rank's m). Request
/// sizes, their order and the shares of files, operations and ranks thus stay as they were: the trace gets shorter, not
/// thinner. Only where ranks have fewer than 1 / scale requests do some fall idle, the highest ranks first. At least
/// one request of each file and operation is kept, so a trace of very many files shrinks by less than `scale`; counts()
/// tells how much is kept. A file ends with the last byte that a kept request touches, and may have holes.
///
/// **Think times.** A processor computes while none of its ranks is in a call. The think time of a call is its start
/// minus the latest end of the processor's earlier calls (for the first call, minus the start of the first kept call of
/// the trace), or zero if they overlap. The think time before a filtered or zero-length request is added to that of the
/// processor's next kept call; the think time before a scaled-out request is left out with it.
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
/// requests hold (see workload::ListMapping); TraceCounts::written_twice counts the other copies. bytes_moved() and
/// access_count() count the calls.
class TraceWorkload : public Workload {
 public:
  /// Throws ConfigError if the trace or a parameter cannot be used, or no request is kept.
  TraceWorkload(const TraceParams& params, std::uint32_t processors);
  /// The same for a trace read earlier; `params.trace` only names it in errors.
  TraceWorkload(const Trace& trace, const TraceParams& params, std::uint32_t processors);

  const std::vector<FileSpec>& files() const override { return files_; }
  std::uint32_t processors() const override { return static_cast<std::uint32_t>(calls_.size()); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return (*memory_)[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  const std::vector<Collective>& collectives() const override { return collectives_; }
  std::uint64_t bytes_moved() const override { return counts_.kept.bytes; }
  std::uint64_t access_count() const override { return counts_.kept.requests; }

  std::uint64_t collective_bytes() const override { return counts_.kept.bytes - counts_.written_twice; }

  const TraceCounts& counts() const { return counts_; }
  /// The section "trace": counts().
  void add_figures(NamedFigures&) const override;

 private:
  struct Call {
    std::uint32_t processor, rank;
    Access access;
  };
  std::vector<Call> keep(const Trace& trace, const TraceParams& params, std::uint32_t processors);
  void form_collectives(std::vector<Call>& calls);

  TraceCounts counts_;
  std::vector<FileSpec> files_;
  std::shared_ptr<std::vector<std::uint64_t>> memory_;
  std::vector<std::vector<Access>> calls_;  // by processor
  std::vector<Collective> collectives_;
};

}  // namespace sunstar::workload
