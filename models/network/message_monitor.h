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

/// Sits on the sockets between all nodes and the fabric; counts messages and their bytes, and writes them down if
/// asked to. Adds no time.
class MessageMonitor : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<MessageMonitor>> from_node;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<MessageMonitor>> to_network;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<MessageMonitor>> from_network;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<MessageMonitor>> to_node;

  MessageMonitor(const sc_core::sc_module_name& name, std::uint32_t ports);

  /// The full instance name of the node's interface at `port`: signals and tracks are called after it. Without a name
  /// it has none.
  void set_name(std::uint32_t port, const std::string& interface) { names_[port] = interface; }
  /// For each interface: "<interface>.under_way", messages sent and not yet arrived there; "<interface>.input_fifo",
  /// requests arrived and not yet taken out.
  void trace(WaveFile& waves);
  /// One group of tracks a node: the messages it sends, from leaving its interface to the arrival of the last byte.
  void record(Timeline& timeline);

  std::uint64_t sent() const { return sent_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t arrived_bytes() const { return arrived_bytes_; }

 private:
  tlm::tlm_sync_enum send(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum arrive(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum taken(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);

  std::vector<std::string> names_;
  std::uint64_t sent_ = 0, sent_bytes_ = 0, arrived_ = 0, arrived_bytes_ = 0;
  WaveFile* waves_ = nullptr;
  std::vector<WaveFile::Signal> under_way_, input_fifo_;
  Timeline* timeline_ = nullptr;
  std::vector<std::uint32_t> group_;                                // of the timeline, by port
  std::vector<std::string> destination_;                            // "to iop3"
  std::unordered_map<const tlm::tlm_generic_payload*, Time> left_;  // for look-up only
};

/// Binds a terminal's two sockets to a port of the fabric, through the monitor if there is one, which then knows the
/// terminal as `interface`; without a name it is counted but not shown.
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
