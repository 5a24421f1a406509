// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <boost/container/small_vector.hpp>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/core/statistics.h"
#include "models/kernel/busy_share.h"
#include "models/node/node_bus_core.h"
#include "models/node/node_params.h"

namespace sunstar::node {

/// The bus of a node as a TLM-2.0 interconnect: processor, network interface, DMA engine and host adapter are its
/// masters; memory and the devices' registers its slaves (addresses: address_map.h). Transfers to memory share its
/// bandwidth and return with the time at which they end as annotated delay; register accesses are short and take no
/// time on the bus. TLM_IGNORE_COMMAND accounts for traffic whose bytes the master moved itself (a processor's copy).
class NodeBus : public sc_core::sc_module {
 public:
  enum Master { processor, network_interface, dma_engine, first_host_adapter };

  /// One socket for all masters, bound in the order of their numbers, and one for all slaves: first the memory, then
  /// the devices in the order of their pages. Separate sockets would take 4 KB more of the host's memory in each node.
  tlm_utils::multi_passthrough_target_socket<NodeBus> from_masters{"from_masters"};
  tlm_utils::multi_passthrough_initiator_socket<NodeBus> to_slaves{"to_slaves"};

  NodeBus(const sc_core::sc_module_name& name, const NodeParams& params, std::uint32_t host_adapters);

  void add_statistics(StatisticSet&);
  std::uint32_t masters() const { return static_cast<std::uint32_t>(bytes_.size()); }
  std::uint64_t bytes(std::uint32_t master) const { return bytes_[master]; }

 private:
  void end_of_elaboration() override;
  void b_transport(int master, tlm::tlm_generic_payload&, sc_core::sc_time&);

  NodeBusCore core_;
  BusyShare share_;
  std::vector<std::uint64_t> bytes_;
  // Looked up once: every message costs two register accesses.
  boost::container::small_vector<tlm::tlm_fw_transport_if<>*, 4> slaves_;
};

}  // namespace sunstar::node
