// SPDX-License-Identifier: MIT
#include "platforms/torus/config.h"

#include "models/core/error.h"
#include "sw/workload/pattern_workload.h"

namespace sunstar::torus {

std::vector<Param> parameters(const WorkloadParams*) {
  return {
      {"kind", "an access pattern, or the replay of a trace"},
      {"pattern", "pattern: r or w, then the distribution of a vector or of a matrix's rows and columns (n none, b block, c cyclic; "
                  "a: all processors read the whole file; ss: nc in step), or wr or wp and two matrices (docs/workloads.md)"},
      {"record_size", "pattern: bytes of an array element", "1B", "1GiB"},
      {"file_size", "pattern: bytes of the file, or of both files together, a whole number of records", "1B", "1TiB"},
      {"shape", "pattern: \"ROWSxCOLS\" in records; empty: as square as possible, which gives the paper's shapes at 10 MiB"},
      {"trace", "trace: CSV file, plain or .gz, with the columns rank, op, file, offset, length, start, end"},
      {"time_unit", "trace: unit of its times"},
      {"include", "trace: regular expression (ECMAScript) that a file name must match somewhere; empty: all do"},
      {"exclude", "trace: regular expression of file names to leave out; empty: none"},
      {"scale", "trace: share of each file that is kept", "0.000001", "1"},
      {"pacing", "trace: calls back to back, with the trace's think times, or no earlier than in the trace (open loop)"},
      {"start_skew", "each compute processor starts so much later than the one before it: they leave the program's start one after "
                     "the other", "0ns", "1s"},
  };
}

void check(const WorkloadParams& workload, const std::string& path, Problems& problems) {
  try {
    workload::parse_pattern(workload.pattern);
  } catch (const ConfigError& error) {
    std::string_view what = error.what();
    what.remove_prefix(std::string_view("workload.pattern ").size());
    what.remove_suffix(1);  // the full stop
    problems.add(path + ".pattern", std::string(what));
  }
}

}  // namespace sunstar::torus
