// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/results/common.h"
#include "platforms/machine/report/over_time.h"

namespace sunstar::machine {

/// Memory that the file system took, besides the applications' buffers.
struct Memory {
  std::uint64_t compute_processor = 0, io_processor = 0;
};
BOOST_DESCRIBE_STRUCT(Memory, (), (compute_processor, io_processor))
inline std::vector<Figure> figures(const Memory*) {
  return {{"compute_processor", "on the compute processor that took most", "B"},
          {"io_processor", "on the I/O processor that took most", "B"}};
}

/// How the bytes were checked.
struct Verification {
  std::string by;
  std::uint64_t bytes_compared = 0;
};
BOOST_DESCRIBE_STRUCT(Verification, (), (by, bytes_compared))
inline std::vector<Figure> figures(const Verification*) {
  return {{"by",
           "descriptions: the origin of each byte was compared, or the byte itself if its origin was unknown; or "
           "bytes: each byte was compared (run.data)"},
          {"bytes_compared",
           "by descriptions: bytes of a sample, some 64 parts of 4 KiB, that were also made from their descriptions "
           "and compared; by bytes: all",
           "B"}};
}

/// The result of running a file system on a machine.
struct Result {
  using OverTime = Course;
  kit::Throughput throughput;
  double elapsed_s = 0;
  double application_s = 0;
  bool verified = false;
  std::uint64_t bytes_lost = 0;
  std::uint64_t bytes_verified = 0;
  Verification verification;
  std::uint64_t calls = 0;
  std::uint64_t bytes_moved = 0;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t network_bytes = 0;
  std::uint64_t disk_reads = 0;
  std::uint64_t disk_writes = 0;
  Memory memory;
  NamedFigures sections;
  std::vector<std::string> warnings;
  kit::Latency latency;
};
BOOST_DESCRIBE_STRUCT(Result, (),
                      (throughput, elapsed_s, application_s, verified, bytes_lost, bytes_verified, verification, calls,
                       bytes_moved, messages, message_bytes, header_bytes, network_bytes, disk_reads, disk_writes,
                       memory, sections, warnings, latency))
inline std::vector<Figure> figures(const Result*) {
  return {
      {"throughput",
       "the rate at which the bytes of the files were moved, but for the lost ones, from the first request to the file "
       "system's own end"},
      {"elapsed_s", "time from the first request to that end", "s"},
      {"application_s", "time from the first request to the return of the last one: the applications' wait", "s"},
      {"verified",
       "whether every byte is where the workload says, or reported as lost; false if some could not be checked"},
      {"bytes_lost", "bytes moved that are wrong: reported as lost, lost with a drive's power, or silently wrong", "B"},
      {"bytes_verified", "bytes checked, on the media and in the buffers", "B"},
      {"verification", "how they were checked"},
      {"calls", "calls of the file system, or collectives, that were carried out"},
      {"bytes_moved", "bytes that they moved", "B"},
      {"messages", "network messages, acknowledgements included"},
      {"message_bytes", "data bytes in the messages, without headers", "B"},
      {"header_bytes",
       "headers of the messages (machine.node.message_header each, without what sockets and acknowledged delivery "
       "add), and lists of the pieces they carry",
       "B"},
      {"network_bytes", "both together", "B"},
      {"disk_reads", "read commands to the disks"},
      {"disk_writes", "write commands to the disks"},
      {"memory", "bytes that the file system took on a node, besides the applications' buffers"},
      Figure{"sections", "figures of the workload and of the file system themselves"}.flat(),
      {"warnings", "sentences about the limits of the figures"},
      {"latency", "how long calls or collectives took"},
  };
}

}  // namespace sunstar::machine
