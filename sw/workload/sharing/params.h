// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

enum class SharingOperation {
  read,
  write,
  sync_write  ///< a write after which no cache holds an older copy
};
BOOST_DESCRIBE_ENUM(SharingOperation, read, write, sync_write)

/// Where the processes of several instances run.
BOOST_DEFINE_ENUM_CLASS(Placement,
                        same,      ///< all instances on the same nodes
                        different  ///< each instance on nodes of its own
)

/// The micro-benchmark of Vilayannur, Kandemir, Sivasubramaniam, "Kernel-level caching for optimizing I/O by exploiting
/// inter-application data sharing", CLUSTER 2002, section 4.1. sharing_workload.cpp says which requests it makes.
struct SharingParams {
  static constexpr std::string_view kind = "sharing";
  static constexpr std::string_view help =
      "instances of one application read or write a file that they share and files of their own, and repeat a share of "
      "their requests";
  Bytes file_size{12 << 20};
  Bytes request_size{64 << 10};
  std::uint32_t nodes = 4;
  SharingOperation operation = SharingOperation::read;
  Bytes bytes{12 << 20};
  std::uint32_t iterations = 1;
  double locality = 0;
  Bytes working_set{128 << 10};
  double sharing = 0;
  std::uint32_t instances = 1;
  Placement placement = Placement::same;
};
BOOST_DESCRIBE_STRUCT(SharingParams, (),
                      (file_size, request_size, nodes, operation, bytes, iterations, locality, working_set, sharing,
                       instances, placement))
inline std::vector<Param> parameters(const SharingParams*) {
  return {
      {"file_size", "size of each file, that of all instances and those of one: a multiple of nodes", "1B", "1TiB"},
      {"request_size", "size of a request (the paper's d)", "1B", "1GiB"},
      {"nodes", "processes of an instance, each on a node of its own (the paper's p)", "1", "65536"},
      {"operation",
       "operation of all requests; a sync-write is a write after which no cache holds an older copy, on file systems "
       "that know the difference"},
      {"bytes", "what an instance moves in all: a multiple of request_size times nodes times iterations", "1B", "1TiB"},
      {"iterations", "how often each process goes through its sequence of requests", "1", "1000000"},
      {"locality", "share of the requests that repeat one of the process's working set, in millionths (the paper's l)",
       "0", "1"},
      Param{"working_set", "bytes of a file within which a process repeats its requests; at least one request", "1B",
            "1TiB"}
          .used_unless("locality", "0"),
      {"sharing", "share of the requests that go to the file of all instances, in millionths (the paper's s)", "0",
       "1"},
      {"instances", "how many instances run at the same time", "1", "256"},
      Param{"placement", "whether all instances run on the same nodes, or each on nodes of its own"}.used_unless(
          "instances", "1"),
  };
}
/// Checks that all requests are of one size and lie in the file.
void check(const SharingParams& params, const std::string& path, Problems& problems);

/// Throws ConfigError if check() finds something, or the machine has too few nodes.
std::unique_ptr<Workload> make(const SharingParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
