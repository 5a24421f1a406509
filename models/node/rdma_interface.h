// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/flat_map.hpp>

#include "models/node/network_interface.h"

namespace sunstar::node {

/// A network interface with remote direct memory access. Data stream through it: the first bytes of a message are on
/// the link while it still fetches later ones, and in memory when the last arrive. It carries out one-sided operations
/// on the memory that its node has opened, and sends the answers, without that node's processor. Without open memory
/// the node's software gets the request, and refuses it.
///
/// A message costs no more events than with other interfaces: the sender's interface adds the time in the receiver's
/// interface (RdmaParams::latency).
class RdmaInterface final : public NetworkInterface {
 public:
  using NetworkInterface::NetworkInterface;

  std::uint64_t programmed_limit() const override { return rdma_.inline_data.count; }
  bool one_sided() const override { return true; }
  void open(hal::OpenMemory& memory, std::uint64_t address, std::uint16_t answer) override;
  std::uint32_t close() override;
  std::uint32_t give_up(hal::NodeId) override;
  /// Adds the number of one-sided operations carried out, and of its node's reads that had to wait.
  void add_statistics(StatisticSet&) override;

 private:
  /// A queue pair: reads in flight, and the reads behind them.
  struct Queue {
    std::uint32_t under_way = 0;
    Fifo<std::pair<Packet*, std::uint64_t>> waiting;
  };
  void send(const SendDescriptor&, sc_core::sc_time delay) override;
  void take(AcceptDescriptor&, sc_core::sc_time delay) override;
  void received(Packet&) override;
  void serve(Packet& request);
  void ended(hal::NodeId node);
  /// Drops a queue's reads. Returns how many of them had not left yet.
  std::uint32_t empty(Queue& queue);
  void leave(Packet& packet, std::uint64_t data_address, Time asked, Duration latency);
  /// Takes a message's data from memory from `from` on, as the link takes them; returns how long the link waits for
  /// its last byte.
  Duration fetch(std::uint64_t address, Packet& packet, Time from);
  /// Writes a message's data to memory; returns when they are there.
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
