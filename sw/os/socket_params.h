// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/os/costs.h"

namespace sunstar::os {

/// TCP as the software of all nodes uses it.
struct SocketParams {
  static constexpr std::string_view kind = "tcp";
  static constexpr std::string_view help = "all messages go through TCP";
  Bytes segment{16 << 10};
  Bytes window{64 << 10};
  std::uint32_t acknowledge_every = 2;
#define COST(name, help) Cycles name{};
  SUNSTAR_SOCKET_COSTS(COST)
#undef COST

  /// The table with the sockets' costs in their places.
  CostTable added_to(CostTable table) const {
#define COST(name, help) table[static_cast<std::size_t>(Cost::name)] = name;
    SUNSTAR_SOCKET_COSTS(COST)
#undef COST
    return table;
  }
};
#define SUNSTAR_COST_NAME(name, help) , name
BOOST_DESCRIBE_STRUCT(SocketParams, (), (segment, window, acknowledge_every SUNSTAR_SOCKET_COSTS(SUNSTAR_COST_NAME)))
#undef SUNSTAR_COST_NAME

inline std::vector<Param> parameters(const SocketParams*) {
  return {{"segment", "data of a segment: a longer message goes as several", "64B", "64KiB"},
          {"window", "bytes that a sender may have on their way to a node before their arrival is acknowledged", "1KiB",
           "16MiB", Tuning::setting},
          {"acknowledge_every",
           "segments from a node after which their receiver acknowledges them, unless a message of its own does", "1",
           "1024", Tuning::setting},
#define COST(name, help) Param{#name, "processor cycles of " help, "0", "10000000"},
          SUNSTAR_SOCKET_COSTS(COST)
#undef COST
  };
}

/// With less, a sender would wait for the acknowledgement of each segment.
inline void check(const SocketParams& params, const std::string& path, Problems& problems) {
  if (params.window.count < 2 * params.segment.count)
    problems.add(json_path(path, "window"), "is " + std::to_string(params.window.count) +
                                                " bytes; it must hold two segments, " +
                                                std::to_string(2 * params.segment.count) + " bytes");
}

struct NoSockets {
  static constexpr std::string_view kind = "none";
  static constexpr std::string_view help = "the software uses the network itself";
};

/// What the nodes' messages go through.
struct SocketChoice {
  OneOf<NoSockets, SocketParams> kind;
  std::optional<SocketParams> tcp() const {
    const auto* params = kind.if_is<SocketParams>();
    return params ? std::optional(*params) : std::nullopt;
  }
};
BOOST_DESCRIBE_STRUCT(SocketChoice, (), (kind))
inline std::vector<Param> parameters(const SocketChoice*) { return {{"kind", "through what messages go"}}; }

}  // namespace sunstar::os
