// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/quantity.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// Limits of a request's length and of its end, because every request needs a buffer. Records and files of patterns
/// have the same limits.
inline constexpr std::uint64_t most_request_bytes = std::uint64_t{1} << 30, most_file_bytes = std::uint64_t{1} << 40;

/// One line of a trace. Times are in seconds of the trace's own clock.
struct TraceRequest {
  std::uint32_t rank = 0;
  Operation operation = Operation::read;
  std::uint32_t file = 0;  ///< index into Trace::files
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  double start = 0;
  double end = 0;
  std::uint64_t line = 0;
};

struct Trace {
  std::string path;
  std::vector<std::string> files;  ///< in order of appearance
  std::vector<TraceRequest> requests;
};

/// Reads a CSV file, plain or packed by gzip, with the columns rank, op (r, w, read or write in any case), file, offset
/// and length (bytes), start_s and end_s (seconds; or start_ms, start_us, start_ns; or start and end, in `time_unit`);
/// other columns are ignored. Throws a ConfigError with file, line and value for anything that cannot be used: a
/// missing column, a line with too few or too many fields, a field that is not a number or is out of range, an end
/// before its start, packed data cut short. For a trace in another format, the error names the command that converts
/// it.
Trace read_trace(const std::string& path, TimeUnit time_unit = TimeUnit::s);

/// Shrinks a file: evenly chosen blocks stay, the share `lengths` of all, block 0 among them, and move together; the
/// others are cut out. The place of a byte never decreases with its offset, so requests that touch or overlap still do,
/// and a run of consecutive requests stays one. A multiple of the block size stays a multiple, and a request within one
/// block keeps its length or vanishes.
class Shrink {
 public:
  Shrink(double lengths, std::uint64_t block_bytes) : lengths_(lengths), block_bytes_(block_bytes) {}
  /// Where the byte at this offset of the file goes, or would go if it stayed.
  std::uint64_t place(std::uint64_t offset) const;

 private:
  std::uint64_t stay_below(std::uint64_t block) const;

  double lengths_;
  std::uint64_t block_bytes_;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(Fate, std::uint8_t,
                              filtered,        ///< `include` or `exclude` leaves its file out
                              zero_length,     ///< it moves nothing
                              outside_window,  ///< it does not start in the window of time
                              other_ranks,     ///< its rank is not among those kept
                              other_files,     ///< its file is not among those kept
                              cut_out,         ///< `lengths` has cut out all of it
                              kept)

struct ScaledRequest {
  Fate fate = Fate::kept;
  std::uint64_t offset = 0, bytes = 0;  ///< of a kept one
};

/// Decides about each request of the trace. `wanted` says for each file whether the filters leave it in. The window
/// comes first; then the ranks with requests in it are chosen, then files by the bytes that these ranks move.
std::vector<ScaledRequest> scaled(const Trace& trace, const std::vector<char>& wanted, const ScaleParams& scale);

}  // namespace sunstar::workload
