// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/forward.h"
#include "sw/io/cached/params.h"

namespace sunstar::file_systems::two_phase {

/// Which blocks of the file a compute processor reads or writes for all.
enum class Share {
  contiguous,  ///< the n-th part of the file
  cyclic       ///< every n-th block
};
BOOST_DESCRIBE_ENUM(Share, contiguous, cyclic)

/// Two-phase I/O: del Rosario, Bordawekar and Choudhary, "Improved parallel I/O via a two-phase run-time access
/// strategy", 1993.
struct Params {
  static constexpr std::string_view kind = "two-phase";
  static constexpr std::string_view help =
      "compute processors read or write a convenient share through the caches and exchange what they need";
  static constexpr Capabilities can{.collectives = true, .survives_stops = true, .exchanges = true};
  io::cached::CacheParams cache;
  Share share = Share::contiguous;
  Bytes buffer_size = 1_MiB;
};
BOOST_DESCRIBE_STRUCT(Params, (), (cache, share, buffer_size))
inline std::vector<Param> parameters(const Params*) {
  return {
      {"cache", "the cache of an I/O processor"},
      {"share",
       "the blocks that a compute processor reads or writes for all: a contiguous part of the file, or every n-th "
       "block"},
      {"buffer_size",
       "buffer of a compute processor for its share; a larger share goes in rounds. What it exchanges takes three "
       "times "
       "as much beside. At least a block",
       "512B", "1GiB"},
  };
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::two_phase
