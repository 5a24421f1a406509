// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/core/statistics.h"
#include "models/kernel/payload.h"
#include "models/kernel/probe.h"
#include "models/network/route.h"
#include "models/node/node_params.h"

namespace sunstar::node {

/// A message in flight: header and data, as an extension for the two network interfaces.
class Packet : public tlm::tlm_extension<Packet>, public hal::Message {
 public:
  tlm::tlm_generic_payload* payload = nullptr;  ///< the payload to which this belongs
  network::Route* route = nullptr;              ///< the payload's other extension, to save looking it up
  content::Content held;                        ///< its data

  tlm::tlm_extension_base* clone() const override { return nullptr; }  // a message is never in two places
  void copy_from(const tlm::tlm_extension_base&) override {}
};

/// The network interface of a node: registers on the node bus, DMA for long data, an input FIFO.
///
/// Sending: the processor writes a descriptor to the doorbell register; the interface fetches long data from memory by
/// DMA, then the message enters the network. Receiving: an arriving message raises an interrupt; the handler writes the
/// data's destination to the accept register; once the data are there, the message's place in the FIFO is free. The
/// fabric bounds the FIFO (InputRoom). The interface refuses a message that a fault has spoilt; without `crc`, it
/// passes spoilt file data on with every bit of the middle byte wrong.
class NetworkInterface : public sc_core::sc_module {
 public:
  /// The processor writes it to the doorbell register.
  struct SendDescriptor {
    const hal::Message* message;
    std::uint64_t data_address;
  };
  /// The processor writes it to the accept register; the interface fills in `done`.
  struct AcceptDescriptor {
    hal::Message* message;
    std::uint64_t data_address;
    Time done;
  };
  static constexpr std::uint64_t doorbell = 0x00, accept = 0x40;

  tlm_utils::passthrough_target_socket<NetworkInterface> registers{"registers"};
  tlm_utils::simple_initiator_socket<NetworkInterface> dma{"dma"};
  tlm_utils::simple_initiator_socket<NetworkInterface> to_network{"to_network"};
  tlm_utils::passthrough_target_socket<NetworkInterface> from_network{"from_network"};

  /// The interface of node `id`. `router_of` maps node numbers to the ports of the fabric at which they are placed;
  /// messages travel in payloads of the pool. Both must outlive the interface. The processor takes short data from
  /// `memory`.
  NetworkInterface(const sc_core::sc_module_name& name, const NodeParams& params, hal::NodeId id,
                   const std::vector<std::uint32_t>& router_of, PayloadPool& payloads, content::Memory& memory)
      : sc_module(name), params_(params), memory_(memory), id_(id), router_of_(router_of), payloads_(payloads) {
    registers.register_b_transport(this, &NetworkInterface::access);
    from_network.register_nb_transport_fw(this, &NetworkInterface::arrive);
  }

  static std::unique_ptr<NetworkInterface> create(const sc_core::sc_module_name& name, const NodeParams& params,
                                                  hal::NodeId id, const std::vector<std::uint32_t>& router_of,
                                                  PayloadPool& payloads, content::Memory& memory);

  /// The processor moves data up to this length.
  virtual std::uint64_t programmed_limit() const { return params_.programmed_io_limit.count; }
  /// As hal::NetworkPort; the memory begins at `address`.
  virtual bool one_sided() const { return false; }
  virtual void open(hal::OpenMemory&, [[maybe_unused]] std::uint64_t address, [[maybe_unused]] std::uint16_t answer) {}
  virtual std::uint32_t close() { return 0; }
  virtual std::uint32_t give_up(hal::NodeId) { return 0; }
  /// Connects the firmware that takes the interrupts.
  void connect(hal::Firmware& firmware) { firmware_ = &firmware; }

  /// Gives messages their paths; the processor's time before they leave counts for `computing`.
  void probe(const Probe& probe, Stage computing) {
    paths_ = probe.path;
    computing_ = computing;
    if (paths_) output_queue_ = &paths_->queue(std::string(name()) + ".output");
  }

  virtual void add_statistics(StatisticSet& set) {
    const std::string prefix = name();
    set.counter(prefix + ".sent", "messages sent", "1", sent_);
    set.counter(prefix + ".sent_bytes", "data bytes in messages sent", "B", sent_bytes_);
    set.counter(prefix + ".received", "messages received", "1", received_);
    set.counter(prefix + ".received_bytes", "data bytes in messages received", "B", received_bytes_);
    if (crc_errors_ + passed_spoilt_ == 0) return;
    set.counter(prefix + ".crc_errors", "spoilt messages refused", "1", crc_errors_);
    set.counter(prefix + ".passed_spoilt", "messages passed on with a wrong byte", "1", passed_spoilt_);
  }

  /// Messages that it has passed on with a wrong byte.
  std::uint64_t passed_spoilt() const { return passed_spoilt_; }

 protected:
  virtual void send(const SendDescriptor& descriptor, sc_core::sc_time delay) {
    const hal::Message& m = *descriptor.message;
    Packet& packet = packet_for(m);
    const Time asked = now() + from_sc(delay);
    // Messages leave in the order in which the doorbell rang; the interface first fetches a long message from memory.
    if (output_free_ > now()) delay = std::max(delay, to_sc(output_free_ - now()));
    const Time begins = now() + from_sc(delay);
    if (m.bytes > params_.programmed_io_limit.count) {
      move(false, descriptor.data_address, packet, delay);
      output_free_ = now() + from_sc(delay);
    } else if (m.bytes > 0) {
      memory_.read(m.data, m.bytes, packet.held);
    }
    hand_over(packet, asked, begins, delay);
  }

  virtual void take(AcceptDescriptor& descriptor, sc_core::sc_time delay) {
    auto& packet = static_cast<Packet&>(*descriptor.message);
    if (packet.bytes > params_.programmed_io_limit.count) move(true, descriptor.data_address, packet, delay);
    descriptor.done = now() + from_sc(delay);
    give_place_back(packet, delay);
  }

  virtual void received(Packet& packet) { firmware_->message_arrived(packet); }

  /// The message in a payload, without its data and with its bytes on the wire.
  Packet& packet_for(const hal::Message& m) {
    tlm::tlm_generic_payload& payload = payloads_.acquire();
    auto* packet = payload.get_extension<Packet>();
    if (!packet) {
      payload.set_extension(packet = new Packet);
      payload.set_extension(packet->route = new network::Route);
      packet->payload = &payload;
    }
    static_cast<hal::Message&>(*packet) = m;
    packet->source = id_;
    packet->data = nullptr;
    packet->held.clear();
    packet->content = &packet->held;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_data_length(m.bytes);
    network::Route& route = *packet->route;
    route.from = router_of_[id_];
    route.to = router_of_[m.target];
    route.bytes = m.bytes + static_cast<std::uint32_t>(params_.message_header.count + m.more_on_wire);
    route.reply = m.reply;
    route.request = m.request;
    return *packet;
  }

  /// The message was ready at `asked`, the interface turns to it at `begins`, it leaves after `delay`.
  void hand_over(Packet& packet, Time asked, Time begins, sc_core::sc_time delay) {
    if (paths_) [[unlikely]]
      lead(*packet.route, asked, begins, now() + from_sc(delay));
    ++sent_;
    sent_bytes_ += packet.bytes;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    to_network->nb_transport_fw(*packet.payload, phase, delay);
  }

  /// Moves data between the packet and memory; `since`: see ContentExtension.
  void move(bool write, std::uint64_t address, Packet& packet, sc_core::sc_time& delay, Duration since = {}) {
    auto& payload = dma_payload_.transfer(write, address, packet.held, packet.bytes, since);
    dma->b_transport(payload, delay);
    assert(payload.is_response_ok());
  }

  /// Gives the message's place in the input FIFO back after `delay`.
  void give_place_back(Packet& packet, sc_core::sc_time delay) {
    if (packet.reply) return;  // a reply has no place in the FIFO
    tlm::tlm_phase phase = tlm::END_REQ;
    from_network->nb_transport_bw(*packet.payload, phase, delay);
  }

  NodeParams params_;
  content::Memory& memory_;
  Time output_free_{};

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    unsigned char* data = payload.get_data_ptr();
    switch (payload.get_address() & 0xffff) {
      case doorbell: send(*reinterpret_cast<const SendDescriptor*>(data), delay); break;
      case accept: take(*reinterpret_cast<AcceptDescriptor*>(data), delay); break;
      default: payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); return;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  tlm::tlm_sync_enum arrive(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    Packet& packet = *payload.get_extension<Packet>();
    if (packet.route->fate.corrupted && !takes_spoilt(packet)) [[unlikely]]
      return tlm::TLM_COMPLETED;
    ++received_;
    received_bytes_ += packet.bytes;
    received(packet);
    return tlm::TLM_ACCEPTED;
  }

  bool takes_spoilt(Packet& packet) {
    if (params_.crc || !packet.file_data || packet.bytes == 0) {
      ++crc_errors_;
      return false;
    }
    ++passed_spoilt_;
    packet.route->fate.corrupted = false;  // a duplicate that follows passes as it is
    const std::uint32_t wrong = packet.bytes / 2;
    content::Content spoilt = packet.held.slice(0, wrong);
    spoilt.append(content::corrupted(packet.held.slice(wrong, 1)));
    spoilt.append(packet.held, wrong + 1, packet.bytes - wrong - 1);
    packet.held = std::move(spoilt);
    return true;
  }

  // The message is ready at `asked`, the interface turns to it at `begins`, it leaves at `leaves`.
  void lead(network::Route& route, Time asked, Time begins, Time leaves) {
    Path& path = paths_->kept(route.path);
    output_queue_->add(begins - asked);
    if (begins > asked) {
      path = last_sent_;
    } else {
      path = paths_->current;
      paths_->advance(path, asked, computing_);
    }
    const Stage stage = one_sided() ? Stage::network : Stage::memory;
    if (output_free_ > begins) {  // other messages will wait for this one
      last_sent_ = path;
      paths_->advance(last_sent_, output_free_, stage);
    }
    paths_->advance(path, leaves, stage);
  }

  const hal::NodeId id_;
  const std::vector<std::uint32_t>& router_of_;
  hal::Firmware* firmware_ = nullptr;
  PayloadPool& payloads_;
  ContentPayload dma_payload_;
  CriticalPath* paths_ = nullptr;
  Stage computing_ = Stage::combined_processor;
  Path last_sent_;  // the path of the last message to leave, at output_free_
  QueueTimes* output_queue_ = nullptr;
  std::uint64_t sent_ = 0, received_ = 0, sent_bytes_ = 0, received_bytes_ = 0;
  std::uint64_t crc_errors_ = 0, passed_spoilt_ = 0;
};

}  // namespace sunstar::node
