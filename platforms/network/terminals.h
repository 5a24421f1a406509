// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <functional>
#include <queue>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/kernel/payload.h"
#include "models/kernel/timetable.h"
#include "models/network/fabric.h"
#include "models/network/message_monitor.h"
#include "platforms/network/source.h"

namespace sunstar::traffic {

/// Terminals replace nodes to test the network: every port has a source with an endless queue, and a sink that takes
/// every message at once.
///
/// A message goes through a register on its way out and so reaches the network one `cycle` after it was created. A node
/// sends no more messages while `most_under_way` of its own are queued in the network or under way. The limit must be
/// so high that only a node whose queue grows reaches it.
class Terminals : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Terminals>> to_network;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<Terminals>> from_network;

  struct Arrival {
    Time created, entered, arrived;
    std::uint32_t from, to, bytes, hops;
  };

  using Sink = std::function<void(const Arrival&)>;

  /// Messages created in `window`, from its beginning to just before its end, are counted separately.
  Terminals(const sc_core::sc_module_name& name, std::uint32_t ports, Duration cycle, std::uint64_t most_under_way,
            std::pair<Time, Time> window, Source& source, Timetable& timetable, Sink sink)
      : sc_module(name),
        to_network("to_network", ports),
        from_network("from_network", ports),
        cycle_(cycle),
        most_(most_under_way),
        window_(window),
        source_(source),
        alarm_(timetable, *this),
        sink_(std::move(sink)),
        next_(ports),
        under_way_(ports),
        waiting_(ports, 0) {
    for (std::uint32_t p = 0; p < ports; ++p) {
      from_network[p].register_nb_transport_fw(this, &Terminals::arrive, static_cast<int>(p));
      next_[p] = source_.next(p);
      before_end_ += next_[p].created < window_.second;
      if (next_[p].created != Time::max()) due_.push({next_[p].created + cycle_, p});
    }
    if (!due_.empty()) alarm_.set(due_.top().when);
  }

  /// Connects all terminals, through the monitor if there is one.
  void connect(network::Fabric& fabric, network::MessageMonitor* monitor) {
    const std::string above = name();
    const std::string prefix = above.substr(0, above.rfind('.') + 1) + "terminal";
    for (std::uint32_t p = 0; p < next_.size(); ++p)
      network::connect(fabric, p, monitor, to_network[p], from_network[p], prefix + std::to_string(p) + ".interface");
  }

  /// For the fabric's calls when_dropped and when_duplicated. A vanished message counts as gone from its node, a
  /// duplicate as created.
  void dropped(const network::Route& route) {
    ++lost_;
    window_gone_ += in_window(route.created);
    window_lost_ += in_window(route.created);
    gone(route.from);
  }

  void duplicated(const network::Route& route) {
    ++created_;
    ++under_way_[route.from];
    window_created_ += in_window(route.created);
  }

  /// Called once messages have vanished, whenever finished() or window_finished() may have become true.
  std::function<void()> when_lost = [] {};

  std::uint64_t created() const { return created_; }
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t delivered_bytes() const { return delivered_bytes_; }
  /// Messages that arrived at a port other than their destination; none in a network that works.
  std::uint64_t astray() const { return astray_; }
  /// Whether every message of the sources has arrived or vanished.
  bool finished() const { return created_ == delivered_ + lost_ && due_.empty() && held_ == 0; }
  /// The same for the messages of the window.
  bool window_finished() const { return before_end_ == 0 && window_gone_ == window_created_; }
  /// Messages created in the window so far.
  std::uint64_t of_window() const { return window_created_; }
  /// Of these, messages that have vanished.
  std::uint64_t lost_of_window() const { return window_lost_; }

  /// Moves the end of the window, which must not have passed.
  void extend_window(Time end) {
    window_.second = end;
    before_end_ = 0;
    for (const Message& message : next_) before_end_ += message.created < end;
  }

  /// Whether a node has reached its limit of messages under way, so that its queue grows.
  bool backlog() const { return held_ > 0; }
  bool in_window(Time created) const { return created >= window_.first && created < window_.second; }

 private:
  struct Due {
    Time when;
    std::uint32_t node;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : node > other.node; }
  };

  void ring() {
    const Time t = now();
    sending_ = true;
    while (!due_.empty() && due_.top().when <= t) {
      const std::uint32_t node = due_.top().node;
      due_.pop();
      go_on(node);
    }
    sending_ = false;
    if (!due_.empty()) alarm_.set(due_.top().when);
    if (lost_ > 0) when_lost();
  }

  void send(const Message& message) {
    tlm::tlm_generic_payload& payload = pool_.acquire();
    auto* route = payload.get_extension<network::Route>();
    if (!route) payload.set_extension(route = new network::Route);
    route->from = message.from;
    route->to = message.to;
    route->bytes = message.bytes;
    route->reply = true;
    route->varies = false;
    route->created = message.created;
    payload.set_data_length(message.bytes);
    ++under_way_[message.from];
    ++created_;
    window_created_ += in_window(message.created);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    to_network[message.from]->nb_transport_fw(payload, phase, delay);
  }

  // Sends the node's messages that are due, up to its limit, and schedules the next message.
  void go_on(std::uint32_t node) {
    const Time t = now();
    Message& message = next_[node];
    while (message.created != Time::max()) {
      if (message.created + cycle_ > t) {
        due_.push({message.created + cycle_, node});
        return;
      }
      if (under_way_[node] == most_) {
        waiting_[node] = 1;
        ++held_;
        return;
      }
      send(message);
      const bool before = message.created < window_.second;
      message = source_.next(node);
      before_end_ -= before && message.created >= window_.second;
    }
  }

  // Its node may send another message.
  void gone(std::uint32_t from) {
    --under_way_[from];
    if (waiting_[from]) {
      waiting_[from] = 0;
      --held_;
      const bool first = due_.empty();
      const Time earliest = first ? Time::max() : due_.top().when;
      const bool before = std::exchange(sending_, true);
      go_on(from);
      sending_ = before;
      if (!due_.empty() && due_.top().when < earliest) alarm_.set(due_.top().when);
    }
    if (lost_ > 0 && !sending_) when_lost();
  }

  tlm::tlm_sync_enum arrive(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    const network::Route& route = *payload.get_extension<network::Route>();
    if (route.fate.corrupted) return tlm::TLM_COMPLETED;
    const std::uint32_t from = route.from;
    ++delivered_;
    delivered_bytes_ += route.bytes;
    if (static_cast<int>(route.to) != port) ++astray_;
    window_gone_ += in_window(route.created);
    sink_({route.created, route.entered - cycle_, now(), route.from, route.to, route.bytes, route.hops});
    payload.release();
    gone(from);
    return tlm::TLM_ACCEPTED;
  }

  Duration cycle_;
  std::uint64_t most_;
  std::pair<Time, Time> window_;
  Source& source_;
  Timetable::Call<Terminals, &Terminals::ring> alarm_;
  Sink sink_;
  PayloadPool pool_;
  std::vector<Message> next_;  // by node: its next message, not yet sent
  std::vector<std::uint64_t> under_way_;
  std::vector<char> waiting_;  // by node: whether it waits for one of its messages to arrive
  bool sending_ = false;       // while a node's messages are sent: another may follow at once
  std::uint64_t held_ = 0;     // nodes that wait
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t created_ = 0, delivered_ = 0, delivered_bytes_ = 0, astray_ = 0, lost_ = 0;
  std::uint64_t window_created_ = 0, window_gone_ = 0, window_lost_ = 0;
  std::uint32_t before_end_ = 0;  // nodes whose next message was created before the end of the window
};

}  // namespace sunstar::traffic
