// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/core/trail.h"
#include "models/kernel/event_log.h"
#include "models/kernel/timeline.h"
#include "models/scsi/target.h"

namespace sunstar::scsi {

/// Sits on the sockets of one SCSI bus, between initiator and bus and between bus and targets; counts commands and the
/// bytes of their data phases, and records commands with their phases if asked to. Adds no time.
class CommandMonitor : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<CommandMonitor> from_initiator;
  tlm_utils::simple_initiator_socket<CommandMonitor> to_bus;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<CommandMonitor>> from_bus;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<CommandMonitor>> to_target;

  CommandMonitor(const sc_core::sc_module_name& name, std::uint32_t targets);

  /// Records commands on a track for each target, in the order of targets, and within them waiting for the bus,
  /// selection and command, disconnected, data, status; and as counters the bytes of data a second, of the bus and of
  /// each target.
  void record(Timeline& timeline, std::vector<Timeline::Track> tracks, Timeline::Counter bus_rate,
              std::vector<Timeline::Counter> rates);

  /// Tells of each target, in the order of targets, when a command for it is issued and when it ends.
  void log(EventLog& log, std::vector<EventLog::Instance> targets);

  /// Leads the trails of commands over the bus and through the drives, which must work out their delays.
  void explain(Trails& trails, const std::string& bus_name, std::vector<const Target*> targets);

  std::uint64_t commands() const { return commands_; }
  std::uint64_t data_bytes() const { return data_bytes_; }

 private:
  /// The command that a target has; it has one at a time.
  struct Step {
    const char* name;
    Time start, end;
    std::uint32_t bytes;
  };
  struct Now {
    Time asked{}, step{};          // when it wanted the bus; when the present step began
    std::vector<Step> steps = {};  // those that have ended
    Trail trail{};                 // what led to what has been done of it
    Duration waited{};             // for the bus
    Stages at_drive{};
  };

  tlm::tlm_sync_enum ask(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum tell_initiator(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum tell_target(int target, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum come_back(int target, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  void granted(Now& command, Time end);
  void answered(std::uint32_t target);
  void completed(Now& command, const tlm::tlm_generic_payload& payload, Time end);
  void step_ends(std::uint32_t target, const char* name, Time end, std::uint32_t bytes = 0);
  void command_ends(const tlm::tlm_generic_payload&, Time at);

  std::vector<Now> now_;
  std::uint64_t commands_ = 0, data_bytes_ = 0;
  Trails* trails_ = nullptr;
  std::vector<const Target*> targets_;
  std::vector<disk::DriveTrail> drives_;  // by target
  Trail owner_;                           // of the bus: it may be had since owner_.at
  QueueTimes* queue_ = nullptr;
  RequestTimes *reads_ = nullptr, *writes_ = nullptr, *synchronisations_ = nullptr;
  EventLog* log_ = nullptr;
  std::vector<EventLog::Instance> logged_;  // by target
  Timeline* timeline_ = nullptr;
  std::vector<Timeline::Track> tracks_;
  Timeline::Counter bus_rate_ = 0;
  std::vector<Timeline::Counter> rates_;
};

}  // namespace sunstar::scsi
