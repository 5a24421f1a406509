// SPDX-License-Identifier: MIT
#include "models/node/host_adapter.h"

#include "models/node/node.h"

namespace sunstar::node {

BlockAdapter::BlockAdapter(const sc_core::sc_module_name& name, Node& node, std::uint32_t index)
    : sc_module(name), registers("registers"), dma("dma"), node_(node), index_(index) {
  registers.register_b_transport(this, &BlockAdapter::access);
}

void BlockAdapter::Drive::submit(hal::BlockCommand& command) {
  Node& node = adapter.node_;
  Descriptor descriptor{&command, this, command.data.bytes ? node.ram.address_of(command.data.bytes) : 0};
  node.access(page_of(Device::first_host_adapter) + adapter.index_ * device_page, &descriptor, sizeof descriptor);
}

HostAdapter::HostAdapter(const sc_core::sc_module_name& name, Node& node, std::uint32_t index, std::uint32_t targets)
    : BlockAdapter(name, node, index), initiator("initiator", targets, *this) {}

void HostAdapter::access(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const auto& d = *reinterpret_cast<const Descriptor*>(payload.get_data_ptr());
  if (free_slots_.empty()) free_slots_.push_back(&slots_.emplace_back());
  Slot& slot = *take_last(free_slots_);
  slot.wanted = d.command;
  slot.address = d.data_address;
  scsi::Command& c = slot.command;
  c.target = d.drive->target;
  c.write = d.command->write;
  c.synchronise = d.command->synchronise;
  c.help = static_cast<scsi::Help>(d.command->help);
  c.lbn = d.command->sector;
  c.sectors = d.command->sectors;
  c.sector_size = d.drive->bytes;
  c.user = &slot;
  c.request = d.command->request;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  initiator.submit(c);
}

void HostAdapter::data_phase(scsi::Command& command, const scsi::Burst& burst, Time start) {
  const auto& slot = *static_cast<Slot*>(command.user);
  auto& payload = payload_.transfer(!command.write, slot.address + burst.offset, burst.content, burst.bytes);
  sc_core::sc_time delay = to_sc(std::max(start - now(), Duration{}));
  dma->b_transport(payload, delay);
  assert(payload.is_response_ok());
}

void HostAdapter::ended(scsi::Command& command, hal::Status status) {
  auto& slot = *static_cast<Slot*>(command.user);
  hal::BlockCommand& wanted = *slot.wanted;
  wanted.status = status;
  free_slots_.push_back(&slot);
  node_.firmware().block_done(wanted);
}

void HostAdapter::complete(scsi::Command& command) {
  if (command.write || command.synchronise) on_medium_ = std::max(on_medium_, command.timing.on_medium);
  ended(command, hal::Status::ok);
}

void HostAdapter::fail(scsi::Command& command, const scsi::Failure& why) {
  using disk::SenseKey;
  using hal::Status;
  static_cast<Slot*>(command.user)->wanted->bad_sector = why.information;
  if (why.how == scsi::Failing::no_selection) return ended(command, Status::no_device);
  if (why.how != scsi::Failing::check_condition) return ended(command, Status::interrupted);
  switch (why.key) {
    case SenseKey::medium_error: return ended(command, Status::medium_error);
    case SenseKey::not_ready: return ended(command, Status::not_ready);
    case SenseKey::unit_attention:
      static_cast<Slot*>(command.user)->wanted->powered_on = why.information == disk::power_on_occurred;
      return ended(command, Status::interrupted);
    case SenseKey::aborted_command: return ended(command, Status::interrupted);
    default: return ended(command, Status::refused);
  }
}

}  // namespace sunstar::node
