// SPDX-License-Identifier: MIT
#include "models/node/nvme_host.h"

#include "models/node/node.h"

namespace sunstar::node {

NvmeHost::NvmeHost(const sc_core::sc_module_name& name, Node& node, std::uint32_t index, std::uint32_t drives)
    : BlockAdapter(name, node, index), doorbells("doorbells", drives), memory("memory", drives) {
  for (auto& socket : memory) socket.register_b_transport(this, &NvmeHost::to_memory);
  doorbell_.set_command(tlm::TLM_WRITE_COMMAND);
}

// The next queue in turn that has room.
std::uint32_t NvmeHost::QueuedDrive::next_queue() {
  const auto queues = static_cast<std::uint32_t>(under_way.size());
  for (std::uint32_t tried = 1; under_way[turn] == most && tried < queues; ++tried) turn = (turn + 1) % queues;
  return std::exchange(turn, (turn + 1) % queues);
}

void NvmeHost::access(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const auto& d = *reinterpret_cast<const Descriptor*>(payload.get_data_ptr());
  const hal::BlockCommand& wanted = *d.command;
  if (free_.empty()) free_.push_back(&slots_.emplace_back());
  Slot& slot = *free_.back();
  free_.pop_back();
  slot.wanted = d.command;
  slot.what = wanted.help == hal::Help::none    ? nvme::Entry::What::command
              : wanted.help == hal::Help::abort ? nvme::Entry::What::abort
                                                : nvme::Entry::What::reset;
  slot.drive = static_cast<QueuedDrive*>(d.drive);
  slot.command = {slot.what == nvme::Entry::What::command ? slot.drive->next_queue() : 0,
                  wanted.synchronise ? nvme::Operation::flush
                  : wanted.write     ? nvme::Operation::write
                                     : nvme::Operation::read,
                  wanted.sector, wanted.synchronise ? 0 : wanted.sectors};
  slot.address = d.data_address;
  slot.request = wanted.request;
  slot.number = ++entries_;
  slot.aborts = 0;
  if (wanted.aborts)
    if (const auto aborted = std::ranges::find(slots_, wanted.aborts, &Slot::wanted); aborted != slots_.end())
      slot.aborts = aborted->number;
  if (slot.what == nvme::Entry::What::command) {
    ++commands_;
    ++slot.drive->under_way[slot.command.queue];
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  doorbell_.set_data_ptr(reinterpret_cast<unsigned char*>(static_cast<nvme::Entry*>(&slot)));
  doorbell_.set_data_length(nvme::submission_entry);
  doorbell_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  doorbells[d.drive->target]->b_transport(doorbell_, none);
}

void NvmeHost::completed(nvme::Entry& entry) {
  auto& slot = static_cast<Slot&>(entry);
  hal::BlockCommand& wanted = *std::exchange(slot.wanted, nullptr);
  wanted.status = status_of(entry.status);
  wanted.bad_sector = entry.information;
  wanted.core = entry.command.queue;
  if (entry.what == nvme::Entry::What::command) {
    --slot.drive->under_way[entry.command.queue];
    response_ += seconds(now() - entry.submitted);
    failures_ += entry.status != nvme::Status::success;
  }
  on_medium_ = std::max(on_medium_, entry.on_medium);
  free_.push_back(&slot);
  node_.firmware().block_done(wanted);
}

void NvmeHost::add_statistics(StatisticSet& set) {
  const std::string prefix = std::string(name()) + ".";
  set.counter(prefix + "commands", "commands submitted", "1", commands_);
  set.counter(prefix + "failures", "commands that failed", "1", failures_);
  set.counter(prefix + "response_time", "from doorbell to interrupt, summed over commands", "s", response_);
}

}  // namespace sunstar::node
