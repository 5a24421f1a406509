// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include "models/kernel/payload.h"
#include "models/kernel/sc_time_bridge.h"
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
  Initiator(const sc_core::sc_module_name& name, std::uint32_t target_count, InitiatorListener& listener)
      : sc_module(name), listener_(listener), queues_(target_count), under_way_(target_count) {
    socket.register_nb_transport_bw(this, &Initiator::from_bus);
  }

  /// Submits a command, at any time within the simulation. A target number beyond the bus's is a programmer's mistake
  /// (asserted).
  void submit(Command& command) {
    assert(command.target < queues_.size());
    command.submitted = sunstar::now();
    if (command.help != Help::none) {
      send(command);
      return;
    }
    ++pending_;
    ++commands_;
    auto& queue = queues_[command.target];
    queue.push_back(&command);
    if (queue.size() == 1) send(command);
  }

  /// Commands submitted and not yet complete.
  std::uint64_t pending() const { return pending_; }

  /// Figures under "<name>.": commands, failures, time from submission to completion.
  void register_statistics(StatisticSet& set) {
    const std::string prefix = std::string(name()) + ".";
    set.counter(prefix + "commands", "commands submitted", "1", commands_);
    set.counter(prefix + "failures", "commands that failed", "1", failures_);
    set.counter(prefix + "response_time", "from submission to completion, summed over commands", "s", response_);
  }

 private:
  tlm::tlm_sync_enum from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == phase::reset) {
      reset(payload);
      return tlm::TLM_ACCEPTED;
    }
    auto& t = *payload.get_extension<Transaction>();
    Command& command = *static_cast<Command*>(t.owner);
    const Time at = sunstar::now() + from_sc(delay);
    if (phase == phase::selection) {
      command.selected = at;
    } else if (phase == phase::data) {
      if (command.write) t.burst.clear();
      listener_.data_phase(command, {t.burst_offset, t.burst_bytes, t.burst}, at);
    } else {
      assert(phase == phase::status);
      command.completed = at;
      command.timing = t.timing;
      const std::optional<Failure> failure = t.failure;
      if (t.help == Help::none) {
        under_way_[t.target] = nullptr;
      } else {
        std::erase(help_, &payload);
        if (!failure && t.help == Help::abort)
          end_under_way(t.target, {Failing::aborted, {}, {}, "The initiator has aborted the command."});
        else if (!failure && t.help == Help::device_reset)
          end_under_way(t.target, {Failing::reset, {}, {}, "A reset has ended the command."});
      }
      payload.release();
      end(command, failure);
      return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;
  }

  void send(Command& command) {
    auto& payload = pool_.acquire();
    auto* transaction = payload.get_extension<Transaction>();
    if (transaction) *transaction = {};
    else payload.set_extension(transaction = new Transaction);
    auto& t = *transaction;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    t.target = command.target;
    t.lbn = command.lbn;
    t.sectors = command.sectors;
    t.owner = &command;
    t.request = command.request;
    t.help = command.help;
    payload.set_command(command.synchronise || command.help != Help::none ? tlm::TLM_IGNORE_COMMAND
                        : command.write                                   ? tlm::TLM_WRITE_COMMAND
                                                                          : tlm::TLM_READ_COMMAND);
    payload.set_address(command.lbn * command.sector_size);
    payload.set_data_length(command.sectors * command.sector_size);
    if (command.help == Help::none) under_way_[command.target] = &payload;
    else help_.push_back(&payload);
    tlm::tlm_phase phase = phase::arbitration;
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload, phase, none);
  }

  void end(Command& command, const std::optional<Failure>& failure) {
    if (command.help == Help::none) {
      response_ += seconds(sunstar::now() - command.submitted);
      --pending_;
      auto& queue = queues_[command.target];
      queue.pop_front();
      if (!queue.empty()) send(*queue.front());
      failures_ += failure.has_value();
    }
    if (failure) listener_.fail(command, *failure);
    else listener_.complete(command);
  }

  // The target's command, if it has one, has ended without a status.
  void end_under_way(std::uint32_t target, const Failure& why) {
    auto* const payload = std::exchange(under_way_[target], nullptr);
    if (!payload) return;
    auto& command = *static_cast<Command*>(payload->get_extension<Transaction>()->owner);
    command.completed = sunstar::now();
    payload->release();
    end(command, why);
  }

  // The bus has been reset: all commands on it have ended, except the request for the reset.
  void reset(const tlm::tlm_generic_payload& asked) {
    const Failure why{Failing::reset, {}, {}, "A reset of the bus has ended it."};
    auto help = std::exchange(help_, {});
    auto under_way = under_way_;
    for (auto* payload : help) {
      if (payload == &asked) {
        help_.push_back(payload);  // its own end comes later
        continue;
      }
      auto& command = *static_cast<Command*>(payload->get_extension<Transaction>()->owner);
      payload->release();
      listener_.fail(command, why);
    }
    for (std::uint32_t target = 0; target < under_way.size(); ++target)
      if (under_way[target] && under_way_[target] == under_way[target]) end_under_way(target, why);
  }

  InitiatorListener& listener_;
  PayloadPool pool_;
  std::vector<Fifo<Command*>> queues_;                // by target; the front command is in flight
  std::vector<tlm::tlm_generic_payload*> under_way_;  // by target
  std::vector<tlm::tlm_generic_payload*> help_;       // aborts and resets under way
  std::uint64_t pending_ = 0, commands_ = 0, failures_ = 0;
  double response_ = 0;
};

}  // namespace sunstar::scsi
