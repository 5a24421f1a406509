// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>

#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/quantity.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

/// The part of a trace that a run keeps (sw/workload/trace/trace.h).
struct ScaleParams {
  double lengths = 1;
  Bytes block_size{4096};
  std::uint32_t files = 0;
  std::uint32_t ranks = 0;
  Duration from{};
  Duration to{};
};
BOOST_DESCRIBE_STRUCT(ScaleParams, (), (lengths, block_size, files, ranks, from, to))
inline std::vector<Param> parameters(const ScaleParams*) {
  return {
      {"lengths",
       "share of each file that is kept: evenly chosen blocks are cut out, the others move together, and offsets and "
       "lengths shrink by that share",
       "0.000001", "1"},
      Param{"block_size", "size of these blocks: alignment to it and requests within one block are kept", "1B", "1GiB"}
          .used_unless("lengths", "1"),
      {"files", "number of files to keep, beginning with the most bytes read and written; 0: all"},
      {"ranks", "number of ranks to keep, beginning with the lowest numbers; 0: all"},
      {"from", "keep requests that start at this time or later, counted from the start of the trace's first request",
       "0s"},
      {"to", "keep requests that start before this time; 0s: until the end of the trace", "0s"},
  };
}
inline void check(const ScaleParams& scale, const std::string& path, Problems& problems) {
  if (scale.to != Duration{} && scale.to <= scale.from)
    problems.add(json_path(path, "to"), "is not after ", json_path(path, "from"),
                 "; it must be, or 0s, which stands for the end of the trace");
}

/// How fast a replayed trace issues its calls.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    Pacing, std::uint8_t,
    back_to_back,  ///< each call as soon as the one before it has ended
    think_times,   ///< computing between calls as in the trace, in addition to the calls' simulated time
    open_loop      ///< no call before its time in the trace, counted from the first kept call
)

/// The requests of a real application, from a file.
struct TraceParams {
  static constexpr std::string_view kind = "trace";
  static constexpr std::string_view help = "the calls of a real application, from a file";
  std::filesystem::path trace;
  TimeUnit time_unit = TimeUnit::s;
  std::string include, exclude;
  ScaleParams scale;
  Pacing pacing = Pacing::back_to_back;
};
BOOST_DESCRIBE_STRUCT(TraceParams, (), (trace, time_unit, include, exclude, scale, pacing))
inline std::vector<Param> parameters(const TraceParams*) {
  return {
      {"trace", "CSV file, plain or .gz, with the columns rank, op, file, offset, length, start_s, end_s"},
      {"time_unit", "unit of the times if the columns' names do not give it: start and end in place of start_s, end_s"},
      {"include", "regular expression (RE2) that must match somewhere in a file's name; empty: all files"},
      {"exclude", "regular expression (RE2) for names of files to leave out; empty: none"},
      {"scale", "which part of the trace the run keeps"},
      {"pacing",
       "whether calls come back to back, with the trace's think times, or no earlier than in the trace (open loop)"},
  };
}

std::unique_ptr<Workload> make(const TraceParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
