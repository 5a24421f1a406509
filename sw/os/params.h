// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/os/costs.h"

namespace sunstar::os {

/// The parameters of that kind, if it is the chosen one.
template <class Params, class... Kinds>
std::optional<Params> chosen(const OneOf<Kinds...>& kind) {
  const auto* params = kind.template if_is<Params>();
  return params ? std::optional(*params) : std::nullopt;
}

/// The defaults of heartbeat and missed are those of IBM's cluster software for the SP (Reliable Scalable Cluster
/// Technology: period and sensitivity).
struct Watched {
  static constexpr std::string_view kind = "watched";
  static constexpr std::string_view help =
      "a waiting node asks the other node now and then whether it is there; a node that does not answer is gone";
  Duration heartbeat = std::chrono::seconds{1};
  std::uint32_t missed = 4;
  Duration patience = std::chrono::seconds{3600};
};
BOOST_DESCRIBE_STRUCT(Watched, (), (heartbeat, missed, patience))
inline std::vector<Param> parameters(const Watched*) {
  return {{"heartbeat", "how often a waiting node asks the other node whether it is there", "1ms", "1000s"},
          {"missed", "questions in a row without an answer after which the other node is gone", "1", "100"},
          {"patience", "how long a node waits for another node that is there but does not do what it was asked for",
           "1s", "1000000s"}};
}

struct Trusted {
  static constexpr std::string_view kind = "trusted";
  static constexpr std::string_view help = "a node waits for another node for as long as it takes";
};

/// How a node notices that another node is gone.
struct PeerChoice {
  OneOf<Trusted, Watched> kind;
  std::optional<Watched> watched() const { return chosen<Watched>(kind); }
};
BOOST_DESCRIBE_STRUCT(PeerChoice, (), (kind))
inline std::vector<Param> parameters(const PeerChoice*) {
  return {{"kind", "whether a node notices that another node is gone"}};
}

/// The network may lose messages, spoil them, or bring them twice, and the nodes' software sees to it that each arrives
/// once. The values are those of TCP in Linux (TCP_RTO_MIN, tcp_retries2, TCP_DELACK_MIN).
struct Acknowledged {
  static constexpr std::string_view kind = "acknowledged";
  static constexpr std::string_view help =
      "messages may get lost: each has a number, is acknowledged, and sent again if it is not; with sockets, TCP does "
      "that";
  Duration timeout = std::chrono::milliseconds{200};
  std::uint32_t resends = 15;
  std::uint32_t acknowledge_every = 2;
  Duration acknowledge_after = std::chrono::milliseconds{40};
  Bytes receive_pool{0};
};
BOOST_DESCRIBE_STRUCT(Acknowledged, (), (timeout, resends, acknowledge_every, acknowledge_after, receive_pool))
inline std::vector<Param> parameters(const Acknowledged*) {
  return {{"timeout", "after which a message is sent again; it doubles each time", "1us", "1000s"},
          {"resends", "how often, before it is given up", "0", "100"},
          {"acknowledge_every",
           "without sockets: messages after which they are acknowledged, unless a message of the receiver does it", "1",
           "1024"},
          {"acknowledge_after", "how long an acknowledgement waits for such a message", "1us", "10s"},
          {"receive_pool",
           "bytes of arrived messages that a node has room for until its processor has taken them; a message that "
           "finds none is lost, and sent again; 0B: there is always room",
           "0B", "1GiB", Tuning::setting}};
}

struct Assured {
  static constexpr std::string_view kind = "assured";
  static constexpr std::string_view help = "the network brings each message once";
};

/// What the nodes' software expects of the network.
struct DeliveryChoice {
  OneOf<Assured, Acknowledged> kind;
  std::optional<Acknowledged> acknowledged() const { return chosen<Acknowledged>(kind); }
};
BOOST_DESCRIBE_STRUCT(DeliveryChoice, (), (kind))
inline std::vector<Param> parameters(const DeliveryChoice*) {
  return {{"kind", "whether the network brings each message, and once"}};
}

/// TCP as the software of all nodes uses it.
struct SocketParams {
  static constexpr std::string_view kind = "tcp";
  static constexpr std::string_view help = "all messages go through TCP";
  Bytes segment{16 << 10};
  Bytes window{64 << 10};
  std::uint32_t connections = 1;
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
BOOST_DESCRIBE_STRUCT(SocketParams, (),
                      (segment, window, connections, acknowledge_every SUNSTAR_SOCKET_COSTS(SUNSTAR_COST_NAME)))
#undef SUNSTAR_COST_NAME

inline std::vector<Param> parameters(const SocketParams*) {
  return {{"segment", "data of a segment: a longer message goes as several", "64B", "64KiB"},
          {"window", "bytes that a sender may have on their way to a node before their arrival is acknowledged", "1KiB",
           "16MiB", Tuning::setting},
          {"connections",
           "connections from a node to each other node, which its messages take in turn (NFS: nconnect; NVMe/TCP: one "
           "for each core), each with its own window. What a node receives on them is spread over its cores where "
           "interrupts are",
           "1", "256", Tuning::setting},
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
    problems.add(json_path(path, "window"), "is ", params.window.count, " bytes; it must hold two segments, ",
                 2 * params.segment.count, " bytes");
}

struct NoSockets {
  static constexpr std::string_view kind = "none";
  static constexpr std::string_view help = "the software uses the network itself";
};

/// What the nodes' messages go through.
struct SocketChoice {
  OneOf<NoSockets, SocketParams> kind;
  std::optional<SocketParams> tcp() const { return chosen<SocketParams>(kind); }
};
BOOST_DESCRIBE_STRUCT(SocketChoice, (), (kind))
inline std::vector<Param> parameters(const SocketChoice*) { return {{"kind", "through what messages go"}}; }

}  // namespace sunstar::os
