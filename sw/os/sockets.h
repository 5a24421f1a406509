// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <unordered_map>

#include "models/core/statistics.h"
#include "models/node/hal.h"
#include "sw/os/params.h"
#include "sw/os/task.h"
#include "sw/os/thread.h"
#include "sw/os/transport.h"

namespace sunstar::os {

class Os;

/// TCP as one node's executive uses it: every message goes through a socket that is connected to its receiver. Long
/// messages are cut into segments, so that messages from several nodes arrive side by side. The bytes on their way to a
/// node are bounded by its window, without headers of segments: a thread that sends waits for acknowledgements, which
/// the transport sends after every few segments. The send buffer is as large as the window and Nagle's algorithm is
/// off, so nothing waits there that a segment could take along: none carries parts of two messages.
///
/// When segments are lost, the window shrinks, and grows again with what is acknowledged (Jacobson, 1988).
class Sockets final : public Flow {
 public:
  Sockets(Os& os, const SocketParams& params) : os_(os), params_(params) {}

  /// Sends a message from the running thread, segment by segment; `m` must live until then.
  Task<> send(const hal::Message& m);
  /// Sends a message from the handler that is running, at `t` or when the handler has done the work. A handler does not
  /// wait for the window.
  void send_at(Time t, const hal::Message& m);
  /// In the handler of an arrived segment, or of an acknowledgement: charges for it.
  void arrived(const hal::Message& m);

  /// The node is gone: what has been sent to it will not be acknowledged.
  void forget(hal::NodeId node);
  void add_statistics(StatisticSet& set);
  /// See Os::count_on().
  void count_on(const Sockets& before) { counts_ = before.counts_; }

  // Flow
  void acknowledged(hal::NodeId node, std::uint64_t bytes) override;
  void lost(hal::NodeId node, bool timed_out) override;
  void charge_segment(const hal::Message& m) override;

 private:
  struct Connection {
    Connection(RunQueue& queue, std::uint64_t window)
        : congestion(window), threshold(window), room(queue, "room in a TCP window") {}
    std::uint64_t in_flight = 0;  ///< bytes sent and not acknowledged
    std::uint64_t congestion;     ///< how many there may be
    std::uint64_t threshold;      ///< up to which that grows fast
    WaitQueue room;
    std::uint32_t turn = 0;  ///< messages so far
    bool gone = false;       ///< nothing has come from the node since it was taken for gone
  };
  Connection& to(hal::NodeId node);
  static bool has_room(const Connection& c, std::uint32_t bytes);
  Task<> room_for(hal::NodeId node, std::uint32_t bytes);
  std::uint32_t segment() const { return static_cast<std::uint32_t>(params_.segment.count); }
  /// Of all connections to a node together, among which messages are dealt in turn.
  std::uint64_t window() const { return params_.window.count * params_.connections; }
  /// The stream of a message on the next of these connections.
  std::uint16_t next_stream(hal::NodeId node);
  /// The segment of `m` that comes after `sent` of its bytes.
  hal::Message segment_of(const hal::Message& m, std::uint32_t sent) const;
  void transmit(const hal::Message& m, Time when);

  Os& os_;
  const SocketParams params_;
  std::unordered_map<hal::NodeId, Connection> connections_;  // the open sockets: one for each node that was met
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};
  std::vector<std::uint64_t> reading_;  // by core, whose message the last segment was a part of
  struct Counts {
    std::uint64_t segments = 0, waits = 0;
  } counts_;
};

}  // namespace sunstar::os
