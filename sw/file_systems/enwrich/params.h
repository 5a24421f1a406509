// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/block_transfers.h"
#include "sw/io/cached/params.h"

namespace sunstar::file_systems::enwrich {

/// How a compute processor's write cache is divided between its directory and its data.
BOOST_DEFINE_ENUM_CLASS(CacheDivision,
                        fixed,  ///< the directory gets directory_fraction of the cache
                        shared  ///< both grow towards each other until they meet
)

/// When an I/O processor says that it is done with a flush.
BOOST_DEFINE_ENUM_CLASS(DoneWhen,
                        written,  ///< all of its blocks are on disk
                        fetched   ///< it has fetched all of them; the last ones may still be in its buffers
)

struct WriteCacheParams {
  Bytes cache_size = 1_MiB;
  CacheDivision division = CacheDivision::fixed;
  double directory_fraction = 0.1;
  bool background = false;
  double flush_threshold = 1;
  Duration flush_timeout{0};
  bool flush_on_read = true;
  bool early_directories = false;
  bool gather = false;
  DoneWhen done_when = DoneWhen::written;
};
BOOST_DESCRIBE_STRUCT(WriteCacheParams, (),
                      (cache_size, division, directory_fraction, background, flush_threshold, flush_timeout,
                       flush_on_read, early_directories, gather, done_when))
inline std::vector<Param> parameters(const WriteCacheParams*) {
  return {
      Param{"cache_size",
            "write cache of each compute processor, directory included (Purakayastha, Ellis and Kotz 1995, section "
            "4.1: 1 MB)",
            "1KiB", "1GiB"}
          .usually("16KiB", "1GiB"),
      {"division", "how the cache is divided: fixed, or both parts growing until they meet"},
      Param{"directory_fraction", "share of the cache that the directory gets (section 4.1: a tenth)", "0.001", "0.999"}
          .used_if("division", {"fixed"})
          .usually("0.01", "0.8"),
      {"background",
       "whether writes that find room continue during a flush; otherwise they wait for its end (section 4)"},
      Param{"flush_threshold", "share of the cache that must be filled to start a flush", "0.01", "1"}
          .used_if("background", {"true"})
          .usually("0.1", "1"),
      Param{"flush_timeout", "longest time from one flush to the next; 0: no limit", "0s", "3600s"}.usually("10ms",
                                                                                                            "3600s"),
      {"flush_on_read",
       "whether the first read of a file after the processor's last write to it first flushes what all caches hold of "
       "that file (section 3.2)",
       Tuning::fixed},
      {"early_directories",
       "whether I/O processors sort each directory as it arrives, rather than all when the last one has arrived"},
      {"gather", "whether one request and one reply move all pieces of a block that a compute processor holds"},
      {"done_when",
       "when an I/O processor is done with a flush: when all its blocks are written (section 3.2), or when all are "
       "fetched and the last ones are still in its buffers; the run's last flush always ends with all blocks written",
       Tuning::fixed},
  };
}

struct Params : io::BlockTransferParams {
  static constexpr std::string_view kind = "enwrich";
  static constexpr std::string_view help = "compute processors cache writes and flush them together, disk-directed";
  static constexpr Capabilities can{.calls = true, .survives_stops = true, .caches_writes = true};
  WriteCacheParams enwrich;
  io::cached::CacheParams cache;
};
BOOST_DESCRIBE_STRUCT(Params, (io::BlockTransferParams), (enwrich, cache))
inline std::vector<Param> parameters(const Params*) {
  return {{"enwrich", "the write caches of the compute processors"}, {"cache", "the cache of an I/O processor"}};
}

inline ClientCache client_cache(const Params& params) { return {"enwrich.cache_size", params.enwrich.cache_size}; }
std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::enwrich
