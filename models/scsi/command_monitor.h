// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include "models/scsi/target.h"

namespace sunstar::scsi {

/// Sits on the sockets of one SCSI bus, between initiator and bus and between bus and targets; counts commands and the
/// bytes of their data phases, and reports commands with their phases. Adds no time.
class CommandMonitor : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<CommandMonitor> from_initiator{"from_initiator"};
  tlm_utils::simple_initiator_socket<CommandMonitor> to_bus{"to_bus"};
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<CommandMonitor>> from_bus;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<CommandMonitor>> to_target;

  CommandMonitor(const sc_core::sc_module_name& name, std::uint32_t targets);

  /// Reports the commands of target `number`: on the track, each command and within it waiting for the bus, selection
  /// and command, disconnected, data, status; in the log, its beginning and its end. Extends their paths over the bus
  /// and through the drive. The counters of data bytes belong to the group. Call it for one target after the other.
  void probe(const Probe&, std::uint32_t number, const Target& target, Timeline::Track track, const std::string& group);
  /// Reports the bytes of all targets, and how long commands wait for the bus. Call it last.
  void probe(const Probe&, const std::string& bus, const std::string& group);

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

  tlm::tlm_sync_enum ask(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum tell_initiator(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum tell_target(int target, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  tlm::tlm_sync_enum come_back(int target, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&);
  void granted(Now& command, Time end);
  void answered(Now& command);
  void completed(Now& command, const tlm::tlm_generic_payload& payload, Time end);
  void step_ends(Now&, const char* name, Time end, std::uint32_t bytes = 0);
  void command_ends(const Now&, const tlm::tlm_generic_payload&, Time at);

  std::vector<Now> now_;
  std::uint64_t commands_ = 0, data_bytes_ = 0;
  Rate rate_;
  CriticalPath* paths_ = nullptr;
  Path owner_;  // the path of the bus's last owner, which released the bus at owner_.at
  QueueTimes* queue_ = nullptr;
  RequestTimes *reads_ = nullptr, *writes_ = nullptr, *synchronisations_ = nullptr;
};

}  // namespace sunstar::scsi
