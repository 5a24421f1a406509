// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"

namespace sunstar::network {

/// How messages wait. `by_destination`: nodes have a queue for each receiver, like independent queue pairs, and
/// switches for each output (virtual output queues); `in_order`: a node has one queue, and so has each virtual channel
/// of a link.
BOOST_DEFINE_FIXED_ENUM_CLASS(Queues, std::uint8_t, by_destination, in_order)

inline Param queues_param() {
  return {"queues",
          "by-destination: a node has a queue for each receiver, and sends to the one with the least load first; a "
          "switch has one for each output. in-order: a node has one queue, and so has each virtual channel of a link",
          Tuning::setting};
}

}  // namespace sunstar::network
