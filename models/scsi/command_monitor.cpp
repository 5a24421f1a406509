// SPDX-License-Identifier: MIT
#include "models/scsi/command_monitor.h"

#include <algorithm>

#include "models/kernel/sc_time_bridge.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

CommandMonitor::CommandMonitor(const sc_core::sc_module_name& name, std::uint32_t targets)
    : sc_module(name),
      from_initiator("from_initiator"),
      to_bus("to_bus"),
      from_bus("from_bus", targets),
      to_target("to_target", targets),
      now_(targets) {
  from_initiator.register_nb_transport_fw(this, &CommandMonitor::ask);
  to_bus.register_nb_transport_bw(this, &CommandMonitor::tell_initiator);
  for (std::uint32_t i = 0; i < targets; ++i) {
    from_bus[i].register_nb_transport_fw(this, &CommandMonitor::tell_target, static_cast<int>(i));
    to_target[i].register_nb_transport_bw(this, &CommandMonitor::come_back, static_cast<int>(i));
  }
}

void CommandMonitor::record(Timeline& timeline, const std::string& bus_name,
                            const std::vector<std::string>& target_names) {
  timeline_ = &timeline;
  const std::uint32_t group = timeline.group(bus_name);
  for (const std::string& name : target_names) tracks_.push_back(timeline.track(group, name));
}

void CommandMonitor::step_ends(std::uint32_t target, const char* name, Time end, Timeline::Figures figures) {
  if (timeline_ && end > now_[target].step) timeline_->span(tracks_[target], name, now_[target].step, end, figures);
  now_[target].step = end;
}

tlm::tlm_sync_enum CommandMonitor::ask(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  const std::uint32_t target = payload.get_extension<Transaction>()->target;
  ++commands_;
  now_[target] = {sunstar::now(), sunstar::now()};
  return to_bus->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum CommandMonitor::tell_initiator(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
  const Transaction& t = *payload.get_extension<Transaction>();
  const Time at = sunstar::now() + from_sc(delay);
  if (phase == phase::selection) {
    step_ends(t.target, "waits for the bus, selection", at);
  } else if (phase == phase::status) {
    step_ends(t.target, "status", at);
    if (timeline_)
      timeline_->span(tracks_[t.target],
                      payload.is_write()  ? "write"
                      : payload.is_read() ? "read"
                                          : "synchronise",
                      now_[t.target].asked, at, {{"lbn", t.lbn}, {"sectors", t.sectors}});
  }
  return from_initiator->nb_transport_bw(payload, phase, delay);
}

tlm::tlm_sync_enum CommandMonitor::tell_target(int target, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  const auto i = static_cast<std::uint32_t>(target);
  const Transaction& t = *payload.get_extension<Transaction>();
  const Time at = sunstar::now() + from_sc(delay);
  if (phase == phase::command) step_ends(i, "command", at);
  else if (phase == phase::reselection) step_ends(i, "disconnected", at);
  else if (phase == phase::data) step_ends(i, "data", at, {{"bytes", t.burst_bytes}});
  const auto answer = to_target[i]->nb_transport_fw(payload, phase, delay);
  const Time next = std::max(at, sunstar::now() + from_sc(delay));
  if (phase == phase::data) data_bytes_ += t.burst_bytes;
  if (phase != phase::disconnect) step_ends(i, "the bus waits", next);
  return answer;
}

tlm::tlm_sync_enum CommandMonitor::come_back(int target, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  return from_bus[static_cast<std::size_t>(target)]->nb_transport_bw(payload, phase, delay);
}

}  // namespace sunstar::scsi
