// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/fabric.h"
#include "models/network/worm/worm_core.h"

namespace sunstar::network {

/// The base of a fabric whose messages are worms, besides Fabric; the fabric passes its calls on. Keeps the messages
/// that wait to leave their nodes, and the messages whose heads wait on their way. A message costs one event of the
/// timetable, one more if it cannot leave at once, and one for each channel that it has to wait for.
class WormTraffic {
 protected:
  using Message = Fabric::Message;

  /// `behind`: how long a message takes from its last channel to its node.
  WormTraffic(Fabric& fabric, WormCore& core, Duration behind = {});
  ~WormTraffic() = default;

  /// The channel from the node at the port.
  virtual std::uint32_t injection(std::uint32_t port) const = 0;
  /// The path of a message that leaves now.
  virtual WormCore::Path path(const Route&) = 0;
  /// Chooses the next message to leave a node from its waiting messages, at least one; returns how many wait before it.
  virtual std::size_t next_to_leave(const Fifo<Message>&) const { return 0; }

  // The fabric's functions of these names.
  void inject(Message);
  void called(std::uint32_t what);
  /// Messages that wait for a channel, or behind the leaving one of their node.
  std::uint64_t waiting() const { return waiting_count_ + leaving_; }
  bool deadlocked() const { return waiting_count_ > 0 && core_.next() == Time::max(); }
  void describe_waiting(std::vector<std::string>&) const;
  /// A sentence if links were busy for a larger share of the time than `good`; it ends with what to `see`.
  std::vector<std::string> warnings(double good, const std::string& see) const;
  /// Shows for each port "<port>.leaving": messages of its node behind the leaving one.
  void show(WaveFile&);

 private:
  void start(Message);
  void start_next(std::uint32_t from);
  void leave_when_free(std::uint32_t from);
  void follow(const Message& message, const WormCore::Passage& passage);
  void proceed();
  void call_for_next();
  void show_leaving(std::uint32_t port);

  Fabric& fabric_;
  WormCore& core_;
  Duration behind_;
  std::vector<Fifo<Message>> sending_;             // by port: messages behind the leaving one
  std::vector<char> stuck_;                        // by port: the leaving message waits for an unknown time
  std::vector<Message> waiting_;                   // by ticket: messages that wait for a channel
  std::uint64_t waiting_count_ = 0, leaving_ = 0;  // in waiting_; in sending_
  Time called_at_ = Time::max();                   // for the next waiting worm
  std::vector<WaveFile::Signal> shown_leaving_;    // by port
};

}  // namespace sunstar::network
