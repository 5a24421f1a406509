// SPDX-License-Identifier: MIT
#include "models/scsi/initiator.h"

#include <cassert>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::scsi {

Initiator::Initiator(const sc_core::sc_module_name& name, const BusParams& params, std::uint32_t target_count,
                     InitiatorListener& listener)
    : sc_module(name), timing_(params), listener_(listener), queues_(target_count) {
  socket.register_nb_transport_bw(this, &Initiator::from_bus);
}

void Initiator::submit(Command& command) {
  assert(command.target < queues_.size());
  command.submitted = sunstar::now();
  ++pending_;
  ++commands_;
  auto& queue = queues_[command.target];
  queue.push_back(&command);
  if (queue.size() == 1) send(command);
}

void Initiator::send(Command& command) {
  auto& payload = pool_.acquire();
  auto* const used = payload.get_extension<Transaction>();
  if (!used) payload.set_extension(new Transaction);
  auto& t = *payload.get_extension<Transaction>();
  if (used) t = {};
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  t.target = command.target;
  t.lbn = command.lbn;
  t.sectors = command.sectors;
  t.owner = &command;
  t.request = command.request;
  payload.set_command(command.synchronise ? tlm::TLM_IGNORE_COMMAND
                      : command.write     ? tlm::TLM_WRITE_COMMAND
                                          : tlm::TLM_READ_COMMAND);
  payload.set_address(command.lbn * command.sector_size);
  payload.set_data_length(command.sectors * command.sector_size);
  tlm::tlm_phase phase = phase::arbitration;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(payload, phase, none);
}

tlm::tlm_sync_enum Initiator::from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  auto& t = *payload.get_extension<Transaction>();
  Command& command = *static_cast<Command*>(t.owner);
  const Time at = sunstar::now() + from_sc(delay);
  if (phase == phase::selection) {
    command.selected = at;
  } else if (phase == phase::data) {
    if (command.write) t.burst.clear();
    listener_.data_phase(command, {t.burst_offset, t.burst_bytes, t.burst}, at,
                         timing_.data(t.burst_bytes) + t.burst_extra);
  } else {
    assert(phase == phase::status);
    command.completed = at;
    command.timing = t.timing;
    response_ += seconds(at - command.submitted);
    --pending_;
    auto& queue = queues_[command.target];
    queue.pop_front();
    if (!queue.empty()) send(*queue.front());
    const bool failed = t.failed;
    const std::string sense = t.sense;
    payload.release();
    failures_ += failed;
    if (failed) listener_.fail(command, sense);
    else listener_.complete(command);
    return tlm::TLM_COMPLETED;
  }
  return tlm::TLM_ACCEPTED;
}

void Initiator::register_statistics(StatisticSet& set) {
  const std::string prefix = std::string(name()) + ".";
  set.counter(prefix + "commands", "commands submitted", "1", commands_);
  set.counter(prefix + "failures", "commands that failed", "1", failures_);
  set.counter(prefix + "response_time", "from submission to completion, summed over commands", "s", response_);
}

}  // namespace sunstar::scsi
