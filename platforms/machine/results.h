// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/figure.h"
#include "platforms/kit/results/common.h"

namespace sunstar::machine {

/// What a run of a file system on a machine comes to.
struct Result {
  kit::Throughput throughput;
  double elapsed_s = 0;
  bool verified = false;
  std::uint64_t bytes_verified = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_moved = 0;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t disk_reads = 0;
  std::uint64_t disk_writes = 0;
  NamedFigures sections;
  std::vector<std::string> warnings;
  kit::Latency latency;
};
BOOST_DESCRIBE_STRUCT(Result, (),
                      (throughput, elapsed_s, verified, bytes_verified, calls, bytes_moved, messages, message_bytes,
                       disk_reads, disk_writes, sections, warnings, latency))
inline std::vector<Figure> figures(const Result*) {
  return {
      {"throughput", "bytes of the files, moved from the first request to the file system's own end"},
      {"elapsed_s", "from the first request to that end", "s"},
      {"verified", "every byte is where the workload says"},
      {"bytes_verified", "bytes looked at, on the media and in the buffers", "B"},
      {"calls", "calls of the file system, or collectives, that were carried out"},
      {"bytes_moved", "by them", "B"},
      {"messages", "network messages, acknowledgements included"},
      {"message_bytes", "their data, without headers", "B"},
      {"disk_reads", "commands to read"},
      {"disk_writes", "commands to write"},
      Figure{"sections", "what the workload and the file system have to say themselves"}.flat(),
      {"warnings", "sentences about what the figures are good for"},
      {"latency", "of calls or collectives"},
  };
}

}  // namespace sunstar::machine
