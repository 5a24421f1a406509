// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "models/core/content/content.h"

namespace sunstar::workload {

/// Messages of one size that every I/O processor (a source) sends to every compute processor (a sink): the same
/// number from each source to each sink. No sink asks for them, and no file holds their data.
struct Streams {
  std::uint32_t sources = 0, sinks = 0;
  std::uint32_t message_bytes = 0;
  std::uint32_t messages = 0;  ///< from each source to each sink

  std::uint64_t all_messages() const { return std::uint64_t{sources} * sinks * messages; }
  std::uint64_t all_bytes() const { return all_messages() * message_bytes; }
};

/// One message of a stream, counted from 0.
struct StreamMessage {
  std::uint32_t source = 0, sink = 0;
  std::uint32_t number = 0;
};

/// Knows the contents of the messages of streams, and checks them on arrival. It is no part of the machine's software.
class StreamCheck {
 public:
  explicit StreamCheck(const Streams& streams) : streams_(streams), arrived_(streams.all_messages()) {}

  /// The message's content: each stream's is that of a file of its own (generator.h).
  content::Content content(const StreamMessage& message) const;
  /// A sink has the message's data. Throws SimulationError if there is no such message, if it has arrived before, or if
  /// its length or a byte is wrong.
  void arrived(const StreamMessage& message, const content::Content& data);
  /// Whether each message has arrived.
  bool complete() const { return arrived_count_ == streams_.all_messages(); }

 private:
  std::uint32_t stream(const StreamMessage& m) const { return m.source * streams_.sinks + m.sink; }

  Streams streams_;
  std::vector<bool> arrived_;  // by stream, then by number
  std::uint64_t arrived_count_ = 0;
};

}  // namespace sunstar::workload
