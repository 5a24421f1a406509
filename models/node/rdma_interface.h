// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/flat_map.hpp>

#include "models/core/fifo.h"
#include "models/node/network_interface.h"

namespace sunstar::node {

/// A network interface with remote direct memory access. Data stream through it: the first bytes of a message are on
/// the link while it still fetches the others, and in memory when the last arrive. It carries out one-sided operations
/// on the memory that its node has opened, and sends the answers; the processor of that node does not notice.
///
/// A message costs no more events than with other interfaces: the time that it takes in the interface of the receiver
/// is added in that of the sender (RdmaParams::latency).
class RdmaInterface final : public NetworkInterface {
 public:
  using NetworkInterface::NetworkInterface;

  std::uint64_t programmed_limit() const override { return rdma_.inline_data.count; }
  bool one_sided() const override { return true; }
  void open(hal::OpenMemory& memory, std::uint64_t address, std::uint16_t answer) override;
  /// Adds the one-sided operations that it has carried out, and its node's reads that had to wait.
  void add_statistics(StatisticSet&) override;

 private:
  /// Of a queue pair: reads under way, and those behind them.
  struct Queue {
    std::uint32_t under_way = 0;
    Fifo<std::pair<Packet*, std::uint64_t>> waiting;
  };
  void send(const SendDescriptor&, sc_core::sc_time delay) override;
  void take(AcceptDescriptor&, sc_core::sc_time delay) override;
  void received(Packet&) override;
  void serve(Packet& request);
  void ended(hal::NodeId node);
  void leave(Packet& packet, std::uint64_t data_address, Time asked, Duration latency);
  /// Takes a message's data from memory from `from` on; returns how much later they come than from a memory that the
  /// interface has for itself.
  Duration fetch(std::uint64_t address, Packet& packet, Time from);
  /// Writes them to memory; returns when they are there.
  Time deposit(std::uint64_t address, Packet& packet, Time from);

  const RdmaParams rdma_ = params_.interface.kind.as<RdmaParams>();
  Time last_left_{};
  hal::OpenMemory* open_ = nullptr;
  std::uint64_t open_address_ = 0;
  std::uint16_t answer_ = 0;
  boost::container::flat_map<hal::NodeId, Queue> queues_;
  std::uint64_t served_ = 0, waited_ = 0;
};

}  // namespace sunstar::node
