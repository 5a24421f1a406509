// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/quantity.h"
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

/// A trace as read, line by line.
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

}  // namespace sunstar::workload
