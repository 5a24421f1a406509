// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"

namespace sunstar::os {

/// When a node that waits for another one takes it for gone. The values of the first two are the defaults of IBM's
/// cluster software for the SP (Reliable Scalable Cluster Technology: period and sensitivity).
struct PeerParams {
  Duration heartbeat = std::chrono::seconds{1};
  std::uint32_t missed = 4;
  Duration patience = std::chrono::seconds{3600};
};
BOOST_DESCRIBE_STRUCT(PeerParams, (), (heartbeat, missed, patience))
inline std::vector<Param> parameters(const PeerParams*) {
  return {{"heartbeat",
           "while a node waits for another one it asks it this often whether it is there; only on machines with faults",
           "1ms", "1000s"},
          {"missed", "questions in a row without an answer after which the other node is gone", "1", "100"},
          {"patience", "how long a node waits for another one that is there but does not do what it was asked for",
           "1s", "1000000s"}};
}

}  // namespace sunstar::os
