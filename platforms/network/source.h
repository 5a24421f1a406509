// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>

#include "platforms/network/config.h"

namespace sunstar::traffic {

struct Message {
  Time created{};
  std::uint32_t from = 0, to = 0, bytes = 0;
};

/// A source of messages. Each node's messages come in order of time, one at a time as they are needed. A source is
/// deterministic.
class Source {
 public:
  virtual ~Source() = default;
  /// Returns the node's next message; its `created` is Time::max() after the last message.
  virtual Message next(std::uint32_t node) = 0;
};

std::unique_ptr<Source> bernoulli(const SyntheticParams& params, std::uint32_t packet_flits,
                                  const network::Places& places, const network::Pace& pace, std::uint64_t seed);
/// The messages of a file. Throws ConfigError, naming file and line, if a line is not a message between two of the
/// places.
std::unique_ptr<Source> message_trace(const TraceParams& params, const network::Places& places);

}  // namespace sunstar::traffic
