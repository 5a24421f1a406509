// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/io/replacement/replacement.h"

namespace sunstar::io {

/// The page cache of an I/O processor's kernel, through which a server reads and writes local files. The defaults are a
/// data node's of PVFS.
struct PageCacheParams {
  Bytes size{64 << 20};
  Bytes read_ahead{124 << 10};
  Duration dirty_age = std::chrono::seconds(30);
  Duration write_back_period = std::chrono::seconds(5);
  double dirty_share = 0.4;
  std::string replacement = "lru";
};
BOOST_DESCRIBE_STRUCT(PageCacheParams, (), (size, read_ahead, dirty_age, write_back_period, dirty_share, replacement))
inline std::vector<Param> parameters(const PageCacheParams*) {
  return {
      {"size", "its largest size (PVFS's nodes: half of 128 MB)", "64KiB", "1TiB"},
      {"read_ahead", "bytes read ahead of sequential reads (Linux 2.4: 31 pages)", "0B", "16MiB"},
      {"dirty_age", "age at which changed pages are written (Linux: 30 s)", "10ms", "3600s"},
      {"write_back_period", "time between two looks for such pages (Linux: 5 s)", "10ms", "3600s"},
      {"dirty_share", "share of changed pages above which a writer writes the oldest itself (Linux 2.4: 40 %)", "0",
       "1"},
      replacement_parameter(),
  };
}

/// Memory that a cache takes on a node with disks.
std::uint64_t memory(const PageCacheParams& params, std::uint64_t block_bytes);

}  // namespace sunstar::io
