// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>

#include "models/core/quantity.h"
#include "platforms/network/config.h"

namespace sunstar::traffic {

/// A message that a node sends to another.
struct Message {
  Time created{};
  std::uint32_t from = 0, to = 0, bytes = 0;
};

/// Where messages come from: those of each node in order of time. Deterministic, and asked for no more than are needed.
class Source {
 public:
  virtual ~Source() = default;
  /// The next message of the node; created = Time::max() if there is none any more.
  virtual Message next(std::uint32_t node) = 0;
};

/// The messages that the configuration asks for. Throws ConfigError for a trace that cannot be read.
std::unique_ptr<Source> make_source(const Config& config, std::uint64_t seed);

}  // namespace sunstar::traffic
