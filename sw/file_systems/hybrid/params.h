// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/disk_directed/params.h"
#include "sw/io/cached/params.h"

namespace sunstar::file_systems::hybrid {

/// Caches for the calls of single processors and disk-directed I/O for collectives, side by side: what TR94-226,
/// section 7.1, calls for.
struct Params : disk_directed::Params {
  static constexpr std::string_view kind = "hybrid";
  static constexpr std::string_view help =
      "caches for calls of single processors and disk-directed I/O for collectives, side by side";
  static constexpr Capabilities can{
      .calls = true, .collectives = true, .selects_records = true, .survives_stops = true};
  io::cached::CacheParams cache;
  bool strided = false;
};
BOOST_DESCRIBE_STRUCT(Params, (disk_directed::Params), (cache, strided))
inline std::vector<Param> parameters(const Params*) {
  // One application alone makes collectives; the cache is there nevertheless.
  return {{"cache", "the cache of an I/O processor"},
          Param{"strided", io::cached::strided_help}.used_unless("workload.jobs", "[]")};
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::hybrid
