// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "models/core/param.h"
#include "models/core/quantity.h"

namespace sunstar::file_systems {

std::vector<std::string> file_system_names();
std::vector<std::string> io::layout_names();
std::vector<std::string> io::queue_order_names();

/// How a traditional file system caches at the I/O processors.
struct CacheParams {
  std::uint32_t buffers_per_cp_per_disk = 2;
  bool prefetch = true;
};
BOOST_DESCRIBE_STRUCT(CacheParams, (), (buffers_per_cp_per_disk, prefetch))
inline std::vector<Param> parameters(const CacheParams*) {
  return {
      {"buffers_per_cp_per_disk", "one-block buffers for each compute processor and disk (TR94-226, section 4: 2)", "1",
       "1024"},
      {"prefetch", "after a read, fetch the file's next block on the same disk (TR94-226, section 4)"},
  };
}

/// How a compute processor's write cache is divided between its directory and its data.
enum class CacheDivision {
  fixed,  ///< directory_fraction is the directory's
  shared  ///< both grow towards each other until they meet
};
BOOST_DESCRIBE_ENUM(CacheDivision, fixed, shared)

/// When an I/O processor says that it is done with a flush.
enum class DoneWhen {
  written,  ///< all of its blocks are on disk
  fetched   ///< it has all of them, the last ones in its buffers
};
BOOST_DESCRIBE_ENUM(DoneWhen, written, fetched)

/// Write caches at the compute processors, flushed by disk-directed I/O.
struct EnwrichParams {
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
  std::uint32_t failing_processor = 0;
  Duration fails_at{0};
};
BOOST_DESCRIBE_STRUCT(EnwrichParams, (),
                      (cache_size, division, directory_fraction, background, flush_threshold, flush_timeout,
                       flush_on_read, early_directories, gather, done_when, failing_processor, fails_at))
inline std::vector<Param> parameters(const EnwrichParams*) {
  return {
      {"cache_size",
       "write cache of each compute processor, directory included (Purakayastha, Ellis and Kotz 1995, section 4.1: 1 "
       "MB)",
       "1KiB", "1GiB"},
      {"division", "how the cache is divided: fixed, or both parts growing until they meet"},
      Param{"directory_fraction", "share of the directory (section 4.1: a tenth)", "0.001", "0.999"}.used_if("division",
                                                                                                             {"fixed"}),
      {"background", "whether writes that find room go on during a flush; else they wait for its end (section 4)"},
      Param{"flush_threshold", "share of the cache that, once filled, begins a flush", "0.01", "1"}.used_if(
          "background", {"true"}),
      {"flush_timeout", "longest time from one flush to the next; 0: no limit", "0s", "3600s"},
      {"flush_on_read",
       "whether the first read of a file after the processor's last write to it flushes all caches first"},
      {"early_directories",
       "whether I/O processors sort each directory when it comes, and not all when the last one has"},
      {"gather", "whether a block's pieces at one compute processor are asked for in one message, and come in one"},
      {"done_when",
       "when an I/O processor is done with a flush: all its blocks are written (section 3.2), or fetched, the last "
       "ones in its buffers; the run's last flush is always written"},
      Param{"failing_processor",
            "the compute processor that stops at fails_at: its program ends and what its cache holds is lost", "0",
            "4095"}
          .used_unless("fails_at", "0s"),
      {"fails_at", "simulated time at which it does; 0: never", "0s", "3600s"},
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
  EnwrichParams enwrich;
};
BOOST_DESCRIBE_STRUCT(FileSystemParams, (),
                      (kind, layout, presort, block_size, queue_order, cache, buffers_per_disk, enwrich))
inline std::vector<Param> parameters(const FileSystemParams*) {
  const auto with_lists = [](Param p) { return std::move(p).used_if("kind", {"disk-directed", "enwrich"}); };
  return {
      {"kind", "who controls the flow of data", "", "", file_system_names()},
      {"layout", "where the blocks of a file lie on each disk", "", "", io::layout_names()},
      with_lists({"presort", "serve the blocks of a request in the order of their place on disk"}),
      {"block_size", "of the file system, the unit of striping (TR94-226, Table 1: 8 KB)", "512B", "1MiB"},
      {"queue_order", "in which order a disk's waiting requests are served", "", "", io::queue_order_names()},
      Param{"cache", "the cache of an I/O processor"}.used_if("kind", {"traditional-caching"}),
      with_lists({"buffers_per_disk", "one-block buffers for each disk, with a thread each (TR94-226, section 4: 2)",
                  "1", "64"}),
      Param{"enwrich", "the write caches of the compute processors"}.used_if("kind", {"enwrich"}),
  };
}

}  // namespace sunstar::file_systems
