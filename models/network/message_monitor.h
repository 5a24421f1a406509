// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/fabric.h"

namespace sunstar::network {

/// Sits on the sockets between all nodes and the fabric; counts messages and their bytes, and reports them. Adds no
/// time.
class MessageMonitor : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged_optional<MessageMonitor>> from_node;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<MessageMonitor>> to_network;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged_optional<MessageMonitor>> from_network;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<MessageMonitor>> to_node;

  MessageMonitor(const sc_core::sc_module_name& name, std::uint32_t ports);

  /// The full instance name of the node's interface at `port`, from which signals and tracks get their names. An
  /// interface without a name has no signals and no tracks.
  void set_name(std::uint32_t port, const std::string& interface) { ports_[port].interface = interface; }
  /// Describes a message in the words of its protocol; only a log calls it.
  std::function<std::string(const tlm::tlm_generic_payload&)> told;
  /// Reports the messages between the interfaces, each from when it leaves one until its last byte arrives:
  ///   waves     "<interface>.under_way", messages sent to it that have not arrived yet, and "<interface>.input_fifo",
  ///             requests that have arrived and have not been taken out yet
  ///   timeline  spans on tracks of the node that sends, the requests in each input FIFO, the bytes delivered a second
  ///   log       what each node sends and receives and, with `debug`, when it takes a request out
  ///   path      leads the paths of messages through the fabric
  void probe(const Probe&, const Fabric&);

  /// For the fabric's calls when_dropped and when_duplicated.
  void dropped(const Route&, Fabric::Loss);
  void duplicated(const Route&);

  std::uint64_t sent() const { return sent_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t arrived_bytes() const { return arrived_bytes_; }

 private:
  void lead(const Route& route, Time when);
  tlm::tlm_sync_enum send(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum arrive(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum taken(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);

  /// A node's interface.
  struct Port {
    std::string interface;
    Wave under_way;
    Level input_fifo;
    Reporter report;
    std::string to, from;     // of messages: "to iop3", "from iop3"
    std::uint32_t group = 0;  // of the timeline; 0: without a name
    Lanes lanes;
    std::vector<Timeline::Track> tracks;  // by lane
  };
  /// A message under way, on a timeline.
  struct Left {
    Time at;
    std::uint32_t lane;
  };
  std::string what(const std::string& way, const tlm::tlm_generic_payload& message) const {
    return way + (told ? ": " + told(message) : "");
  }
  void report_left(const tlm::tlm_generic_payload&, const Route&, Time when);
  void report_arrived(const tlm::tlm_generic_payload&, const Route&, Time when);
  std::uint32_t lane_of(Port& from, Time when);

  static constexpr std::uint32_t first_track = 1'000'000;  // below the tracks of threads
  std::vector<Port> ports_;
  std::uint64_t sent_ = 0, sent_bytes_ = 0, arrived_ = 0, arrived_bytes_ = 0;
  Rate delivered_;
  bool files_ = false;
  Timeline* timeline_ = nullptr;
  boost::unordered_flat_map<const Route*, Left> left_;  // for look-up only
  CriticalPath* paths_ = nullptr;
  const Fabric* fabric_ = nullptr;
  RequestTimes *request_times_ = nullptr, *reply_times_ = nullptr;
};

/// Binds a terminal's two sockets to a port of the fabric, through the monitor if there is one. The monitor then knows
/// the terminal as `interface`; it counts a terminal without a name but does not show it.
template <class ToNetwork, class FromNetwork>
void connect(Fabric& fabric, std::uint32_t port, MessageMonitor* monitor, ToNetwork& to_network,
             FromNetwork& from_network, const std::string& interface = {}) {
  if (!monitor) {
    to_network.bind(fabric.from_node(port));
    fabric.to_node(port).bind(from_network);
    return;
  }
  to_network.bind(monitor->from_node[port]);
  monitor->to_network[port].bind(fabric.from_node(port));
  fabric.to_node(port).bind(monitor->from_network[port]);
  monitor->to_node[port].bind(from_network);
  monitor->set_name(port, interface);
}

}  // namespace sunstar::network
