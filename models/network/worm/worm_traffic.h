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
  WormTraffic(Fabric& fabric, WormCore& core, Duration behind = {})
      : fabric_(fabric), core_(core), behind_(behind), sending_(fabric.ports()), stuck_(fabric.ports()) {}
  ~WormTraffic() = default;

  /// The channel from the node at the port.
  virtual std::uint32_t injection(std::uint32_t port) const = 0;
  /// The path of a message that leaves now.
  virtual WormCore::Path path(const Route&) = 0;
  /// Chooses the next message to leave a node from its waiting messages, at least one; returns how many wait before it.
  virtual std::size_t next_to_leave(const Fifo<Message>&) const { return 0; }

  // The fabric's functions of these names.
  // A worm reserves its path when it starts, so it must not start before the previous one has left the node: otherwise
  // channels that it cannot use yet would stand idle.
  void inject(Message message) {
    const std::uint32_t from = message.route->from;
    if (!sending_[from].empty() || core_.free_at(injection(from)) > now()) {
      sending_[from].push_back(message);
      ++leaving_;
      show_leaving(from);
      if (sending_[from].size() == 1) leave_when_free(from);
      return;
    }
    start(message);
  }

  // The scheduled call: for the next message of a node, or for the waiting worms.
  void called(std::uint32_t what) {
    if (what < fabric_.ports()) start_next(what);
    else if (called_at_ == now())  // otherwise an earlier call has been scheduled meanwhile
      proceed();
  }

  /// Messages that wait for a channel, or behind the leaving one of their node.
  std::uint64_t waiting() const { return waiting_count_ + leaving_; }
  bool deadlocked() const { return waiting_count_ > 0 && core_.next() == Time::max(); }

  void describe_waiting(std::vector<std::string>& lines) const {
    const std::string noun = fabric_.port_noun() + " ";
    for (const Message& message : waiting_)
      if (message.payload)
        lines.push_back(concat("message from ", noun, message.route->from, " to ", noun, message.route->to,
                               " waits for a channel"));
  }

  /// A sentence if links were busy for a larger share of the time than `good`; it ends with what to `see`.
  std::vector<std::string> warnings(double good, const std::string& see) const {
    double most = 0;
    std::string busiest;
    std::uint32_t beyond = 0;
    for (const Fabric::Link& link : fabric_.links()) {
      const double share = fabric_.utilisation(link.channel);
      beyond += share > good;
      if (share <= most) continue;
      most = share;
      busiest = link.name;
    }
    if (beyond == 0) return {};
    const auto percent = [](double share) { return std::to_string(std::lround(100 * share)) + " %"; };
    return {"the worm model is good for links that are busy up to " + percent(good) + " of the time; " +
            std::to_string(beyond) + (beyond == 1 ? " link was" : " links were") + " busier, " + busiest +
            " most with " + percent(most) + ": see " + see};
  }

  /// Shows for each port "<port>.leaving": messages of its node behind the leaving one.
  void show(WaveFile& waves) {
    for (std::uint32_t port = 0; port < fabric_.ports(); ++port)
      shown_leaving_.push_back(waves.number(std::string(fabric_.name()) + "." + fabric_.port_name(port) + ".leaving"));
  }

 private:
  void start(Message message) {
    if (core_.next() <= now()) proceed();
    if (!fabric_.sets_out(message)) return;
    Route& route = *message.route;
    const auto passage = core_.inject(path(route), route.bytes, now());
    route.hops = passage.hops;
    route.ticket = passage.ticket;
    route.entered = now();
    fabric_.count(message);
    follow(message, passage);
    call_for_next();
  }

  void start_next(std::uint32_t from) {
    if (core_.free_at(injection(from)) > now()) return leave_when_free(from);  // the message before is late
    auto& queue = sending_[from];
    const Message message = queue.take(next_to_leave(queue));
    --leaving_;
    show_leaving(from);
    start(message);
    if (!queue.empty()) leave_when_free(from);
  }

  void leave_when_free(std::uint32_t from) {
    const Time free = core_.free_at(injection(from));
    stuck_[from] = free == Time::max();
    if (!stuck_[from]) fabric_.call_at(free, from);
  }

  void follow(const Message& message, const WormCore::Passage& passage) {
    if (passage.tail != WormCore::waits_on_the_way) {
      fabric_.arrives(message, passage.tail + behind_);
      return;
    }
    if (waiting_.size() <= passage.ticket) waiting_.resize(passage.ticket + 1);
    waiting_[passage.ticket] = message;
    ++waiting_count_;
  }

  void proceed() {
    while (core_.next() <= now()) {
      const auto passage = core_.proceed();
      if (!passage) continue;
      const Message message = std::exchange(waiting_[passage->ticket], {});
      --waiting_count_;
      follow(message, *passage);
      if (const std::uint32_t from = message.route->from; stuck_[from]) leave_when_free(from);
    }
    called_at_ = Time::max();
    call_for_next();
  }

  void call_for_next() {
    if (deadlocked()) fabric_.when_deadlocked();
    if (core_.next() >= called_at_) return;
    called_at_ = core_.next();
    fabric_.call_at(called_at_, fabric_.ports());
  }

  void show_leaving(std::uint32_t port) {
    if (fabric_.waves_) fabric_.waves_->change(shown_leaving_[port], now(), static_cast<int>(sending_[port].size()));
  }

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
