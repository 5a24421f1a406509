// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <map>
#include <set>

#include "models/core/content/content.h"
#include "models/core/statistics.h"
#include "sw/os/delivery_params.h"
#include "sw/os/timers.h"

namespace sunstar::os {

class Os;

/// Brings each message once over a network that may lose or duplicate messages: below the messages of a machine without
/// sockets, or below the segments of TCP, whose sequence numbers these are then. Messages to a node are numbered. The
/// receiver takes them in any order, as they come without it, drops what it has had, and acknowledges with its own
/// messages or alone: all numbers up to one, and up to five ranges beyond. What is not acknowledged in time is sent
/// again. Each message also says from which number on others may come; the receiver drops what comes from below.
class Delivery {
 public:
  Delivery(Os& os, const Acknowledged& params);

  /// A message leaves at `when`.
  void send(const hal::Message& m, Time when);
  /// In the interrupt of an arrived message: whether it is one for a handler. Otherwise it is gone.
  bool arrived(hal::Message& m);
  /// The node is gone: nothing is sent to it again.
  void forget(hal::NodeId node);
  void add_statistics(StatisticSet& set);
  /// See Os::count_on().
  void count_on(const Delivery& before);

 private:
  using Number = std::uint32_t;
  struct Held {
    hal::Message message;
    content::Content data;
    Time due;
    unsigned sent = 1;
  };
  struct Link {
    Number next = 1;              // of the next message to the node, beyond first_
    std::map<Number, Held> held;  // that it has not acknowledged
    Number below = 1;             // all from the node with smaller numbers have come
    std::set<Number> beyond;      // others that have come
    std::uint32_t owed = 0;       // messages that have not been acknowledged
    Time owed_until = Time::max();
  };
  /// In the header of an acknowledgement that goes alone: numbers [from, end) have come as well.
  struct Range {
    Number from, end;
  };
  static constexpr std::size_t ranges = 5;
  static constexpr std::uint16_t most_below = 0xffff;

  static std::uint16_t below(Number number, const Link& link);
  static void settle(Link& link, const hal::Message& m);
  void take_acknowledgement(Link& link, const hal::Message& m);
  void acknowledge(hal::NodeId node, Link& link);
  void look();
  void resend(Held& held);
  void look_at(Time t);

  Os& os_;
  const Acknowledged params_;
  const Number first_;  // a node that was started again must not use numbers that others have seen
  Alarm alarm_;
  boost::container::flat_map<hal::NodeId, Link> links_;
  std::byte* buffer_ = nullptr;  // for data that are sent again
  std::uint64_t buffer_bytes_ = 0;
  std::uint64_t resent_ = 0, given_up_ = 0, duplicates_ = 0, acknowledgements_ = 0;
};

}  // namespace sunstar::os
