// SPDX-License-Identifier: MIT
#include "sw/file_systems/enwrich/counters.h"

#include <string>

namespace sunstar::file_systems::enwrich {

void Counters::add_statistics(StatisticSet& set) {
  static constexpr struct {
    const char *name, *why;
  } reason[reasons] = {{"data", "a full data section"},
                       {"directory", "a full directory"},
                       {"threshold", "a cache filled to the threshold"},
                       {"timeout", "the timeout"},
                       {"read", "a file opened for reading"},
                       {"end", "the end of the run"}};
  const std::string name = "enwrich.";
  set.counter(name + "flushes", "flushes of all caches", "1", flushes);
  for (std::size_t r = 0; r < reasons; ++r)
    set.counter(name + reason[r].name + "_flushes",
                std::string("times a processor asked for a flush because of ") + reason[r].why, "1", begun[r]);
  set.counter(name + "flush_time", "time from the beginning to the end of each flush, at compute processor 0", "s",
              flush_time);
  set.counter(name + "flushed_bytes", "bytes fetched from the caches and written", "B", flushed_bytes);
  set.counter(name + "flushed_entries", "directory entries, counted at each I/O processor that received them", "1",
              flushed_entries);
  set.counter(name + "flushed_blocks", "blocks written", "1", flushed_blocks);
  set.counter(name + "fetched_blocks", "blocks read first because the caches did not hold all of their bytes", "1",
              fetched_blocks);
}

}  // namespace sunstar::file_systems::enwrich
