// SPDX-License-Identifier: MIT
#include "models/scsi/command_monitor.h"

#include <algorithm>

#include "models/kernel/sc_time_bridge.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

namespace {
std::string name_of(const tlm::tlm_generic_payload& command) {
  return command.is_write() ? "write" : command.is_read() ? "read" : "synchronise";
}
}  // namespace

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

void CommandMonitor::record(Timeline& timeline, std::vector<Timeline::Track> tracks, Timeline::Counter bus_rate,
                            std::vector<Timeline::Counter> rates) {
  timeline_ = &timeline;
  tracks_ = std::move(tracks);
  bus_rate_ = bus_rate;
  rates_ = std::move(rates);
}

void CommandMonitor::log(EventLog& log, std::vector<EventLog::Instance> targets) {
  log_ = &log;
  logged_ = std::move(targets);
}

void CommandMonitor::explain(Trails& trails, const std::string& bus_name, std::vector<const Target*> targets) {
  trails_ = &trails;
  targets_ = std::move(targets);
  drives_.resize(targets_.size());
  queue_ = &trails.queue(bus_name + ".bus");
  const auto times = [&](const char* kind) {
    return &trails.requests(std::string("disk command (") + kind + ")",
                            {"bus_wait", "bus", "disk_overhead", "disk_seek", "disk_rotation", "disk_transfer"});
  };
  reads_ = times("read");
  writes_ = times("write");
  synchronisations_ = times("synchronise");
}

// The bus is granted now. What had to wait for it goes on because its last owner let it go.
void CommandMonitor::granted(Now& command, Time end) {
  const Time wanted = command.trail.at;
  const Duration wait = sunstar::now() - wanted;
  queue_->add(wait);
  command.waited += wait;
  if (owner_.at > wanted) command.trail = owner_;
  trails_->advance(command.trail, end, Stage::bus_overhead);
}

void CommandMonitor::answered(std::uint32_t target) {
  const disk::Delay& delay = targets_[target]->delay();
  for (std::size_t s = 0; s < stage_count; ++s) now_[target].at_drive[s] += delay.stages[s];
  drives_[target].answered(*trails_, now_[target].trail, delay);
}

void CommandMonitor::completed(Now& command, const tlm::tlm_generic_payload& payload, Time end) {
  trails_->advance(command.trail, end, Stage::bus_overhead);
  owner_ = command.trail;
  const auto spent = [&](Stage s) { return command.at_drive[static_cast<std::size_t>(s)]; };
  (payload.is_write()  ? writes_
   : payload.is_read() ? reads_
                       : synchronisations_)
      ->add({command.waited, end - command.asked - command.waited - total(command.at_drive),
             spent(Stage::disk_overhead), spent(Stage::disk_seek), spent(Stage::disk_rotation),
             spent(Stage::disk_transfer)});
  trails_->current = trails_->last_command = command.trail;
}

void CommandMonitor::step_ends(std::uint32_t target, const char* name, Time end, std::uint32_t bytes) {
  Now& now = now_[target];
  if (timeline_ && end > now.step) now.steps.push_back({name, now.step, end, bytes});
  now.step = end;
}

// The command goes before its steps, because it contains them.
void CommandMonitor::command_ends(const tlm::tlm_generic_payload& payload, Time at) {
  const Transaction& t = *payload.get_extension<Transaction>();
  const Timeline::Track track = tracks_[t.target];
  Now& now = now_[t.target];
  timeline_->span(track, name_of(payload), now.asked, at, {{"lbn", t.lbn}, {"sectors", t.sectors}}, t.request);
  for (const Step& s : now.steps)
    if (s.bytes > 0) timeline_->span(track, s.name, s.start, s.end, {{"bytes", s.bytes}});
    else timeline_->span(track, s.name, s.start, s.end);
}

tlm::tlm_sync_enum CommandMonitor::ask(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  const Transaction& t = *payload.get_extension<Transaction>();
  ++commands_;
  Now& now = now_[t.target];
  now.asked = now.step = sunstar::now();
  now.steps.clear();
  if (log_)
    log_->event(logged_[t.target], LogLevel::info, now.asked, name_of(payload),
                {{"lbn", t.lbn}, {"sectors", t.sectors}}, t.request);
  if (trails_) {
    now.trail = trails_->current;
    now.waited = {};
    now.at_drive = {};
  }
  return to_bus->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum CommandMonitor::tell_initiator(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
  const Transaction& t = *payload.get_extension<Transaction>();
  const Time at = sunstar::now() + from_sc(delay);
  if (phase == phase::selection) {
    if (trails_) granted(now_[t.target], at);
    step_ends(t.target, "waits for the bus, selection", at);
  } else if (phase == phase::status) {
    if (trails_) completed(now_[t.target], payload, at);
    if (log_) log_->event(logged_[t.target], LogLevel::info, at, name_of(payload) + " ends", {}, t.request);
    step_ends(t.target, "status", at);
    if (timeline_) command_ends(payload, at);
  }
  return from_initiator->nb_transport_bw(payload, phase, delay);
}

tlm::tlm_sync_enum CommandMonitor::tell_target(int target, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  const auto i = static_cast<std::uint32_t>(target);
  const Transaction& t = *payload.get_extension<Transaction>();
  const Time at = sunstar::now() + from_sc(delay);
  if (trails_) {
    if (phase == phase::reselection) granted(now_[i], at);
    else trails_->advance(now_[i].trail, at, phase == phase::data ? Stage::bus_data : Stage::bus_overhead);
  }
  if (phase == phase::command) step_ends(i, "command", at);
  else if (phase == phase::reselection) step_ends(i, "disconnected", at);
  else if (phase == phase::data) step_ends(i, "data", at, t.burst_bytes);
  const auto answer = to_target[i]->nb_transport_fw(payload, phase, delay);
  const Time next = std::max(at, sunstar::now() + from_sc(delay));
  if (trails_) {
    if (phase == phase::disconnect) owner_ = now_[i].trail;
    answered(i);
  }
  if (phase == phase::data) {
    data_bytes_ += t.burst_bytes;
    if (timeline_) {
      timeline_->count(bus_rate_, at, t.burst_bytes);
      timeline_->count(rates_[i], at, t.burst_bytes);
    }
  }
  if (phase != phase::disconnect) step_ends(i, "the bus waits", next);
  return answer;
}

tlm::tlm_sync_enum CommandMonitor::come_back(int target, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  return from_bus[static_cast<std::size_t>(target)]->nb_transport_bw(payload, phase, delay);
}

}  // namespace sunstar::scsi
