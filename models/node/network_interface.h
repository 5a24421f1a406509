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
                   const std::vector<std::uint32_t>& router_of, PayloadPool& payloads, content::Memory& memory);
  /// An interface of the kind named by the parameters.
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
  void probe(const Probe&, Stage computing);
  virtual void add_statistics(StatisticSet&);
  /// Messages that it has passed on with a wrong byte.
  std::uint64_t passed_spoilt() const { return passed_spoilt_; }

 protected:
  virtual void send(const SendDescriptor&, sc_core::sc_time delay);
  virtual void take(AcceptDescriptor&, sc_core::sc_time delay);
  /// A message has come.
  virtual void received(Packet& packet) { firmware_->message_arrived(packet); }
  /// The message in a payload, without its data and with its bytes on the wire.
  Packet& packet_for(const hal::Message&);
  /// The message was ready at `asked`, the interface turns to it at `begins`, it leaves after `delay`.
  void hand_over(Packet&, Time asked, Time begins, sc_core::sc_time delay);
  /// Moves data between the packet and memory; `since`: see ContentExtension.
  void move(bool write, std::uint64_t address, Packet& packet, sc_core::sc_time& delay, Duration since = {});
  /// Gives the message's place in the input FIFO back after `delay`.
  void give_place_back(Packet&, sc_core::sc_time delay);

  NodeParams params_;
  content::Memory& memory_;
  Time output_free_{};

 private:
  void access(tlm::tlm_generic_payload&, sc_core::sc_time&);
  tlm::tlm_sync_enum arrive(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  bool takes_spoilt(Packet&);
  void lead(network::Route& route, Time asked, Time begins, Time leaves);

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
