// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/kernel/busy_share.h"
#include "models/kernel/probe.h"
#include "models/kernel/timetable.h"
#include "models/scsi/bus_params.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

/// A SCSI bus between one initiator and any number of targets. It has one owner at a time. When the bus is granted, the
/// model works out the whole connection, from arbitration until the bus is free again, from the target's answers (see
/// protocol.h); that takes two alarms, whatever the connection's length. The bus is granted at the earliest
/// bus_free after the last connection. Devices that ask within the same instant take part in the arbitration; later
/// ones wait for the next.
class Bus : public TimedModule {
 public:
  tlm_utils::passthrough_target_socket<Bus> initiator{"initiator"};
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Bus>> targets;  ///< bind targets[i] to target i

  /// Throws ConfigError if the parameters describe no bus or if there is no target.
  Bus(const sc_core::sc_module_name& name, const BusParams& params, std::uint32_t target_count, Timetable& timetable);

  const BusParams& params() const { return params_; }
  /// Bytes that crossed the bus in data phases.
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// The faults of the bus; created at the first call.
  BusFaults& faults() {
    if (!faults_) faults_ = std::make_unique<BusFaults>();
    return *faults_;
  }
  /// Figures under "<name>.": time in each phase, bytes, connections.
  void register_statistics(StatisticSet& set);
  /// Reports phase (BusPhase) and owner (0: none, 1: the initiator, i + 2: target i); on the track, the spans of each
  /// owner.
  void probe(const Probe&, Timeline::Track tenures = {});

 private:
  tlm::tlm_sync_enum from_initiator(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum from_target(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  void request(std::uint32_t device);
  void advance();
  void connect();
  void disconnect();
  Time converse(tlm::tlm_generic_payload& payload, tlm::tlm_phase step, Time t);
  void reset(tlm::tlm_generic_payload* asked);
  Time enter(BusPhase phase, Time from, Duration length);
  std::string owner_name(const Transaction& transaction) const;

  BusParams params_;
  BusTiming timing_;
  Arbiter arbiter_;
  std::deque<tlm::tlm_generic_payload*> commands_;  // of the initiator, in order
  std::vector<tlm::tlm_generic_payload*> back_;     // by target: the payload for which it wants to reselect
  Timetable::Call<Bus, &Bus::advance> next_;
  tlm::tlm_generic_payload* finished_ = nullptr;  // its status ends the current connection
  bool connected_ = false;
  std::deque<tlm::tlm_generic_payload*> resets_;  // resets that the initiator asks for
  std::optional<Time> hangs_since_;               // the current connection lasts until a reset
  std::unique_ptr<BusFaults> faults_;
  Time free_at_{};  // when the next arbitration may start

  std::uint32_t owner_ = 0;
  double phase_time_[bus_phases] = {};
  BusyTime busy_;
  BusyShare share_;
  std::uint64_t connections_ = 0, data_bytes_ = 0;

  struct Shown {
    Wave phase, owner;
    Reporter report;
    std::string holder = {};  // ": disk0", behind the phases of its connection
    std::uint32_t request = 0;
  };
  std::unique_ptr<Shown> shown_;
};

}  // namespace sunstar::scsi
