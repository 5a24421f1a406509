// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>

#include "models/core/statistics.h"
#include "models/node/hal.h"
#include "sw/os/socket_params.h"
#include "sw/os/task.h"
#include "sw/os/thread.h"

namespace sunstar::os {

/// TCP as one node's executive uses it: every message goes through a socket that is connected to its receiver. Long
/// messages are cut into segments, so that messages from several nodes arrive side by side. The bytes on their way to a
/// node are bounded by its window: a thread that sends waits for acknowledgements, which travel with the receiver's own
/// messages, or alone after every few segments. What gets lost is sent again by Delivery, if the network may lose
/// segments.
class Sockets {
 public:
  Sockets(Os& os, const SocketParams& params) : os_(os), params_(params) {}

  /// Sends a message from the running thread, segment by segment; `m` must live until then.
  Task<> send(const hal::Message& m);
  /// Sends a message from the handler that is running, at `t` or when the handler has done the work. A handler does not
  /// wait for the window.
  void send_at(Time t, const hal::Message& m);
  /// In the handler of an arrived segment: charges for it. Returns whether it completes a message; otherwise the
  /// segment is gone.
  bool arrived(hal::Message& m);

  /// The node is gone: what has been sent to it will not be acknowledged.
  void forget(hal::NodeId node);
  void add_statistics(StatisticSet& set);

 private:
  struct Connection {
    explicit Connection(Os& os) : room(os, "room in a TCP window") {}
    std::uint64_t in_flight = 0;  ///< bytes sent and not acknowledged
    std::uint32_t received = 0;   ///< bytes not acknowledged yet
    std::uint32_t segments = 0;   ///< that brought them
    WaitQueue room;
  };
  Connection& to(hal::NodeId node);
  bool has_room(const Connection& c, std::uint32_t bytes) const;
  Task<> room_for(hal::NodeId node, std::uint32_t bytes);
  std::uint32_t segment() const { return static_cast<std::uint32_t>(params_.segment.count); }
  /// The segment of `m` that comes after `sent` of its bytes.
  hal::Message segment_of(const hal::Message& m, std::uint32_t sent) const;
  static std::uint32_t on_wire(const hal::Message& m);
  void transmit(hal::Message& m, Time when);
  void acknowledge(hal::NodeId node);

  Os& os_;
  const SocketParams params_;
  std::deque<Connection> connections_;  // by node; grows as nodes are met
  static constexpr hal::NodeId nobody = ~hal::NodeId{0};
  hal::NodeId reading_ = nobody;  // whose message the last segment was a part of
  std::uint64_t segments_ = 0, acknowledgements_ = 0, waits_ = 0;
};

}  // namespace sunstar::os
