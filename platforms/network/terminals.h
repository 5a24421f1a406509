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

  /// Called for every message that arrives.
  using Sink = std::function<void(const Arrival&)>;

  /// Messages created in `window`, from its beginning to just before its end, are counted separately.
  Terminals(const sc_core::sc_module_name& name, std::uint32_t ports, Duration cycle, std::uint64_t most_under_way,
            std::pair<Time, Time> window, Source& source, Timetable& timetable, Sink sink);

  /// Connects all terminals, through the monitor if there is one.
  void connect(network::Fabric& fabric, network::MessageMonitor* monitor);

  /// For the fabric's calls when_dropped and when_duplicated. A vanished message counts as gone from its node, a
  /// duplicate as created.
  void dropped(const network::Route&);
  void duplicated(const network::Route&);
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
  void extend_window(Time end);
  /// Whether a node has reached its limit of messages under way, so that its queue grows.
  bool backlog() const { return held_ > 0; }
  bool in_window(Time created) const { return created >= window_.first && created < window_.second; }

 private:
  struct Due {
    Time when;
    std::uint32_t node;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : node > other.node; }
  };

  void ring();
  void send(const Message&);
  void go_on(std::uint32_t node);
  void gone(std::uint32_t from);
  tlm::tlm_sync_enum arrive(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);

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
