// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <deque>

#include "models/core/content/content.h"
#include "models/core/fifo.h"
#include "models/core/statistics.h"
#include "models/node/hal.h"
#include "sw/os/socket_params.h"
#include "sw/os/task.h"
#include "sw/os/thread.h"

namespace sunstar::os {

class Os;

/// TCP as one node's executive uses it: every message goes through a socket that is connected to its receiver. Long
/// messages are cut into segments, so that messages from several nodes arrive side by side. The bytes on their way to a
/// node are bounded by its window, without headers of segments: a thread that sends waits for acknowledgements, which
/// travel with the receiver's own messages, or alone after every few segments. The send buffer is as large as the
/// window and Nagle's algorithm is off, so nothing waits there that a segment could take along: none carries parts of
/// two messages. What the network loses is sent again by Delivery, below the segments.
///
/// A node whose `receive_pool` is bounded drops a segment that finds no room there. Segments are then numbered; what
/// comes behind a gap waits, and does not count as arrived. The sender sends again what has not been acknowledged when
/// the timeout has passed, or when three acknowledgements in a row have told it nothing new, and bounds what is on its
/// way by a second window, which grows with what is acknowledged and shrinks when something is lost (Jacobson, 1988).
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
  /// Whether the pool has no room for the segment, which is lost then.
  bool has_no_room(const hal::Message& m);
  /// A message from the node that waited for a gap to be filled; null if there is none.
  hal::Message* waited(hal::NodeId node);

  /// The node is gone: what has been sent to it will not be acknowledged.
  void forget(hal::NodeId node);
  void add_statistics(StatisticSet& set);
  /// See Os::count_on().
  void count_on(const Sockets& before);

 private:
  using Number = std::uint32_t;
  struct Held {  // NOLINT(bugprone-exception-escape): see content::Content
    hal::Message message;
    content::Content data;
  };
  struct Connection {
    explicit Connection(RunQueue& queue) : room(queue, "room in a TCP window") {}
    std::uint64_t in_flight = 0;  ///< bytes sent and not acknowledged
    std::uint32_t received = 0;   ///< bytes not acknowledged yet
    std::uint32_t segments = 0;   ///< that brought them
    WaitQueue room;
    bool gone = false;  ///< nothing has come from the node since it was taken for gone
    // Only if segments can be lost:
    Number next = 1;               ///< of the next segment to the node
    Fifo<Held> held;               ///< sent and not acknowledged; the last one has the number before `next`
    std::uint64_t congestion = 0;  ///< the second window, in bytes
    std::uint64_t threshold = 0;   ///< up to which it grows fast
    Number lost_below = 0;         ///< older ones may have been lost as well
    unsigned repeated = 0;         ///< acknowledgements in a row that said nothing new
    unsigned doublings = 0;        ///< of the timeout
    Time due = Time::max();        ///< when the oldest one held is sent again
    Number expected = 1;           ///< of the next segment from the node
    boost::container::flat_map<Number, hal::Message*> beyond;  ///< segments from it that came after a gap
    bool owes = false;                                         ///< an acknowledgement at the next tick
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
  void acknowledged(Connection& c, const hal::Message& m, bool alone);
  void count(Connection& c, const hal::Message& m);
  void pass_over(hal::Message& m);
  bool may_lose() const { return params_.receive_pool.count > 0; }
  bool in_order(Connection& c, hal::Message& m);
  /// Sends the oldest segment again, which has probably been lost, perhaps with all behind it.
  void recover(Connection& c, bool all);
  void resend(Connection& c);
  void look_later();
  void look();

  Os& os_;
  const SocketParams params_;
  std::deque<Connection> connections_;  // by node; grows as nodes are met
  static constexpr hal::NodeId nobody = ~hal::NodeId{0};
  hal::NodeId reading_ = nobody;  // whose message the last segment was a part of
  struct Waiting {
    Time until;
    std::uint64_t bytes;
  };
  Fifo<Waiting> pool_;  // segments that the processor has not served yet
  std::uint64_t pool_bytes_ = 0;
  bool looks_ = false;           // at the next tick
  std::byte* buffer_ = nullptr;  // for data that are sent again
  std::uint64_t segments_ = 0, acknowledgements_ = 0, waits_ = 0, dropped_ = 0, resent_ = 0;
};

}  // namespace sunstar::os
