// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/striped/objects.h"

namespace sunstar::file_systems::versioned {

/// The log of an I/O processor, in memory that keeps its content without power.
struct LogParams {
  Bytes size{1 << 30};
  double merge_above = 0.5;
  std::uint32_t merges = 8;
};
BOOST_DESCRIBE_STRUCT(LogParams, (), (size, merge_above, merges))
inline std::vector<Param> parameters(const LogParams*) {
  return {
      {"size", "size of the log; writes wait for room", "64KiB", "16TiB"},
      {"merge_above",
       "how full the log must be before incomplete stripes are merged; complete stripes are merged at once", "0", "1"},
      {"merges", "stripes that an I/O processor merges at a time, for each of its units", "1", "1024"}};
}

struct Params {
  static constexpr std::string_view kind = "versioned";
  static constexpr std::string_view help =
      "no locks and no caches in clients: servers log writes byte by byte, each a new version, and merge them later, "
      "as DAOS does";
  static constexpr Capabilities can{.calls = true, .shares_nodes = true, .survives_stops = true};
  striped::Params objects;
  LogParams log;
};
BOOST_DESCRIBE_STRUCT(Params, (), (objects, log))
inline std::vector<Param> parameters(const Params*) {
  return {{"objects", "how files are striped over objects, and the requests to those"},
          {"log", "where an I/O processor keeps the latest writes"}};
}

inline io::Stripes stripes(const Params& params, std::uint32_t file, std::uint32_t units) {
  return striped::stripes(params.objects, file, units);
}
std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::versioned
