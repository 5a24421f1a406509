// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "platforms/network/source.h"

namespace sunstar::traffic {

/// The messages of a CSV file with the columns time, from, to, bytes; those of a node in order of time, and at the same
/// time in order of their lines.
class MessageTrace : public Source {
 public:
  /// Throws ConfigError, naming file and line, if a line is not a message between two of the places.
  MessageTrace(const TraceParams& params, const network::Places& places);

  Message next(std::uint32_t node) override;

 private:
  std::vector<std::vector<Message>> messages_;  // by node
  std::vector<std::size_t> at_;
};

}  // namespace sunstar::traffic
