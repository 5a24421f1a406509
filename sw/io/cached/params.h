// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/io/replacement/replacement.h"

namespace sunstar::io::cached {

struct CacheParams {
  std::uint32_t buffers_per_cp_per_disk = 2;
  bool prefetch = true;
  std::string replacement = "lru";
};
BOOST_DESCRIBE_STRUCT(CacheParams, (), (buffers_per_cp_per_disk, prefetch, replacement))
inline std::vector<Param> parameters(const CacheParams*) {
  return {
      {"buffers_per_cp_per_disk", "one-block buffers for each compute processor and disk (TR94-226, section 4: 2)", "1",
       "1024"},
      {"prefetch", "whether a read also fetches the file's next block on the same disk (TR94-226, section 4)"},
      replacement_parameter(),
  };
}

/// The help of the parameter `strided` of a file system with caches.
inline constexpr const char* strided_help =
    "whether calls that follow one another at once, on one file and in one direction, are one strided call, and one "
    "request names all the chunks of a block (TR94-226, \"Future work\")";

/// The most memory that the cache of an I/O processor takes: each buffer may have a second block of memory for a read
/// from disk.
inline std::uint64_t memory(const CacheParams& params, std::uint64_t compute_processors, std::uint64_t disks_of_node,
                            std::uint64_t block_bytes) {
  return 2ull * params.buffers_per_cp_per_disk * compute_processors * disks_of_node * block_bytes;
}

}  // namespace sunstar::io::cached
