// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <map>

#include "models/core/content/content.h"
#include "models/core/fifo.h"
#include "models/core/statistics.h"
#include "sw/os/timers.h"

namespace sunstar::os {

class Os;

/// What a message, or a segment of TCP, brings without its header.
inline std::uint32_t on_wire(const hal::Message& m) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(m.bytes) + m.more_on_wire);
}

/// Congestion control: bounds what is on its way to a node, by what the transport learns.
class Flow {
 public:
  /// The node has acknowledged that many bytes, or they were given up.
  virtual void acknowledged(hal::NodeId node, std::uint64_t bytes) = 0;
  /// Something has been lost on the way to the node, as acknowledgements or a timeout tell.
  virtual void lost(hal::NodeId node, bool timed_out) = 0;
  /// Charges the running handler for sending the segment.
  virtual void charge_segment(const hal::Message& segment) = 0;

 protected:
  ~Flow() = default;
};

/// Brings messages from node to node: those of the firmware or, with a Flow, the segments of TCP. It
/// acknowledges each that arrives. Acknowledgements travel with the receiver's own messages, or alone.
///
/// Over a network that may lose or double messages (Acknowledged), each arrives once. Messages to a node are numbered.
/// The sender sends again what the receiver does not acknowledge in time. The receiver drops what it has had. Each
/// message also says from which number on others may come, and the receiver waits for nothing below. A node drops what
/// finds no room in its receive pool.
///
/// Firmware gets messages in any order, as they come without numbers, too. An acknowledgement that goes alone names,
/// with all numbers up to one, up to five ranges beyond. Segments are handed over in order: what comes behind a gap
/// waits. The sender sends the oldest segment again when its time has come, or when three acknowledgements in a row
/// have told nothing new, and what was lost behind it when that has arrived (Jacobson, 1988).
class Transport {
 public:
  Transport(Os& os, const Common& common, Flow* flow);

  void send(const hal::Message& m, Time when);
  /// Whether the receive pool has no room for the message, which is lost then.
  bool has_no_room(const hal::Message& m);
  /// In the interrupt of an arrived message: whether it is one for a handler. Otherwise it is gone, or waits.
  bool arrived(hal::Message& m);
  /// A segment from the node that waited for a gap to be filled; null if there is none.
  hal::Message* waited(hal::NodeId node);
  /// The message's place in the interface is free: its data are not looked at, or come with another segment.
  void pass_over(hal::Message& m);
  static bool is_acknowledgement(const hal::Message& m) { return m.handler == acknowledges; }

  /// The node is gone: nothing is sent to it again.
  void forget(hal::NodeId node);
  /// Whatever waits is gone.
  void power_off();
  /// Messages that it has given up.
  std::uint64_t given_up() const { return counts_.given_up; }
  void add_statistics(StatisticSet& set);
  /// See Os::count_on().
  void count_on(const Transport& before) { counts_ = before.counts_; }

 private:
  using Number = std::uint32_t;
  struct Held {
    hal::Message message;
    content::Content data;
    Time due;
    unsigned sent = 1;
  };
  struct Link {
    std::uint32_t owed = 0, owed_bytes = 0;  // messages that have not been acknowledged
    // Only if messages can be lost:
    Time owed_until = Time::max();
    Number next = 1;                         // of the next message to the node, beyond first_
    std::map<Number, Held> held;             // that it has not acknowledged
    Number lost_below = 0;                   // older ones may have been lost as well
    unsigned repeated = 0;                   // acknowledgements in a row that told nothing new
    Number below = 1;                        // all from the node with smaller numbers have come
    std::map<Number, hal::Message*> beyond;  // others that have come; a segment waits for those before it
  };
  using HeldOne = std::map<Number, Held>::iterator;
  /// In the header of an acknowledgement that goes alone: numbers [from, end) have come as well.
  struct Range {
    Number from, end;
  };
  static constexpr std::size_t ranges = 5;
  static constexpr std::uint16_t most_below = 0xffff;
  /// What an acknowledgement that goes alone names as its handler; nobody carries it out.
  static constexpr std::uint16_t acknowledges = 0xffff;

  bool numbered() const { return params_.has_value(); }
  static std::uint16_t below(Number number, const Link& link);
  static void take_along(hal::Message& m, Link& link);
  void hold(hal::Message& m, Link& link, Time when);
  void take_acknowledgement(const hal::Message& m, Link& link);
  HeldOne drop(hal::NodeId node, Link& link, HeldOne from, HeldOne end);
  bool is_new(hal::Message& m, Link& link) const;
  bool in_turn(hal::Message& m, Link& link) const;
  void owe(const hal::Message& m, Link& link, bool at_once);
  void acknowledge(hal::NodeId node, Link& link);
  void look();
  Time look(hal::NodeId node, Link& link);
  void lost(hal::NodeId node, Link& link, bool timed_out);
  void resend(HeldOne one, Link& link);
  void look_at(Time t);

  Os& os_;
  const std::optional<Acknowledged> params_;
  Flow* const flow_;
  const std::uint32_t acknowledge_every_;
  const std::uint64_t acknowledge_bytes_;
  const Number first_;  // a node that was started again must not use numbers that others have seen
  Alarm alarm_;
  boost::container::flat_map<hal::NodeId, Link> links_;
  struct Pooled {
    Time until;
    std::uint64_t bytes;
  };
  Fifo<Pooled> pool_;  // what the processor has not served yet
  std::uint64_t pool_bytes_ = 0;
  std::byte* buffer_ = nullptr;  // for data that are sent again
  std::uint64_t buffer_bytes_ = 0;
  struct Counts {
    std::uint64_t resent = 0, given_up = 0, duplicates = 0, acknowledgements = 0, no_room = 0;
  } counts_;
};

}  // namespace sunstar::os
