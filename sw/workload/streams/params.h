// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

/// Messages without files, to measure what the network and its software carry (Nieuwejaar and Kotz, "The Galley
/// parallel file system", 1997, section 6.1.1).
struct StreamsParams {
  static constexpr std::string_view kind = "streams";
  static constexpr std::string_view help =
      "each I/O processor sends messages of one size to each compute processor, without a file system";
  Bytes message_size{64 << 10};
  Bytes bytes{1 << 20};
};
BOOST_DESCRIBE_STRUCT(StreamsParams, (), (message_size, bytes))
inline std::vector<Param> parameters(const StreamsParams*) {
  return {{"message_size", "data of a message", "64B", "1MiB"},
          {"bytes", "data that each I/O processor sends to each compute processor: a whole number of messages", "64B",
           "64GiB"}};
}
void check(const StreamsParams& params, const std::string& path, Problems& problems);

std::unique_ptr<Workload> make(const StreamsParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
