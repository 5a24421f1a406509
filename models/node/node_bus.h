// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm>

#include "models/core/reservations.h"
#include "models/kernel/busy_share.h"
#include "models/kernel/payload.h"
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

  NodeBus(const sc_core::sc_module_name& name, const NodeParams& params, std::uint32_t host_adapters)
      : sc_module(name),
        core_(params.memory_bandwidth, static_cast<std::uint32_t>(params.bus_burst.count)),
        bytes_(first_host_adapter + host_adapters) {
    from_masters.register_b_transport(this, &NodeBus::b_transport);
  }

  void add_statistics(StatisticSet& set) {
    const std::string prefix = name();
    for (std::size_t m = 0; m < bytes_.size(); ++m) {
      const char* fixed[] = {"processor", "network_interface", "dma_engine"};
      const std::string master =
          m < first_host_adapter ? fixed[m] : "host_adapter" + std::to_string(m - first_host_adapter);
      set.counter(prefix + "." + master + "_bytes", "bytes moved on the node bus by its " + master, "B", bytes_[m]);
    }
    add_share(set, prefix + ".utilisation", "share of time the memory was busy", share_,
              [this] { return core_.busy(now()); });
  }

  std::uint32_t masters() const { return static_cast<std::uint32_t>(bytes_.size()); }
  std::uint64_t bytes(std::uint32_t master) const { return bytes_[master]; }

 private:
  void end_of_elaboration() override {
    for (unsigned s = 0; s < to_slaves.size(); ++s) slaves_.push_back(to_slaves[static_cast<int>(s)]);
  }

  void b_transport(int master, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    if (address >= device_base) {
      slaves_[1 + (address - device_base) / device_page]->b_transport(payload, delay);
      return;
    }
    bytes_[master] += payload.get_data_length();
    const Time start = now(), ready = start + from_sc(delay);
    const auto* const content = payload.get_extension<ContentExtension>();
    const Time end = core_.transfer(start, ready - (content ? content->since : Duration{}), payload.get_data_length());
    delay = to_sc(std::max(end, ready) - start);
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) payload.set_response_status(tlm::TLM_OK_RESPONSE);
    else slaves_[0]->b_transport(payload, delay);
  }

  NodeBusCore core_;
  BusyShare share_;
  std::vector<std::uint64_t> bytes_;
  // Looked up once: every message costs two register accesses.
  boost::container::small_vector<tlm::tlm_fw_transport_if<>*, 4> slaves_;
};

}  // namespace sunstar::node
