// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/volume.h"

namespace sunstar::file_systems::local {

struct CacheParams {
  Bytes size{};
  Bytes read_ahead{128 << 10};
};
BOOST_DESCRIBE_STRUCT(CacheParams, (), (size, read_ahead))
inline std::vector<Param> parameters(const CacheParams*) {
  return {{"size",
           "of a node's cache, in whole blocks; 0: none, and drives read and write the applications' memory (O_DIRECT)",
           "0B", "1TiB"},
          Param{"read_ahead", "bytes fetched behind a read that continues its process's last one (Linux: 128 KiB)",
                "0B", "1GiB"}
              .used_unless("size", "0B")};
}

struct Params {
  static constexpr std::string_view kind = "local";
  static constexpr std::string_view help = "each node's files lie on its own drives, and no network is between them";
  static constexpr Capabilities can{.calls = true, .shares_nodes = true};
  CacheParams page_cache;
};
BOOST_DESCRIBE_STRUCT(Params, (), (page_cache))
inline std::vector<Param> parameters(const Params*) { return {{"page_cache", "the cache of a node"}}; }

/// A file goes round the drives of the node whose processes are the first to use it.
std::vector<std::optional<io::Stripes>> stripes(const Params& params, const workload::Workload& workload,
                                                const io::Volume& volume);
/// Throws ConfigError if a process has no drives, or uses a file of another node.
std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::local
