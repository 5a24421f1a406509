// SPDX-License-Identifier: MIT
#include "sw/workload/stream_check.h"

#include <string>

#include "models/core/content/generator.h"
#include "models/core/error.h"

namespace sunstar::workload {

content::Content StreamCheck::content(const StreamMessage& m) const {
  return content::Content(content::Piece{content::source(content::Generated{stream(m), 0}), streams_.message_bytes,
                                         std::uint64_t{m.number} * streams_.message_bytes});
}

void StreamCheck::arrived(const StreamMessage& m, const content::Content& data) {
  const auto fail = [&](const std::string& what) {
    throw SimulationError("verification failed: message " + std::to_string(m.number) + " from I/O processor " +
                          std::to_string(m.source) + " to compute processor " + std::to_string(m.sink) + " " + what);
  };
  if (m.source >= streams_.sources || m.sink >= streams_.sinks || m.number >= streams_.messages)
    fail("is none of the workload's");
  if (data.size() != streams_.message_bytes)
    fail("arrived with " + std::to_string(data.size()) + " bytes; it has " + std::to_string(streams_.message_bytes));
  if (const auto bad = first_difference(content(m), data)) fail("arrived with a wrong byte " + std::to_string(*bad));
  const std::uint64_t place = std::uint64_t{stream(m)} * streams_.messages + m.number;
  if (arrived_[place]) fail("arrived twice");
  arrived_[place] = true;
  ++arrived_count_;
}

}  // namespace sunstar::workload
