// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/core/param.h"
#include "sw/file_systems/forward.h"

namespace sunstar::file_systems::traditional_caching {

/// The cache of an I/O processor.
struct CacheParams {
  std::uint32_t buffers_per_cp_per_disk = 2;
  bool prefetch = true;
};
BOOST_DESCRIBE_STRUCT(CacheParams, (), (buffers_per_cp_per_disk, prefetch))
inline std::vector<Param> parameters(const CacheParams*) {
  return {
      {"buffers_per_cp_per_disk", "one-block buffers for each compute processor and disk (TR94-226, section 4: 2)", "1",
       "1024"},
      {"prefetch", "whether a read also fetches the file's next block on the same disk (TR94-226, section 4)"},
  };
}

struct Params {
  static constexpr std::string_view kind = "traditional-caching";
  static constexpr std::string_view help = "compute processors ask for blocks, I/O processors cache them";
  CacheParams cache;
};
BOOST_DESCRIBE_STRUCT(Params, (), (cache))
inline std::vector<Param> parameters(const Params*) { return {{"cache", "the cache of an I/O processor"}}; }

std::unique_ptr<FileSystem> make(const Params& params, System& system);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::traditional_caching
