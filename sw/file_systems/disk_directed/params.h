// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sw/file_systems/forward.h"
#include "sw/io/block_transfers.h"

namespace sunstar::file_systems::disk_directed {

struct Params : io::BlockTransferParams {
  static constexpr std::string_view kind = "disk-directed";
  static constexpr std::string_view help = "I/O processors move whole collectives in the order that suits their disks";
};
BOOST_DESCRIBE_STRUCT(Params, (io::BlockTransferParams), ())
inline std::vector<Param> parameters(const Params*) { return {}; }

std::unique_ptr<FileSystem> make(const Params& params, System& system);
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::disk_directed
