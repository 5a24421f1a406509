// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/disk_directed/params.h"
#include "sw/file_systems/enwrich/params.h"
#include "sw/file_systems/file_system.h"
#include "sw/file_systems/galley/params.h"
#include "sw/file_systems/hybrid/params.h"
#include "sw/file_systems/local/params.h"
#include "sw/file_systems/locking/params.h"
#include "sw/file_systems/pvfs/params.h"
#include "sw/file_systems/traditional_caching/params.h"
#include "sw/file_systems/two_phase/params.h"
#include "sw/file_systems/versioned/params.h"
#include "sw/io/layouts/layout.h"
#include "sw/io/store/disk_driver.h"
#include "sw/registry/stores.h"

// The registry of file systems. Each file system has a folder of its own whose params.h declares
//
//   struct Params
//     its parameters, described, with `kind` (its name in the configuration), `help`, and `can`: what it can do
//     (sw/file_systems/capabilities.h)
//   std::unique_ptr<FileSystem> make(const Params&, Run&)
//   std::uint64_t memory(const Params&, const Sizes&)
//     most bytes that it takes on a node, besides the applications' buffers and the requests being served
//   std::uint64_t reserved_sectors(const Params&, sectors, sector_bytes, block_bytes)
//     sectors at the beginning of a disk that are not for files; only if there are any
namespace sunstar::file_systems {

/// The kinds of file system. A new one is one more line here and its include above; the first is the default.
using Kinds = OneOf<              //
    traditional_caching::Params,  //
    disk_directed::Params,        //
    enwrich::Params,              //
    two_phase::Params,            //
    hybrid::Params,               //
    galley::Params,               //
    pvfs::Params,                 //
    locking::Params,              //
    versioned::Params,            //
    local::Params>;

/// What a file system of that kind can do.
inline const Capabilities& capabilities(const Kinds& kind) {
  return kind.visit([](const auto& params) -> const Capabilities& { return params.can; });
}
/// The kinds that pass `test`.
std::vector<std::string> kinds_that(bool (*test)(const Capabilities&));

/// How files are stored and served: a kind of file system with its own parameters, and the parameters that all kinds
/// share.
struct FileSystemParams {
  Kinds kind;
  io::StoreParams store;
  std::string layout = "contiguous";
  Bytes block_size = 8_KiB;
  std::string queue_order = "first-come-first-served";
  io::DriverParams driver;
};
BOOST_DESCRIBE_STRUCT(FileSystemParams, (), (kind, store, layout, block_size, queue_order, driver))
inline std::vector<Param> parameters(const FileSystemParams*) {
  // A file system places the blocks of the files that it creates.
  const auto creating = kinds_that([](const Capabilities& can) { return can.creates_files; });
  return {
      {"kind", "who controls the flow of data"},
      {"store", "the block store under the file system"},
      Param{"layout", "where the blocks of a file lie on each disk", "", "", io::layout_names()}
          .used_unless("kind", creating)
          .used_unless("workload.kind", "forks")
          .used_unless("workload.operation", "create")
          .used_unless("workload.jobs", "[]"),
      {"block_size", "block of the file system, the unit of striping (TR94-226, Table 1: 8 KB)", "512B", "1MiB"},
      {"queue_order", "order in which a disk serves its waiting requests", "", "", io::queue_order_names()},
      Param{"driver", "how disk drivers handle commands that fail", Tuning::fixed}.used_unless("faults", "[]"),
  };
}

/// Makes the file system that the parameters name; for a workload without files, which needs none, its own software.
std::unique_ptr<FileSystem> make(const FileSystemParams& params, Run& run);

/// The most bytes of memory that the file system takes on a node, besides the applications' buffers. `disks_of_node` is
/// the most that one node has, or 0 for a node that does no I/O.
std::uint64_t memory(const FileSystemParams& params, std::uint64_t compute_processors, std::uint64_t disks,
                     std::uint64_t disks_of_node);

/// How each file of the workload is striped over the units of the store; nothing: block by block round all of them.
std::vector<std::optional<io::Stripes>> stripes(const FileSystemParams& params, const workload::Workload& workload,
                                                const io::Volume& volume);

/// Sectors at the beginning of a disk of `sectors` that the file system keeps for itself.
std::uint64_t reserved_sectors(const FileSystemParams& params, std::uint64_t sectors, std::uint64_t sector_bytes);

}  // namespace sunstar::file_systems
