// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/cached/params.h"

namespace sunstar::file_systems::two_phase {

/// Which blocks of the file a compute processor reads or writes for all.
BOOST_DEFINE_ENUM_CLASS(Share,
                        contiguous,  ///< the n-th part of the file
                        cyclic,      ///< every n-th block
                        accessed  ///< the n-th part of what the collective accesses, from its first block to its last
)

/// Two-phase I/O: del Rosario, Bordawekar and Choudhary, "Improved parallel I/O via a two-phase run-time access
/// strategy", 1993; with aggregators as in ROMIO: Thakur, Gropp and Lusk, "Data sieving and collective I/O in ROMIO",
/// 1999.
struct Params {
  static constexpr std::string_view kind = "two-phase";
  static constexpr std::string_view help =
      "compute processors read or write a convenient share through the caches and exchange what they need";
  static constexpr Capabilities can{.collectives = true, .survives_stops = true, .exchanges = true};
  io::cached::CacheParams cache;
  Share share = Share::contiguous;
  Bytes buffer_size = 1_MiB;
  std::uint32_t aggregators = 0;
};
BOOST_DESCRIBE_STRUCT(Params, (), (cache, share, buffer_size, aggregators))
inline std::vector<Param> parameters(const Params*) {
  return {
      {"cache", "the cache of an I/O processor"},
      {"share",
       "the blocks that an aggregator reads or writes for all: a contiguous part of the file, every n-th block, or a "
       "contiguous part of what the collective accesses, ROMIO's file domain, if a rule says what that is"},
      {"buffer_size",
       "buffer of an aggregator for its share (ROMIO: cb_buffer_size), at least a block; a larger share goes in "
       "rounds, each with an exchange. The exchange takes three times as much memory beside",
       "512B", "1GiB"},
      {"aggregators",
       "how many compute processors, evenly spread over those of an application, have shares and call the file system "
       "(ROMIO: cb_nodes); 0: all. An application with fewer has all",
       "0", "65536"},
  };
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::two_phase
