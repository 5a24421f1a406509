// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

BOOST_DEFINE_ENUM_CLASS(IorCollective,
                        none,      ///< each task makes its calls by itself
                        transfer,  ///< all tasks make each transfer together (IOR: -c)
                        phase      ///< all writes are one collective, and all reads another (IOR: -c -S)
)

/// The benchmark IOR (github.com/hpc/ior), with its own parameters. ior_workload.cpp says what the tasks do.
struct IorParams {
  static constexpr std::string_view kind = "ior";
  static constexpr std::string_view help = "the benchmark IOR: tasks write a file, or one each, and read it back";
  Bytes transfer_size{256 << 10};
  Bytes block_size{1 << 20};
  std::uint32_t segments = 1;
  std::uint32_t tasks = 0;
  std::uint32_t tasks_per_node = 1;
  bool file_per_task = false;
  bool random_offsets = false;
  IorCollective collective = IorCollective::none;
  bool write = true;
  bool read = true;
  std::uint32_t reorder_nodes = 0;
  bool fsync = false;
  Duration deadline{};
};
BOOST_DESCRIBE_STRUCT(IorParams, (),
                      (transfer_size, block_size, segments, tasks, tasks_per_node, file_per_task, random_offsets,
                       collective, write, read, reorder_nodes, fsync, deadline))
inline std::vector<Param> parameters(const IorParams*) {
  return {
      {"transfer_size", "bytes of a transfer, which is one call (IOR: -t)", "1B", "1GiB"},
      {"block_size", "bytes of a task's block in a segment: a multiple of transfer_size (-b)", "1B", "16TiB"},
      {"segments", "segments of the file; each has a block of every task (-s)", "1", "16777216"},
      {"tasks", "number of tasks (-N); 0: tasks_per_node on each compute processor", "0", "1048576"},
      {"tasks_per_node", "consecutive tasks that run on one compute processor", "1", "1024"},
      {"file_per_task", "whether each task has a file of its own instead of a part of one file (-F)"},
      {"random_offsets",
       "whether the transfers of a segment are dealt to the tasks at random, those of a task's own file are in random "
       "order (-z)"},
      {"collective",
       "what the tasks do together: nothing, each transfer (-c), or all transfers of a phase at once (-c -S)"},
      {"write", "whether there is a phase that writes (-w)"},
      {"read", "whether there is a phase that reads, after the writing one (-r)"},
      Param{"reorder_nodes",
            "a task reads the blocks of the task this many nodes further on (-C -Q); 0: a task reads what it wrote",
            "0", "65536"}
          .used_unless("read", "false"),
      Param{"fsync", "whether the phase that writes ends when all is on disk (-e)"}.used_unless("write", "false"),
      {"deadline",
       "how long after the start of the first phase tasks may begin transfers; then each catches up with the task that "
       "has made most (-D, -O stoneWallingWearOut=1). 0: they make all",
       "0s", "3600s"},
  };
}
/// Checks that blocks hold whole transfers, that a phase is left and that the collectives are possible.
void check(const IorParams& params, const std::string& path, Problems& problems);

/// Throws ConfigError if check() finds something, or the machine has too few nodes.
std::unique_ptr<Workload> make(const IorParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
