// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/block_transfers.h"

namespace sunstar::file_systems::disk_directed {

/// Where a workload's filter is evaluated.
BOOST_DEFINE_ENUM_CLASS(FilterAt, io_processor, compute_processor)

struct Params : io::BlockTransferParams {
  static constexpr std::string_view kind = "disk-directed";
  static constexpr std::string_view help = "I/O processors move whole collectives in the order that suits their disks";
  static constexpr Capabilities can{.collectives = true, .selects_records = true, .survives_stops = true};
  bool gather = false;
  FilterAt filter_at = FilterAt::io_processor;
};
BOOST_DESCRIBE_STRUCT(Params, (io::BlockTransferParams), (gather, filter_at))
inline std::vector<Param> parameters(const Params*) {
  return {
      {"gather", "whether one message moves all pieces, or records, of a block that a compute processor holds or gets"},
      Param{"filter_at",
            "where records are thrown away that a workload filters out: before they cross the network, or after"}
          .used_if("workload.kind", {"records"})
          .used_unless("workload.jobs", "[]"),
  };
}

/// Bytes of a buffer in which the pieces of a block are packed, with room for a list of them.
inline std::uint64_t packed_bytes(std::uint64_t block_bytes) { return 2 * block_bytes; }

std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::disk_directed
