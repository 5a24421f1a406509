// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm>

#include "models/core/reservations.h"
#include "models/kernel/busy_share.h"
#include "models/node/node_params.h"

namespace sunstar::node {

/// Addresses on a node bus: memory lies from zero on, device registers far above it, one page for each device.
inline constexpr std::uint64_t device_base = 0x8000'0000'0000;
inline constexpr std::uint64_t device_page = 0x1'0000;

/// Devices by their page.
enum class Device : std::uint64_t { network_interface = 0, dma_engine = 1, first_host_adapter = 2 };

constexpr std::uint64_t page_of(Device d) { return device_base + static_cast<std::uint64_t>(d) * device_page; }

/// The sharing of one node's memory bandwidth, without a kernel.
///
/// Work-conserving: the bus is never idle from the time at which a transfer could start until its end, whatever has
/// been reserved for later meanwhile. Transfers take idle time in the order in which they are asked for; one no longer
/// than a burst waits for at most one burst of the others. The time of a short transfer delays those asked for later,
/// so bandwidth is never handed out twice.
class NodeBusCore {
 public:
  NodeBusCore(Bandwidth bandwidth, std::uint32_t burst_bytes)
      : bandwidth_(bandwidth), burst_bytes_(burst_bytes), burst_(bandwidth.time_for(burst_bytes)) {}

  /// A transfer of `bytes`, asked for at `now`, that could start at `from`; returns the time at which its last byte has
  /// passed. `from` is later than now if the master will ask then, and earlier if the bytes have been passing since.
  Time transfer(Time now, Time from, std::uint64_t bytes) {
    const Duration length = bandwidth_.time_for(bytes);
    const Time end = time_.in_pieces(now, from, length);
    return bytes <= burst_bytes_ ? std::min(end, from + burst_ + length) : end;
  }

  Duration busy(Time now) const { return time_.busy(now); }

 private:
  Bandwidth bandwidth_;
  std::uint32_t burst_bytes_;
  Duration burst_;
  Reservations time_;
};

/// Sits between a master and the node bus and counts the bytes to and from memory. Adds no time.
class BusMonitor : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<BusMonitor> from_master{"from_master"};
  tlm_utils::simple_initiator_socket<BusMonitor> to_bus{"to_bus"};

  explicit BusMonitor(const sc_core::sc_module_name& name) : sc_module(name) {
    from_master.register_b_transport(this, &BusMonitor::b_transport);
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const bool memory = payload.get_address() < device_base;
    const std::uint64_t bytes = payload.get_data_length();
    to_bus->b_transport(payload, delay);
    if (memory && payload.is_response_ok()) bytes_ += bytes;
  }

  std::uint64_t bytes_ = 0;
};

/// The bus of a node as a TLM-2.0 interconnect: processor, network interface, DMA engine and host adapter are its
/// masters; memory and the devices' registers its slaves. Transfers to memory share its bandwidth and return with the
/// time at which they end as annotated delay; register accesses are short and take no time on the bus.
/// TLM_IGNORE_COMMAND accounts for traffic whose bytes the master moved itself (a processor's copy).
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
