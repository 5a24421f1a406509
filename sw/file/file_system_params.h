// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "models/core/param.h"
#include "models/core/quantity.h"

namespace sunstar::file {

using namespace sunstar::literals;

std::vector<std::string> file_system_names();
std::vector<std::string> layout_names();
std::vector<std::string> queue_order_names();

/// How a traditional file system caches at the I/O processors.
struct CacheParams {
  std::uint32_t buffers_per_cp_per_disk = 2;
  bool prefetch = true;
};
BOOST_DESCRIBE_STRUCT(CacheParams, (), (buffers_per_cp_per_disk, prefetch))
inline std::vector<Param> parameters(const CacheParams*) {
  return {
      {"buffers_per_cp_per_disk", "one-block buffers for each compute processor and disk (TR94-226, section 4: 2)", "1", "1024"},
      {"prefetch", "after a read, fetch the file's next block on the same disk (TR94-226, section 4)"},
  };
}

/// How files are stored and served.
struct FileSystemParams {
  std::string kind = "traditional-caching";
  std::string layout = "contiguous";
  bool presort = true;
  Bytes block_size = 8_KiB;
  std::string queue_order = "first-come-first-served";
  CacheParams cache;
  std::uint32_t buffers_per_disk = 2;
};
BOOST_DESCRIBE_STRUCT(FileSystemParams, (), (kind, layout, presort, block_size, queue_order, cache, buffers_per_disk))
inline std::vector<Param> parameters(const FileSystemParams*) {
  return {
      {"kind", "who controls the flow of data", "", "", file_system_names()},
      {"layout", "where the blocks of a file lie on each disk", "", "", layout_names()},
      {"presort", "disk-directed: serve the blocks of a request in the order of their place on disk"},
      {"block_size", "of the file system, the unit of striping (TR94-226, Table 1: 8 KB)", "512B", "1MiB"},
      {"queue_order", "in which order a disk's waiting requests are served", "", "", queue_order_names()},
      {"cache", "traditional caching: the cache of an I/O processor"},
      {"buffers_per_disk", "disk-directed: one-block buffers for each disk, with a thread each (TR94-226, section 4: 2)", "1", "64"},
  };
}

}  // namespace sunstar::file
