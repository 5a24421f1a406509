// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

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
  /// Records one group of tracks for each node: the messages it sends, each from when it leaves the node's interface
  /// until its last byte arrives.
  void record(Timeline& timeline);
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

  std::vector<std::string> names_;
  std::uint64_t sent_ = 0, sent_bytes_ = 0, arrived_ = 0, arrived_bytes_ = 0;
  WaveFile* waves_ = nullptr;
  std::vector<WaveFile::Signal> under_way_, input_fifo_;
  Trails* trails_ = nullptr;
  const Fabric* fabric_ = nullptr;
  RequestTimes *request_times_ = nullptr, *reply_times_ = nullptr;
  Timeline* timeline_ = nullptr;
  std::vector<std::uint32_t> group_;                                // of the timeline, by port
  std::vector<std::string> destination_;                            // "to iop3"
  std::unordered_map<const tlm::tlm_generic_payload*, Time> left_;  // for look-up only
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
