// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/statistics.h"
#include "sw/file_systems/losses.h"
#include "sw/file_systems/system.h"
#include "sw/io/striped_client.h"
#include "sw/workload/job.h"

namespace sunstar::file_systems {

/// A system and the applications that run on its compute processors. Programs and the set-up of a run see it; servers
/// do not.
struct Run : System {
  Run(messages::Protocol& protocol, io::Nodes& nodes, io::Volume& volume, workload::Job& j)
      : System{protocol, nodes, volume, j.record}, job(j) {}
  workload::Job& job;

  io::Caller caller(std::uint32_t processor) { return {nodes, volume, processor, job.memory[processor], record}; }
};

/// Throws ConfigError if the workload distributes records by their bytes and a block does not hold whole records.
void require_whole_records(const Run& run);

/// How large the machine is; the memory that a node needs depends on it.
struct Sizes {
  std::uint64_t compute_processors = 0;
  std::uint64_t disks = 0;          ///< of the machine
  std::uint64_t disks_of_node = 0;  ///< the most that one node has
  std::uint64_t block_bytes = 0;
};

/// What a file system with structures of its own has left on the store.
struct Contents {
  io::Volume volume;  ///< the workload's files, in their order
  struct Sectors {
    std::uint64_t first, count;
  };
  std::vector<std::vector<Sectors>> structures;  ///< by unit of the store: what belongs to no file
};

/// A parallel file system: its code for every kind of node. `start` registers handlers and creates the threads of all
/// nodes. When the run is complete, one of them calls `job.record.finish`.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual void start() = 0;
  /// The unit in which it carries out an application's work; the record counts it.
  virtual workload::Unit unit(std::uint32_t team) const = 0;
  /// Whether a read sees all writes that had ended, and whose files were closed, before it began.
  virtual bool coherent() const { return true; }
  /// Writes the structures that the store has before the run, beside the files of the volume. Called before start().
  virtual void format(io::Store&) {}
  /// Finds the files by what is on the store after the run. Nothing if the file system keeps no structures there: then
  /// the files are where they were. Throws SimulationError if the structures contradict themselves.
  virtual std::optional<Contents> inspect(io::Store&) const { return std::nullopt; }

  virtual void add_figures(NamedFigures&) const {}

  /// Adds the file system's own statistics. The file system must outlive the set.
  virtual void add_statistics(StatisticSet&) {}

  /// Stops compute processor `p` at once, in an interrupt: its program ends and its memory is lost. Called only if
  /// the file system's kind survives that (Capabilities).
  virtual void stop(std::uint32_t) {}
  virtual const Losses& losses() const {
    static const Losses none;
    return none;
  }
};

}  // namespace sunstar::file_systems
