// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/kernel/event_log.h"
#include "models/kernel/lanes.h"
#include "models/kernel/timeline.h"
#include "models/kernel/wave_file.h"
#include "models/network/fabric.h"

namespace sunstar::network {

/// Sits on the sockets between all nodes and the fabric; counts messages and their bytes, and records them if asked to.
/// Adds no time.
class MessageMonitor : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<MessageMonitor>> from_node;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<MessageMonitor>> to_network;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<MessageMonitor>> from_network;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<MessageMonitor>> to_node;

  MessageMonitor(const sc_core::sc_module_name& name, std::uint32_t ports);

  /// The full instance name of the node's interface at `port`, from which signals and tracks get their names. An
  /// interface without a name has no signals and no tracks.
  void set_name(std::uint32_t port, const std::string& interface) { names_[port] = interface; }
  /// Shows for each interface "<interface>.under_way", messages sent to it that have not arrived yet, and
  /// "<interface>.input_fifo", requests that have arrived and have not been taken out yet.
  void trace(WaveFile& waves);
  /// Records on tracks of each node the messages it sends, each from when it leaves the node's interface until its last
  /// byte arrives, and as counters the requests in its input FIFO and the bytes a second that the network delivers.
  void record(Timeline& timeline);
  /// Tells of each node which messages it sends and receives and, with `debug`, when it takes a request out of the
  /// input FIFO of its interface.
  void log(EventLog& log);
  /// Leads the trails of messages through the fabric.
  void explain(Trails& trails, const Fabric& fabric);

  std::uint64_t sent() const { return sent_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t arrived_bytes() const { return arrived_bytes_; }

 private:
  void lead(Route& route, Time when);
  tlm::tlm_sync_enum send(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum arrive(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum taken(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);

  struct Sender;
  std::uint32_t leaves(Sender& sender, Time when);

  static constexpr std::uint32_t first_track = 1'000'000;  // below the tracks of threads
  std::vector<std::string> names_;
  std::uint64_t sent_ = 0, sent_bytes_ = 0, arrived_ = 0, arrived_bytes_ = 0;
  WaveFile* waves_ = nullptr;
  std::vector<WaveFile::Signal> under_way_, input_fifo_;
  EventLog* log_ = nullptr;
  struct Node {
    EventLog::Instance instance;
    std::string to, from;  // "sends to iop3", "receives from iop3"
  };
  std::vector<Node> nodes_;  // by port
  Trails* trails_ = nullptr;
  const Fabric* fabric_ = nullptr;
  RequestTimes *request_times_ = nullptr, *reply_times_ = nullptr;
  Timeline* timeline_ = nullptr;
  struct Sender {
    std::uint32_t group = 0;  // of the timeline; 0: without a name
    Lanes lanes;
    std::vector<Timeline::Track> tracks;  // by lane
    std::string destination;              // of messages to it: "to iop3"
    Timeline::Counter input_fifo = 0;
  };
  struct Left {
    Time at;
    std::uint32_t lane;
  };
  std::vector<Sender> senders_;  // by port
  Timeline::Counter delivered_ = 0;
  boost::unordered_flat_map<const tlm::tlm_generic_payload*, Left> left_;  // for look-up only
};

/// Binds a terminal's two sockets to a port of the fabric, through the monitor if there is one. The monitor then knows
/// the terminal as `interface`; it counts a terminal without a name but does not show it.
template <class ToNetwork, class FromNetwork>
void connect(Fabric& fabric, std::uint32_t port, MessageMonitor* monitor, ToNetwork& to_network,
             FromNetwork& from_network, const std::string& interface = {}) {
  if (!monitor) {
    to_network.bind(fabric.from_node[port]);
    fabric.to_node[port].bind(from_network);
    return;
  }
  to_network.bind(monitor->from_node[port]);
  monitor->to_network[port].bind(fabric.from_node[port]);
  fabric.to_node[port].bind(monitor->from_network[port]);
  monitor->to_node[port].bind(from_network);
  monitor->set_name(port, interface);
}

}  // namespace sunstar::network
