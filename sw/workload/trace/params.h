// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/param.h"
#include "models/core/time_unit.h"

namespace sunstar::workload {

class Workload;

/// How fast a replayed trace issues its calls.
enum class Pacing : std::uint8_t {
  back_to_back,  ///< each call as soon as the one before it has ended
  think_times,   ///< computing between calls as in the trace, in addition to the calls' simulated time
  open_loop,     ///< no call before its time in the trace, counted from the first kept call
};
BOOST_DESCRIBE_ENUM(Pacing, back_to_back, think_times, open_loop)

/// The requests of a real application, from a file.
struct TraceParams {
  static constexpr std::string_view kind = "trace";
  static constexpr std::string_view help = "the calls of a real application, from a file";
  std::filesystem::path trace;
  TimeUnit time_unit = TimeUnit::s;
  std::string include, exclude;
  double scale = 1;
  Pacing pacing = Pacing::back_to_back;
};
BOOST_DESCRIBE_STRUCT(TraceParams, (), (trace, time_unit, include, exclude, scale, pacing))
inline std::vector<Param> parameters(const TraceParams*) {
  return {
      {"trace", "CSV file, plain or .gz, with the columns rank, op, file, offset, length, start, end"},
      {"time_unit", "unit of the times in the trace"},
      {"include", "regular expression (RE2) that must match somewhere in a file's name; empty: all files"},
      {"exclude", "regular expression (RE2) for names of files to leave out; empty: none"},
      {"scale", "share of the requests to each file that the run keeps", "0.000001", "1"},
      {"pacing",
       "whether calls come back to back, with the trace's think times, or no earlier than in the trace (open loop)"},
  };
}

std::unique_ptr<Workload> make(const TraceParams& params, std::uint32_t processors);

}  // namespace sunstar::workload
