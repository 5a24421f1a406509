// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/core/statistics.h"
#include "models/kernel/wave_file.h"
#include "models/scsi/bus_timing.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

/// A SCSI bus between one initiator and any number of targets. It has one owner at a time. A connection, from
/// arbitration until the bus is free again, is worked out when it is granted, from the answers of the target (see
/// protocol.h); it takes the kernel two events, whatever its length. The bus is granted at the earliest bus_free after
/// the last connection; who asks within the same instant takes part, who asks later waits for the next time.
class Bus : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Bus> initiator{"initiator"};
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Bus>> targets;  ///< bind targets[i] to target i

  /// Throws ConfigError for parameters that cannot be.
  Bus(sc_core::sc_module_name name, const BusParams& params, std::uint32_t target_count);

  const BusParams& params() const { return params_; }
  /// Bytes of data phases.
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// Figures under "<name>.": time in each phase, bytes, connections.
  void register_statistics(StatisticSet& set);
  /// Shows phase (BusPhase) and owner (-1: none, 0: the initiator, i + 1: target i) in a wave file, which must outlive
  /// the simulation. Before it starts.
  void trace(WaveFile& waves);

 private:
  tlm::tlm_sync_enum from_initiator(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum from_target(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
  void request(std::uint32_t device, tlm::tlm_generic_payload& payload);
  void advance();
  void connect();
  void disconnect();
  Time enter(BusPhase phase, Time from, Duration length);

  BusParams params_;
  BusTiming timing_;
  Arbiter arbiter_;
  std::deque<tlm::tlm_generic_payload*> commands_;  // of the initiator, in order
  std::vector<tlm::tlm_generic_payload*> back_;     // by target: what it wants to come back with
  sc_core::sc_event next_;
  tlm::tlm_generic_payload* finished_ = nullptr;  // its status ends the present connection
  bool connected_ = false;
  Time free_at_{};  // when the next arbitration may start

  std::uint32_t owner_ = 0;
  double phase_time_[bus_phases] = {};
  double busy_ = 0;
  std::uint64_t connections_ = 0, data_bytes_ = 0;

  WaveFile* waves_ = nullptr;
  WaveFile::Signal shown_phase_ = 0, shown_owner_ = 0;
};

}  // namespace sunstar::scsi
