// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/content/content.h"
#include "models/core/error.h"

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

  /// The message's content: each stream's is that of a file of its own (Generated).
  content::Content content(const StreamMessage& m) const {
    return content::Content(content::Piece{content::source(content::Generated{stream(m), 0}), streams_.message_bytes,
                                           std::uint64_t{m.number} * streams_.message_bytes});
  }
  /// A sink has the message's data. Throws SimulationError if there is no such message, if it has arrived before, or if
  /// its length or a byte is wrong.
  void arrived(const StreamMessage& m, const content::Content& data) {
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
  bool complete() const { return arrived_count_ == streams_.all_messages(); }

 private:
  std::uint32_t stream(const StreamMessage& m) const { return m.source * streams_.sinks + m.sink; }

  Streams streams_;
  std::vector<bool> arrived_;  // by stream, then by number
  std::uint64_t arrived_count_ = 0;
};

}  // namespace sunstar::workload
