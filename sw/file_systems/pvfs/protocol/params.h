// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/page_cache/params.h"
#include "sw/io/replacement/replacement.h"

namespace sunstar::file_systems::pvfs {

/// The block of the cache module: the size of a page (section 3.2).
inline constexpr std::uint32_t cache_block = 4096;

/// Room for a file's name: those of traces have at most 4096 bytes, and that of a job may stand before it.
inline constexpr std::uint32_t longest_name = 4096 + 64;

struct ModuleParams {
  bool enabled = true;
  Bytes size{1200 << 10};
  std::string replacement = "approximate-lru";
  double low_water = 0.1;
  double high_water = 0.125;
  Duration flush_period = std::chrono::milliseconds(500);
  Bytes read_ahead{0};
  bool coherent = false;
  bool global = false;
  Cycles overhead{};
};
BOOST_DESCRIBE_STRUCT(ModuleParams, (),
                      (enabled, size, replacement, low_water, high_water, flush_period, read_ahead, coherent, global,
                       overhead))
inline std::vector<Param> parameters(const ModuleParams*) {
  const auto of_module = [](Param p) { return std::move(p).used_if("enabled", {"true"}); };
  return {
      {"enabled", "whether application nodes have the cache module; without it this is PVFS as it was"},
      of_module({"size", "cache of a node (section 4.2: 1.2 MB); a block has 4 KiB", "8KiB", "16GiB"}),
      of_module(io::replacement_parameter()),
      of_module({"low_water", "share of free blocks below which the harvester begins to free blocks", "0", "1"}),
      of_module({"high_water", "share of free blocks at which the harvester stops", "0", "1"}),
      of_module({"flush_period",
                 "time between two rounds of the flusher; it also runs when the cache is full of dirty blocks", "1ms",
                 "3600s"}),
      of_module(
          {"read_ahead", "bytes asked for in addition when a read goes on where the last one ended", "0B", "1GiB"}),
      of_module({"coherent", "whether every write invalidates the copies in other caches, as sync_write does",
                 Tuning::fixed}),
      of_module({"global",
                 "whether an iod asks the caches that hold a block before it reads the disk: the paper's future work"}),
      of_module({"overhead",
                 "processor cycles of each request to an iod in addition to the counted primitives of its blocks (the "
                 "paper bounds both together by 400 us for a block, 320,000 cycles)",
                 "0", "10000000", Tuning::fixed}),
  };
}

struct Params {
  static constexpr std::string_view kind = "pvfs";
  static constexpr std::string_view help =
      "user-level daemons serve striped files; a cache in each application node's kernel is shared by its processes";
  static constexpr Capabilities can{.calls = true, .shares_nodes = true, .survives_stops = true};
  ModuleParams module;
  io::PageCacheParams page_cache;
};
BOOST_DESCRIBE_STRUCT(Params, (), (module, page_cache))
inline std::vector<Param> parameters(const Params*) {
  return {{"module", "the cache module of application nodes"},
          {"page_cache", "the kernel's buffer cache on data nodes"}};
}
/// The harvester has to stop above the mark at which it begins.
void check(const ModuleParams& params, const std::string& path, Problems& problems);

inline ClientCache client_cache(const Params& params) {
  return params.module.enabled ? ClientCache{"module.size", params.module.size} : ClientCache{};
}

}  // namespace sunstar::file_systems::pvfs
