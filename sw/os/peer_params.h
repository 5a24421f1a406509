// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/one_of.h"
#include "models/core/param.h"

namespace sunstar::os {

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
  std::optional<Watched> watched() const {
    const auto* params = kind.if_is<Watched>();
    return params ? std::optional(*params) : std::nullopt;
  }
};
BOOST_DESCRIBE_STRUCT(PeerChoice, (), (kind))
inline std::vector<Param> parameters(const PeerChoice*) {
  return {{"kind", "whether a node notices that another node is gone"}};
}

}  // namespace sunstar::os
