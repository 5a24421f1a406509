// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/cached/params.h"

namespace sunstar::file_systems::traditional_caching {

/// How compute processors read records that are distributed by their bytes.
BOOST_DEFINE_ENUM_CLASS(RecordReading,
                        cyclic_blocks,     ///< the next one's of every n blocks, and send each record on
                        contiguous_share,  ///< the next one's n-th part of the file, and send each record on
                        own_records        ///< each its own records, one by one: only if the records' numbers decide
)

struct Params {
  static constexpr std::string_view kind = "traditional-caching";
  static constexpr std::string_view help = "compute processors ask for blocks, I/O processors cache them";
  static constexpr Capabilities can{.calls = true, .selects_records = true, .survives_stops = true};
  io::cached::CacheParams cache;
  RecordReading records = RecordReading::cyclic_blocks;
  bool gather = false;
  bool strided = false;
};
BOOST_DESCRIBE_STRUCT(Params, (), (cache, records, gather, strided))
inline std::vector<Param> parameters(const Params*) {
  const auto of_records = [](Param p) {
    return std::move(p).used_if("workload.kind", {"records"}).used_unless("workload.jobs", "[]");
  };
  return {
      {"cache", "the cache of an I/O processor"},
      of_records({"records",
                  "how compute processors read records that a workload distributes by their bytes: every n-th block, "
                  "or the n-th part of the file, sending each record on; or each its own records, which only their "
                  "numbers can tell"}),
      Param{"gather", "whether one message carries all records of a block that go to one compute processor"}.used_if(
          "records", {"cyclic-blocks", "contiguous-share"}),
      Param{"strided", io::cached::strided_help}
          .used_unless("workload.kind", "records")
          .used_unless("workload.jobs", "[]"),
  };
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::traditional_caching
