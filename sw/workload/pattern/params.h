// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

/// One or two files in an HPF distribution.
struct PatternParams {
  static constexpr std::string_view kind = "pattern";
  static constexpr std::string_view help = "each processor reads or writes its part of an array in a file";
  std::string pattern = "rb";
  Bytes record_size{8192};
  Bytes file_size{10 << 20};
  std::string shape;
};
BOOST_DESCRIBE_STRUCT(PatternParams, (), (pattern, record_size, file_size, shape))
inline std::vector<Param> parameters(const PatternParams*) {
  return {
      {"pattern",
       "r (read) or w (write), then the distribution of a vector or of a matrix's rows and columns (n: none, b: block, "
       "c: cyclic; a: every processor reads the whole file; ss: nc in step); or wr or wp and two matrices "
       "(docs/workloads.md)"},
      {"record_size", "size of an array element", "1B", "1GiB"},
      {"file_size", "size of the file, or of both files together: a whole number of records", "1B", "1TiB"},
      {"shape", "\"ROWSxCOLS\" in records; empty: as square as possible, which gives the paper's shapes at 10 MiB"},
  };
}
void check(const PatternParams& params, const std::string& path, Problems& problems);

std::unique_ptr<Workload> make(const PatternParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
