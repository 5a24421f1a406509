// SPDX-License-Identifier: MIT
#include <boost/container/flat_map.hpp>

#include "models/node/network_interface.h"

namespace sunstar::node {

using hal::OneSided;

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

void RdmaInterface::open(hal::OpenMemory& memory, std::uint64_t address, std::uint16_t answer) {
  open_ = &memory;
  open_address_ = address;
  answer_ = answer;
}

void RdmaInterface::send(const SendDescriptor& descriptor, sc_core::sc_time delay) {
  const hal::Message& m = *descriptor.message;
  Packet& packet = packet_for(m);
  if (m.bytes > 0 && m.bytes <= rdma_.inline_data.count) memory_.read(m.data, m.bytes, packet.held);
  if (m.one_sided == OneSided::read) {
    Queue& queue = queues_[m.target];
    if (queue.under_way == rdma_.outstanding_reads) {
      queue.waiting.push_back({&packet, descriptor.data_address});
      ++waited_;
      return;
    }
    ++queue.under_way;
  }
  leave(packet, descriptor.data_address, now() + from_sc(delay), rdma_.latency);
}

std::uint32_t RdmaInterface::close() {
  open_ = nullptr;
  return sum(queues_, [this](auto& queue) { return empty(queue.second); });
}

std::uint32_t RdmaInterface::give_up(hal::NodeId node) {
  const auto queue = queues_.find(node);
  return queue == queues_.end() ? 0 : empty(queue->second);
}

std::uint32_t RdmaInterface::empty(Queue& queue) {
  queue.under_way = 0;
  std::uint32_t waited = 0;
  for (; !queue.waiting.empty(); ++waited) take_first(queue.waiting).first->payload->release();
  return waited;
}

void RdmaInterface::ended(hal::NodeId node) {
  Queue& queue = queues_[node];
  if (queue.under_way == 0) return;  // the read was given up
  if (queue.waiting.empty()) {
    --queue.under_way;
    return;
  }
  const auto [packet, address] = take_first(queue.waiting);
  leave(*packet, address, now(), rdma_.latency);
}

// Messages leave in the order in which the doorbell rang.
void RdmaInterface::leave(Packet& packet, std::uint64_t data_address, Time asked, Duration latency) {
  const Time begins = std::max(asked, output_free_);
  Time leaves = begins + latency;
  Duration length = rdma_.message_gap;
  if (packet.bytes > rdma_.inline_data.count) {
    const Duration late = fetch(data_address, packet, begins);
    leaves += rdma_.fetch_latency + late;
    length = std::max(length, rdma_.bandwidth.time_for(packet.bytes) + late);
  }
  output_free_ = begins + length;
  last_left_ = leaves = std::max(leaves, last_left_);
  std::uint32_t& on_wire = packet.route->bytes;
  const auto mtu = static_cast<std::uint32_t>(rdma_.mtu.count);
  on_wire += (on_wire + mtu - 1) / mtu * static_cast<std::uint32_t>(rdma_.packet_header.count);
  hand_over(packet, asked, begins, to_sc(leaves - now()));
}

Duration RdmaInterface::fetch(std::uint64_t address, Packet& packet, Time from) {
  sc_core::sc_time delay = to_sc(from - now());
  move(false, address, packet, delay);
  return std::max(now() + from_sc(delay) - from - rdma_.bandwidth.time_for(packet.bytes), Duration{});
}

Time RdmaInterface::deposit(std::uint64_t address, Packet& packet, Time from) {
  sc_core::sc_time delay = to_sc(from - now());
  move(true, address, packet, delay, rdma_.bandwidth.time_for(packet.bytes));
  return now() + from_sc(delay);
}

void RdmaInterface::take(AcceptDescriptor& descriptor, sc_core::sc_time delay) {
  auto& packet = static_cast<Packet&>(*descriptor.message);
  descriptor.done = now() + from_sc(delay);
  if (packet.bytes > rdma_.inline_data.count)
    descriptor.done = deposit(descriptor.data_address, packet, descriptor.done);
  give_place_back(packet, to_sc(descriptor.done - now()));
}

void RdmaInterface::received(Packet& packet) {
  if (open_ && (packet.one_sided == OneSided::write || packet.one_sided == OneSided::read)) return serve(packet);
  if (packet.one_sided == OneSided::read_done) ended(packet.source);
  NetworkInterface::received(packet);
}

void RdmaInterface::serve(Packet& request) {
  hal::OneSidedHeader header;
  std::memcpy(&header, request.header.data(), sizeof header);
  const bool write = request.one_sided == OneSided::write;
  const std::uint64_t bytes = write ? request.bytes : header.bytes, address = open_address_ + header.offset;
  assert(header.offset + bytes <= open_->bytes);
  (write ? open_->put_bytes : open_->got_bytes) += bytes;
  ++served_;

  hal::Message answer;
  answer.target = request.source;
  answer.handler = answer_;
  answer.reply = true;
  answer.one_sided = write ? OneSided::no : OneSided::read_done;
  answer.request = request.request;
  answer.file_data = !write;
  answer.bytes = write ? 0 : static_cast<std::uint32_t>(bytes);
  std::memcpy(answer.header.data(), header.answer.data(), header.answer.size());
  Packet& packet = packet_for(answer);
  Time there = now();
  if (write) there = deposit(address, request, there);
  else if (bytes <= rdma_.inline_data.count) memory_.read(open_->base + header.offset, answer.bytes, packet.held);
  leave(packet, address, there, write || bytes > rdma_.inline_data.count ? Duration{} : rdma_.fetch_latency);
  give_place_back(request, to_sc(there - now()));
  request.payload->release();
}

void RdmaInterface::add_statistics(StatisticSet& set) {
  NetworkInterface::add_statistics(set);
  const std::string prefix = name();
  set.counter(prefix + ".served", "one-sided operations on the node's memory", "1", served_);
  set.counter(prefix + ".queued", "reads of the node that waited in their queue pair", "1", waited_);
}

std::unique_ptr<NetworkInterface> NetworkInterface::create(const sc_core::sc_module_name& name,
                                                           const NodeParams& params, hal::NodeId id,
                                                           const std::vector<std::uint32_t>& router_of,
                                                           PayloadPool& payloads, content::Memory& memory) {
  if (params.interface.kind.is<RdmaParams>())
    return std::make_unique<RdmaInterface>(name, params, id, router_of, payloads, memory);
  return std::make_unique<NetworkInterface>(name, params, id, router_of, payloads, memory);
}

}  // namespace sunstar::node
