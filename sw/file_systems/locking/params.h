// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/striped/objects.h"
#include "sw/io/page_cache/params.h"

namespace sunstar::file_systems::locking {

/// The part of a node that caches the pages of files.
struct CacheParams {
  Bytes size{1 << 30};
  Bytes dirty{32 << 20};
};
BOOST_DESCRIBE_STRUCT(CacheParams, (), (size, dirty))
inline std::vector<Param> parameters(const CacheParams*) {
  return {{"size", "of a node's cache, for all its processes", "64KiB", "1TiB"},
          {"dirty", "the most changed bytes of one unit; writes that would exceed it wait (Lustre: max_dirty_mb, 32)",
           "4KiB", "1TiB"}};
}

struct Params {
  static constexpr std::string_view kind = "locking";
  static constexpr std::string_view help =
      "clients with write-back caches, kept apart by extent locks that servers grant wide and call back, as Lustre's";
  static constexpr Capabilities can{.calls = true, .shares_nodes = true, .survives_stops = true};
  striped::Params objects;
  CacheParams pages;
  std::optional<io::PageCacheParams> server_pages;
  std::uint32_t lock_ahead = 0;
};
BOOST_DESCRIBE_STRUCT(Params, (), (objects, pages, server_pages, lock_ahead))
inline std::vector<Param> parameters(const Params*) {
  return {{"objects", "how files are striped over objects, and the requests to those"},
          {"pages", "the cache of a compute processor"},
          {"server_pages",
           "the page cache of an I/O processor, through which its server reads and writes (as BeeGFS's); none: a write "
           "ends when its bytes are in the store"},
          {"lock_ahead",
           "next calls whose locks a process asks for in advance, exactly as wide as the calls and without waiting "
           "(Lustre: ladvise lockahead); 0: none, and locks are granted wide",
           "0", "1000000"}};
}

inline ClientCache client_cache(const Params& params) { return {"pages.size", params.pages.size}; }
inline io::Stripes stripes(const Params& params, std::uint32_t file, std::uint32_t units) {
  return striped::stripes(params.objects, file, units);
}
std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::locking
