// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include "models/kernel/payload.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

/// One command to one target: READ, WRITE or SYNCHRONIZE CACHE, or an abort or reset. It belongs to the caller and must
/// stay where it is from submit() until complete() or fail().
struct Command {
  std::uint32_t target = 0;  ///< number of the target on its bus
  bool write = false;
  bool synchronise = false;  ///< SYNCHRONIZE CACHE, which has neither blocks nor data
  disk::Lbn lbn = 0;
  std::uint32_t sectors = 0;        ///< > 0
  std::uint32_t sector_size = 512;  ///< must be the target's
  void* user = nullptr;             ///< for the caller's own use
  std::uint32_t request = 0;        ///< for observers: the request it belongs to; 0: none
  Help help = Help::none;           ///< set unless it is a command; help passes the commands that wait for the target

  // Set by the model.
  Time submitted{};
  Time selected{};               ///< when the target was first selected
  Time completed{};              ///< when the status was received
  disk::RequestTiming timing{};  ///< where the drive's time went; on_medium of a write
};

/// Data of a command that cross the bus in one go.
struct Burst {
  std::uint32_t offset = 0;  ///< from the first byte of the command's data
  std::uint32_t bytes = 0;
  content::Content& content;
};

/// Called back by the initiator: the submitter of the commands.
class InitiatorListener {
 public:
  virtual ~InitiatorListener() = default;
  /// A burst crosses the bus from `start` on (now or later). A read's burst holds the content; to a write's burst,
  /// which is empty, this call must append the content.
  virtual void data_phase(Command& command, const Burst& burst, Time start) = 0;
  /// The command is complete now. submit() may be called from here.
  virtual void complete(Command& command) = 0;
  /// The command has failed now. submit() may be called from here.
  virtual void fail(Command& command, const Failure& why) = 0;
};

/// The bus side of a host adapter. Each target has one command at a time; further commands for it wait here in order.
/// Commands of several targets overlap.
class Initiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};

  /// `target_count` must be the bus's.
  Initiator(const sc_core::sc_module_name& name, std::uint32_t target_count, InitiatorListener& listener);

  /// Submits a command, at any time within the simulation. A target number beyond the bus's is a programmer's mistake
  /// (asserted).
  void submit(Command& command);
  /// Commands submitted and not yet complete.
  std::uint64_t pending() const { return pending_; }

  /// Figures under "<name>.": commands, failures, time from submission to completion.
  void register_statistics(StatisticSet& set);

 private:
  tlm::tlm_sync_enum from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void send(Command& command);
  void end(Command& command, const std::optional<Failure>& failure);
  void end_under_way(std::uint32_t target, const Failure& why);
  void reset(const tlm::tlm_generic_payload& asked);

  InitiatorListener& listener_;
  PayloadPool pool_;
  std::vector<std::deque<Command*>> queues_;          // by target; the front command is in flight
  std::vector<tlm::tlm_generic_payload*> under_way_;  // by target
  std::vector<tlm::tlm_generic_payload*> help_;       // aborts and resets under way
  std::uint64_t pending_ = 0, commands_ = 0, failures_ = 0;
  double response_ = 0;
};

}  // namespace sunstar::scsi
