// SPDX-License-Identifier: MIT
#include "models/node/network_interface.h"

namespace sunstar::node {

using network::Route;

NetworkInterface::NetworkInterface(const sc_core::sc_module_name& name, const NodeParams& params, hal::NodeId id,
                                   const std::vector<std::uint32_t>& router_of, PayloadPool& payloads,
                                   content::Memory& memory)
    : sc_module(name), params_(params), memory_(memory), id_(id), router_of_(router_of), payloads_(payloads) {
  registers.register_b_transport(this, &NetworkInterface::access);
  from_network.register_nb_transport_fw(this, &NetworkInterface::arrive);
}

void NetworkInterface::access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  unsigned char* data = payload.get_data_ptr();
  switch (payload.get_address() & 0xffff) {
    case doorbell: send(*reinterpret_cast<const SendDescriptor*>(data), delay); break;
    case accept: take(*reinterpret_cast<AcceptDescriptor*>(data), delay); break;
    default: payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); return;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void NetworkInterface::move(bool write, std::uint64_t address, Packet& packet, sc_core::sc_time& delay,
                            Duration since) {
  auto& payload = dma_payload_.transfer(write, address, packet.held, packet.bytes, since);
  dma->b_transport(payload, delay);
  assert(payload.is_response_ok());
}

void NetworkInterface::probe(const Probe& probe, Stage computing) {
  paths_ = probe.path;
  computing_ = computing;
  if (paths_) output_queue_ = &paths_->queue(std::string(name()) + ".output");
}

// The message is ready at `asked`, the interface turns to it at `begins`, it leaves at `leaves`.
void NetworkInterface::lead(Route& route, Time asked, Time begins, Time leaves) {
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

Packet& NetworkInterface::packet_for(const hal::Message& m) {
  tlm::tlm_generic_payload& payload = payloads_.acquire();
  auto* packet = payload.get_extension<Packet>();
  if (!packet) {
    payload.set_extension(packet = new Packet);
    payload.set_extension(packet->route = new Route);
    packet->payload = &payload;
  }
  static_cast<hal::Message&>(*packet) = m;
  packet->source = id_;
  packet->data = nullptr;
  packet->held.clear();
  packet->content = &packet->held;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_data_length(m.bytes);
  Route& route = *packet->route;
  route.from = router_of_[id_];
  route.to = router_of_[m.target];
  route.bytes = m.bytes + static_cast<std::uint32_t>(params_.message_header.count + m.more_on_wire);
  route.reply = m.reply;
  route.request = m.request;
  return *packet;
}

void NetworkInterface::send(const SendDescriptor& descriptor, sc_core::sc_time delay) {
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

void NetworkInterface::hand_over(Packet& packet, Time asked, Time begins, sc_core::sc_time delay) {
  if (paths_) [[unlikely]]
    lead(*packet.route, asked, begins, now() + from_sc(delay));
  ++sent_;
  sent_bytes_ += packet.bytes;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  to_network->nb_transport_fw(*packet.payload, phase, delay);
}

tlm::tlm_sync_enum NetworkInterface::arrive(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  Packet& packet = *payload.get_extension<Packet>();
  if (packet.route->fate.corrupted && !takes_spoilt(packet)) [[unlikely]]
    return tlm::TLM_COMPLETED;
  ++received_;
  received_bytes_ += packet.bytes;
  received(packet);
  return tlm::TLM_ACCEPTED;
}

bool NetworkInterface::takes_spoilt(Packet& packet) {
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

void NetworkInterface::take(AcceptDescriptor& descriptor, sc_core::sc_time delay) {
  auto& packet = static_cast<Packet&>(*descriptor.message);
  if (packet.bytes > params_.programmed_io_limit.count) move(true, descriptor.data_address, packet, delay);
  descriptor.done = now() + from_sc(delay);
  give_place_back(packet, delay);
}

void NetworkInterface::give_place_back(Packet& packet, sc_core::sc_time delay) {
  if (packet.reply) return;  // a reply has no place in the FIFO
  tlm::tlm_phase phase = tlm::END_REQ;
  from_network->nb_transport_bw(*packet.payload, phase, delay);
}

void NetworkInterface::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  set.counter(prefix + ".sent", "messages sent", "1", sent_);
  set.counter(prefix + ".sent_bytes", "data bytes in messages sent", "B", sent_bytes_);
  set.counter(prefix + ".received", "messages received", "1", received_);
  set.counter(prefix + ".received_bytes", "data bytes in messages received", "B", received_bytes_);
  if (crc_errors_ + passed_spoilt_ == 0) return;
  set.counter(prefix + ".crc_errors", "spoilt messages refused", "1", crc_errors_);
  set.counter(prefix + ".passed_spoilt", "messages passed on with a wrong byte", "1", passed_spoilt_);
}

}  // namespace sunstar::node
