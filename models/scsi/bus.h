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
  Bus(const sc_core::sc_module_name& name, const BusParams& params, std::uint32_t target_count, Timetable& timetable)
      : TimedModule(name),
        targets("targets", target_count),
        params_(validated(params, "bus")),
        timing_(params),
        arbiter_(params.arbitration_policy),
        back_(target_count),
        next_(timetable, *this) {
    if (target_count == 0) throw ConfigError("SCSI bus ", this->name(), " has no target.");
    initiator.register_nb_transport_fw(this, &Bus::from_initiator);
    for (std::uint32_t i = 0; i < target_count; ++i)
      targets[i].register_nb_transport_bw(this, &Bus::from_target, static_cast<int>(i));
  }

  const BusParams& params() const { return params_; }
  /// Bytes that crossed the bus in data phases.
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// The faults of the bus; created at the first call.
  BusFaults& faults() {
    if (!faults_) faults_ = std::make_unique<BusFaults>();
    return *faults_;
  }

  /// Figures under "<name>.": time in each phase, bytes, connections.
  void register_statistics(StatisticSet& set) {
    const std::string prefix = std::string(name()) + ".";
    for (std::size_t i = 1; i < bus_phases; ++i)
      set.counter(prefix + std::string(bus_phase_names[i]) + "_time",
                  "time of the bus in its " + std::string(bus_phase_names[i]) +
                      " phase, not counting the time the target waited before it",
                  "s", phase_time_[i]);
    set.add({prefix + "busy_time", "time the bus had an owner", "s",
             [this] { return seconds(busy_.until(sunstar::now())); }});
    add_share(set, prefix + "utilisation", "share of time the bus had an owner", share_,
              [this] { return busy_.until(sunstar::now()); });
    set.counter(prefix + "connections", "times the bus was granted", "1", connections_);
    set.counter(prefix + "data_bytes", "bytes of data across the bus", "B", data_bytes_);
  }

  /// Reports phase (BusPhase) and owner (0: none, 1: the initiator, i + 2: target i); on the track, the spans of each
  /// owner.
  void probe(const Probe& probe, Timeline::Track tenures = {}) {
    const std::string prefix = std::string(name()) + ".";
    WaveFile::Words owners{"bus_owner", {"nobody", "adapter"}};
    for (std::size_t i = 0; i < targets.size(); ++i) owners.words.push_back("disk" + std::to_string(i));
    const Wave phase(probe, prefix + "phase", {"bus_phase", {bus_phase_names.begin(), bus_phase_names.end()}});
    shown_ =
        std::make_unique<Shown>(Shown{phase, Wave(probe, prefix + "owner", owners), Reporter(probe, name(), tenures)});
  }

 private:
  tlm::tlm_sync_enum from_initiator(tlm::tlm_generic_payload& payload, [[maybe_unused]] tlm::tlm_phase& phase,
                                    sc_core::sc_time&) {
    assert(phase == phase::arbitration);
    if (payload.get_extension<Transaction>()->help == Help::bus_reset) {
      // At once, but not inside the caller's call: a reset ends commands.
      resets_.push_back(&payload);
      next_.set(sunstar::now());
      return tlm::TLM_ACCEPTED;
    }
    commands_.push_back(&payload);
    request(0);
    return tlm::TLM_ACCEPTED;
  }

  tlm::tlm_sync_enum from_target(int index, tlm::tlm_generic_payload& payload, [[maybe_unused]] tlm::tlm_phase& phase,
                                 sc_core::sc_time&) {
    assert(phase == phase::arbitration && !back_[index]);
    back_[index] = &payload;
    request(static_cast<std::uint32_t>(index) + 1);
    return tlm::TLM_ACCEPTED;
  }

  void request(std::uint32_t device) {
    const Time now = sunstar::now();
    arbiter_.request(device, now);
    if (connected_) return;
    // Arbitrate within this instant, but after all of its requests; a second request finds the event already set.
    next_.set(std::max(now, free_at_));
  }

  void advance() {
    if (!resets_.empty()) reset(take_first(resets_));
    else if (connected_) disconnect();
    else if (!arbiter_.empty()) connect();
  }

  void connect() {
    const Time now = sunstar::now();
    connected_ = true;
    ++connections_;
    owner_ = arbiter_.grant();
    if (shown_) {
      const auto& t = *(owner_ == 0 ? commands_.front() : back_[owner_ - 1])->get_extension<Transaction>();
      shown_->holder = ": " + owner_name(t);
      shown_->request = t.request;
    }
    tlm::tlm_generic_payload* payload;
    tlm::tlm_phase step;
    Time t = enter(BusPhase::arbitration, now, params_.arbitration);
    if (owner_ == 0) {
      payload = take_first(commands_);
      t = enter(BusPhase::selection, t, timing_.selection());
      tlm::tlm_phase selected = phase::selection;
      sc_core::sc_time when = to_sc(t - now);
      initiator->nb_transport_bw(*payload, selected, when);
      if (payload->get_extension<Transaction>()->help == Help::none) t = enter(BusPhase::command, t, timing_.command());
      step = phase::command;
    } else {
      payload = std::exchange(back_[owner_ - 1], nullptr);
      t = enter(BusPhase::reselection, t, timing_.reselection());
      step = phase::reselection;
    }
    payload->acquire();
    if (faults_ && faults_->strike<BusReset>(now)) {
      payload->release();
      reset(nullptr);
      return;
    }
    t = converse(*payload, step, t);
    if (shown_) {
      const Transaction& about = *payload->get_extension<Transaction>();
      shown_->report.span(owner_name(about), now, t, {}, about.request);
    }
    payload->release();
    busy_.add(now, t, now);
    if (!hangs_since_) next_.set(t);
  }

  void disconnect() {
    connected_ = false;
    free_at_ = sunstar::now() + params_.bus_free;
    if (shown_) {
      shown_->holder.clear();
      shown_->request = 0;
      enter(BusPhase::free, sunstar::now(), Duration::zero());
    }
    if (auto* payload = std::exchange(finished_, nullptr)) {
      tlm::tlm_phase status = phase::status;
      sc_core::sc_time none = sc_core::SC_ZERO_TIME;
      initiator->nb_transport_bw(*payload, status, none);
      payload->release();
    }
    if (!arbiter_.empty()) next_.set(free_at_);
  }

  // The connection from its first message on; returns when it ends.
  Time converse(tlm::tlm_generic_payload& payload, tlm::tlm_phase step, Time t) {
    const Time now = sunstar::now();
    const auto later = [now](Time at) { return to_sc(at - now); };
    Transaction& transaction = *payload.get_extension<Transaction>();
    auto& target = targets[transaction.target];
    const auto ends = [&](Time at) {
      payload.acquire();
      finished_ = &payload;
      return at;
    };
    if (faults_ && transaction.help == Help::none && faults_->strike<BusHang>(now)) {
      hangs_since_ = t;
      return t;
    }
    const Time messages_end = t;
    while (true) {
      sc_core::sc_time when = later(t);
      [[maybe_unused]] const auto answer = target->nb_transport_fw(payload, step, when);
      assert(answer == tlm::TLM_UPDATED);
      if (step == phase::silence) {
        transaction.failure = {Failing::no_selection, {}, {}, "No target answers."};
        return ends(messages_end + params_.selection_timeout);
      }
      if (transaction.help != Help::none) {
        arbiter_.withdraw(transaction.target + 1);
        back_[transaction.target] = nullptr;
        return ends(t + params_.message_byte);  // an abort or reset message
      }
      const Time begin = std::max(t, now + from_sc(when));  // a target that waits without disconnecting keeps the bus
      if (step == phase::disconnect) return enter(BusPhase::disconnect, begin, timing_.disconnect());
      if (step == phase::status) {
        if (transaction.parity_error && !transaction.failure)
          transaction.failure = {
              Failing::check_condition, disk::SenseKey::aborted_command, {}, "A parity error on the bus."};
        return ends(enter(BusPhase::status, begin, timing_.status()));
      }
      assert(step == phase::data);
      const Duration by_bus = params_.data_rate.time_for(transaction.burst_bytes);
      transaction.burst_extra = std::max(transaction.burst_least - by_bus, Duration::zero());
      t = enter(BusPhase::data, begin, by_bus + transaction.burst_extra);
      data_bytes_ += transaction.burst_bytes;
      if (faults_ && faults_->strike<ParityError>(now)) transaction.parity_error = true;
      when = later(begin);
      tlm::tlm_phase data = phase::data;
      initiator->nb_transport_bw(payload, data, when);
      step = phase::data;
    }
  }

  // Ends every connection and command at once. `asked`: the initiator's request, if it asked for the reset.
  void reset(tlm::tlm_generic_payload* asked) {
    const Time now = sunstar::now();
    next_.set(Time::max());
    commands_ = {};
    resets_ = {};  // this reset serves them all
    std::ranges::fill(back_, nullptr);
    arbiter_.clear();
    if (auto* payload = std::exchange(finished_, nullptr)) payload->release();
    if (const auto since = std::exchange(hangs_since_, std::nullopt)) busy_.add(*since, now, now);
    connected_ = true;
    owner_ = 0;
    if (shown_) shown_->report.instant(LogLevel::info, now, "reset", {}, 0);
    if (asked) {
      asked->acquire();
      finished_ = asked;
    }
    next_.set(now + params_.reset_hold);
    tlm::tlm_phase phase = phase::reset;
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    tlm::tlm_generic_payload nobody;
    for (auto& target : targets) target->nb_transport_fw(nobody, phase, none);
    initiator->nb_transport_bw(asked ? *asked : nobody, phase, none);
  }

  Time enter(BusPhase phase, Time from, Duration length) {
    phase_time_[static_cast<std::size_t>(phase)] += seconds(length);
    if (shown_) {
      shown_->phase.change(from, static_cast<int>(phase));
      shown_->owner.change(from, phase == BusPhase::free ? 0 : static_cast<int>(owner_) + 1);
      if (shown_->report.tells(LogLevel::debug))
        shown_->report.instant(LogLevel::debug, from,
                               std::string(bus_phase_names[static_cast<std::size_t>(phase)]) + shown_->holder, {},
                               shown_->request);
    }
    return from + length;
  }

  std::string owner_name(const Transaction& transaction) const {
    return owner_ == 0 ? "host adapter, to disk" + std::to_string(transaction.target)
                       : "disk" + std::to_string(owner_ - 1);
  }

  BusParams params_;
  BusTiming timing_;
  Arbiter arbiter_;
  Fifo<tlm::tlm_generic_payload*> commands_;     // of the initiator, in order
  std::vector<tlm::tlm_generic_payload*> back_;  // by target: the payload for which it wants to reselect
  Timetable::Call<Bus, &Bus::advance> next_;
  tlm::tlm_generic_payload* finished_ = nullptr;  // its status ends the current connection
  bool connected_ = false;
  Fifo<tlm::tlm_generic_payload*> resets_;  // resets that the initiator asks for
  std::optional<Time> hangs_since_;         // the current connection lasts until a reset
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
