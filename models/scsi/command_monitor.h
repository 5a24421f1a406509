// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include "models/scsi/target.h"

namespace sunstar::scsi {

inline constexpr std::array<std::string_view, 4> help_names{"", "abort", "device reset", "bus reset"};

inline std::string name_of(const tlm::tlm_generic_payload& command) {
  return command.is_write() ? "write" : command.is_read() ? "read" : "synchronise";
}

/// Sits on the sockets of one SCSI bus, between initiator and bus and between bus and targets; counts commands and the
/// bytes of their data phases, and reports commands with their phases. Adds no time.
class CommandMonitor : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<CommandMonitor> from_initiator{"from_initiator"};
  tlm_utils::simple_initiator_socket<CommandMonitor> to_bus{"to_bus"};
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<CommandMonitor>> from_bus;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<CommandMonitor>> to_target;

  CommandMonitor(const sc_core::sc_module_name& name, std::uint32_t targets)
      : sc_module(name), from_bus("from_bus", targets), to_target("to_target", targets), now_(targets) {
    from_initiator.register_nb_transport_fw(this, &CommandMonitor::ask);
    to_bus.register_nb_transport_bw(this, &CommandMonitor::tell_initiator);
    for (std::uint32_t i = 0; i < targets; ++i) {
      from_bus[i].register_nb_transport_fw(this, &CommandMonitor::tell_target, static_cast<int>(i));
      to_target[i].register_nb_transport_bw(this, &CommandMonitor::come_back, static_cast<int>(i));
    }
  }

  /// Reports the commands of target `number`: on the track, each command and within it waiting for the bus, selection
  /// and command, disconnected, data, status; in the log, its beginning and its end. Extends their paths over the bus
  /// and through the drive. The counters of data bytes belong to the group. Call it for one target after the other.
  void probe(const Probe& probe, std::uint32_t number, const Target& target, Timeline::Track track,
             const std::string& group) {
    const std::string name = target.name();
    Now& now = now_[number];
    now.report = Reporter(probe, name, track);
    now.rate = Rate(probe, group, std::string(target.basename()) + ": bytes a second", name);
    now.target = &target;
  }

  /// Reports the bytes of all targets, and how long commands wait for the bus. Call it last.
  void probe(const Probe& probe, const std::string& bus, const std::string& group) {
    rate_ = Rate(probe, group, "bus: bytes a second", bus);
    paths_ = probe.path;
    if (!paths_) return;
    queue_ = &paths_->queue(group + ".bus");
    const auto times = [&](const char* kind) {
      return &paths_->requests(std::string("disk command (") + kind + ")",
                               {"bus_wait", "bus", "disk_overhead", "disk_seek", "disk_rotation", "disk_transfer"});
    };
    reads_ = times("read");
    writes_ = times("write");
    synchronisations_ = times("synchronise");
  }

  std::uint64_t commands() const { return commands_; }
  std::uint64_t data_bytes() const { return data_bytes_; }

 private:
  /// A target's command; it has one at a time.
  struct Step {
    const char* name;
    Time start, end;
    std::uint32_t bytes;
  };
  struct Now {
    Time asked{}, step{};          // when it wanted the bus; when the current step began
    std::vector<Step> steps = {};  // the ended steps
    Path path{};                   // the path to its latest step
    Path help{};                   // the path to its abort or reset, if one is in flight
    Duration waited{};             // time waited for the bus
    Stages at_drive{};
    // of the target:
    Reporter report = {};
    Rate rate = {};
    const Target* target = nullptr;
    disk::DrivePath drive = {};
  };

  tlm::tlm_sync_enum ask(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const Transaction& t = *payload.get_extension<Transaction>();
    if (t.help != Help::none) {
      now_[t.target].report.instant(LogLevel::info, sunstar::now(), help_names[static_cast<std::size_t>(t.help)]);
      if (paths_) now_[t.target].help = paths_->current;
      return to_bus->nb_transport_fw(payload, phase, delay);
    }
    ++commands_;
    Now& now = now_[t.target];
    now.asked = now.step = sunstar::now();
    now.steps.clear();
    now.report.instant(LogLevel::info, now.asked, name_of(payload), {{"lbn", t.lbn}, {"sectors", t.sectors}},
                       t.request);
    if (paths_) {
      now.path = paths_->current;
      now.waited = {};
      now.at_drive = {};
    }
    return to_bus->nb_transport_fw(payload, phase, delay);
  }

  tlm::tlm_sync_enum tell_initiator(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == phase::reset) return from_initiator->nb_transport_bw(payload, phase, delay);
    const Transaction& t = *payload.get_extension<Transaction>();
    Now& now = now_[t.target];
    const Time at = sunstar::now() + from_sc(delay);
    if (t.help != Help::none) {
      if (paths_) {  // the ended command continues the path of its abort or reset
        paths_->advance(now.help, at, Stage::bus_overhead);
        paths_->current = now.help;
      }
      return from_initiator->nb_transport_bw(payload, phase, delay);
    }
    if (phase == phase::selection) {
      if (paths_) granted(now, at);
      step_ends(now, "waits for the bus, selection", at);
    } else if (phase == phase::status) {
      if (paths_) completed(now, payload, at);
      step_ends(now, "status", at);
      command_ends(now, payload, at);
    }
    return from_initiator->nb_transport_bw(payload, phase, delay);
  }

  tlm::tlm_sync_enum tell_target(int target, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) {
    const auto i = static_cast<std::uint32_t>(target);
    if (phase == phase::reset || payload.get_extension<Transaction>()->help != Help::none)
      return to_target[i]->nb_transport_fw(payload, phase, delay);
    const Transaction& t = *payload.get_extension<Transaction>();
    const Time at = sunstar::now() + from_sc(delay);
    Now& now = now_[i];
    if (paths_) {
      if (phase == phase::reselection) {
        granted(now, at);
      } else if (phase == phase::data) {
        paths_->advance(now.path, at - t.burst_extra, Stage::bus_data);
        paths_->advance(now.path, at, Stage::drive_interface);
      } else {
        paths_->advance(now.path, at, Stage::bus_overhead);
      }
    }
    if (phase == phase::command) step_ends(now, "command", at);
    else if (phase == phase::reselection) step_ends(now, "disconnected", at);
    else if (phase == phase::data) step_ends(now, "data", at, t.burst_bytes);
    const auto answer = to_target[i]->nb_transport_fw(payload, phase, delay);
    const Time next = std::max(at, sunstar::now() + from_sc(delay));
    if (paths_) {
      if (phase == phase::disconnect) owner_ = now.path;
      answered(now);
    }
    if (phase == phase::data) {
      data_bytes_ += t.burst_bytes;
      rate_.count(at, t.burst_bytes);
      now.rate.count(at, t.burst_bytes);
    }
    if (phase != phase::disconnect) step_ends(now, "the bus waits", next);
    return answer;
  }

  tlm::tlm_sync_enum come_back(int target, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay) {
    return from_bus[static_cast<std::size_t>(target)]->nb_transport_bw(payload, phase, delay);
  }

  // The bus is granted now. A command that had to wait for it continues the path of its last owner.
  void granted(Now& command, Time end) {
    const Time wanted = command.path.at;
    const Duration wait = sunstar::now() - wanted;
    queue_->add(wait);
    command.waited += wait;
    if (owner_.at > wanted) command.path = owner_;
    paths_->advance(command.path, end, Stage::bus_overhead);
  }

  void answered(Now& command) {
    const disk::Delay& delay = command.target->delay();
    Path path = command.path;
    command.drive.answered(*paths_, path, delay);
    if (path.at < command.path.at) return;  // the drive is dead: its delay belongs to an earlier command
    command.path = path;
    for (std::size_t s = 0; s < stage_count; ++s) command.at_drive[s] += delay.stages[s];
  }

  void completed(Now& command, const tlm::tlm_generic_payload& payload, Time end) {
    paths_->advance(command.path, end, Stage::bus_overhead);
    owner_ = command.path;
    const auto spent = [&](Stage s) { return command.at_drive[static_cast<std::size_t>(s)]; };
    (payload.is_write()  ? writes_
     : payload.is_read() ? reads_
                         : synchronisations_)
        ->add({command.waited, end - command.asked - command.waited - total(command.at_drive),
               spent(Stage::disk_overhead), spent(Stage::disk_seek), spent(Stage::disk_rotation),
               spent(Stage::disk_transfer)});
    paths_->current = paths_->last_command = command.path;
  }

  void step_ends(Now& now, const char* name, Time end, std::uint32_t bytes = 0) {
    if (now.report.records() && end > now.step) now.steps.push_back({name, now.step, end, bytes});
    now.step = end;
  }

  // The command goes before its steps, because it contains them.
  void command_ends(const Now& now, const tlm::tlm_generic_payload& payload, Time at) {
    const Transaction& t = *payload.get_extension<Transaction>();
    if (t.failure)
      now.report.instant(LogLevel::info, at, name_of(payload) + " fails: " + t.failure->sense,
                         {{"lbn", t.failure->information}}, t.request);
    else now.report.instant(LogLevel::info, at, name_of(payload) + " ends", {}, t.request);
    now.report.span(name_of(payload), now.asked, at, {{"lbn", t.lbn}, {"sectors", t.sectors}}, t.request);
    for (const Step& s : now.steps)
      if (s.bytes > 0) now.report.span(s.name, s.start, s.end, {{"bytes", s.bytes}});
      else now.report.span(s.name, s.start, s.end);
  }

  std::vector<Now> now_;
  std::uint64_t commands_ = 0, data_bytes_ = 0;
  Rate rate_;
  CriticalPath* paths_ = nullptr;
  Path owner_;  // the path of the bus's last owner, which released the bus at owner_.at
  QueueTimes* queue_ = nullptr;
  RequestTimes *reads_ = nullptr, *writes_ = nullptr, *synchronisations_ = nullptr;
};

}  // namespace sunstar::scsi
