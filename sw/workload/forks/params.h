// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/workload/machine_sizes.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// How the processors share each fork (Galley, 6.2 and Figure 6).
BOOST_DEFINE_ENUM_CLASS(ForkPattern,
                        broadcast,    ///< every processor reads all of it
                        partitioned,  ///< each has a contiguous part
                        interleaved   ///< the records go to the processors in turn
)

enum class ForkOperation {
  read,
  overwrite,  ///< an existing file
  create      ///< a new file, whose blocks are assigned as it grows
};
BOOST_DESCRIBE_ENUM(ForkOperation, read, overwrite, create)

/// A file with a fork on every disk; the processors access each fork in the same way.
struct ForksParams {
  static constexpr std::string_view kind = "forks";
  static constexpr std::string_view help =
      "the processors read or write a file with a fork on every disk, each fork in the same pattern";
  ForkPattern pattern = ForkPattern::interleaved;
  ForkOperation operation = ForkOperation::read;
  ForkInterface interface = ForkInterface::traditional;
  Bytes record_size{64 << 10};
  Bytes fork_size{1 << 20};
  std::uint64_t records = 0;
  std::uint32_t permissions = 0;
};
BOOST_DESCRIBE_STRUCT(ForksParams, (), (pattern, operation, interface, record_size, fork_size, records, permissions))
inline std::vector<Param> parameters(const ForksParams*) {
  return {
      {"pattern", "how the processors share each fork (Galley, Figure 6)"},
      {"operation", "whether they read, overwrite an existing file, or write a new one"},
      {"interface",
       "whether a processor asks every fork for one record at a time, or for all its records by one request of that "
       "form (Galley, section 5). File systems without forks get one record at a time, fork after fork"},
      {"record_size", "size of a record", "1B", "1GiB"},
      {"fork_size",
       "size of each fork: a whole number of blocks of the file system, and of records, of records for each processor "
       "if they share it",
       "1B", "1TiB"},
      {"records",
       "records that each processor accesses of each fork, the first ones of its part; 0: all. A new fork is as large "
       "as the records written",
       "0", "1000000000000"},
      {"permissions",
       "limit of packets under way to it that a processor sets before its first request (Galley, 6.3), unless "
       "file_system.permissions is 0; 0: it leaves that",
       "0", "4096"},
  };
}
/// Refuses writes of the whole file from every processor.
void check(const ForksParams& params, const std::string& path, Problems& problems);

/// Throws ConfigError if the fork is no whole number of records for each processor.
std::unique_ptr<Workload> make(const ForksParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
