// SPDX-License-Identifier: MIT
#include "models/scsi/target.h"

#include <algorithm>
#include <cassert>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::scsi {

Target::Target(const sc_core::sc_module_name& name, const disk::DriveParams& params, const disk::DriveStart& start,
               Duration disconnect_threshold)
    : TimedModule(name),
      drive_(params, start),
      medium_(drive_.geometry().sectors() * params.sector_size.count),
      threshold_(disconnect_threshold),
      start_cylinder_(start.cylinder) {
  socket.register_nb_transport_fw(this, &Target::from_bus);
  SC_HAS_PROCESS(Target);
  SC_METHOD(come_back);
  sensitive << back_;
  dont_initialize();
}

tlm::tlm_sync_enum Target::from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Time at = sunstar::now() + from_sc(delay);
  if (phase == phase::command) start(payload, at);
  else if (phase == phase::data) burst_done(at);
  else assert(phase == phase::reselection);
  if (heads_) heads_->answered(at, ready_);
  return answer(payload, phase, delay, at);
}

void Target::start(tlm::tlm_generic_payload& payload, Time at) {
  assert(!payload_);
  Transaction& t = *payload.get_extension<Transaction>();
  payload_ = &payload;
  payload.acquire();
  moved_ = 0;
  started_ = at;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    waiting_ = Waiting::status;
    ready_ = drive_.synchronise(at);
    return;
  }
  if (payload.get_data_length() != t.sectors * sector_size()) {
    t.failed = true;
    t.sense = "Sectors of " + std::string(name()) + " have " + std::to_string(sector_size()) + " bytes.";
  } else if (t.sectors == 0 || t.lbn >= sectors() || t.sectors > sectors() - t.lbn) {
    t.failed = true;
    t.sense = "Blocks " + std::to_string(t.lbn) + " + " + std::to_string(t.sectors) + " are not on " +
              std::string(name()) + ", which has " + std::to_string(sectors()) + ".";
  }
  if (t.failed) {
    waiting_ = Waiting::status;
    ready_ = at;
    return;
  }
  const auto burst = payload.is_write() ? drive_.write(at, t.lbn, t.sectors) : drive_.read(at, t.lbn, t.sectors);
  waiting_ = Waiting::burst;
  ready_ = burst.ready;
  burst_bytes_ = burst.sectors * sector_size();
}

void Target::burst_done(Time at) {
  Transaction& t = *payload_->get_extension<Transaction>();
  if (payload_->is_write()) medium_.write(t.lbn * sector_size() + moved_, t.burst);
  const auto [burst, status] = payload_->is_write() ? drive_.data_received(at) : drive_.sent(at);
  moved_ += burst_bytes_;
  waiting_ = burst ? Waiting::burst : Waiting::status;
  ready_ = burst ? burst->ready : status;
  burst_bytes_ = burst ? burst->sectors * sector_size() : 0;
}

tlm::tlm_sync_enum Target::answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay,
                                  Time at) {
  if (ready_ > at + threshold_) {
    phase = phase::disconnect;
    notify_at(back_, ready_);
    return tlm::TLM_UPDATED;
  }
  if (ready_ > at) delay = to_sc(ready_ - sunstar::now());
  Transaction& t = *payload.get_extension<Transaction>();
  if (waiting_ == Waiting::burst) {
    phase = phase::data;
    t.burst_offset = moved_;
    t.burst_bytes = burst_bytes_;
    t.burst_least = drive_.params().crossing(!payload.is_read(), burst_bytes_ / sector_size());
    if (payload.is_read()) {
      t.burst.clear();
      medium_.read(t.lbn * sector_size() + moved_, burst_bytes_, t.burst);
    }
  } else {
    phase = phase::status;
    t.timing = drive_.timing();
    busy_.add(started_, std::max(ready_, at), sunstar::now());
    payload.set_response_status(t.failed ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    payload_ = nullptr;
    payload.release();
  }
  return tlm::TLM_UPDATED;
}

void Target::come_back() {
  tlm::tlm_phase phase = phase::arbitration;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(*payload_, phase, none);
}

void Target::register_statistics(StatisticSet& set) {
  const std::string prefix = std::string(name()) + ".";
  add_share(set, prefix + "utilisation", "share of time with a command under way", share_,
            [this] { return busy_.until(sunstar::now()) + (payload_ ? sunstar::now() - started_ : Duration{}); });
  add_share(set, prefix + "heads_utilisation",
            "share of time the heads sought, waited for or were over sectors of requests, not counting read-ahead",
            heads_share_, [this] { return drive_.heads_busy(sunstar::now()); });
  drive_.register_statistics(set, name());
}

void Target::probe(const Probe& probe, Timeline::Track heads) {
  heads_ = std::make_unique<HeadsProbe>(probe, drive_, name(), start_cylinder_, heads);
  if (probe.waves) probe.waves->add(*heads_);
  if (probe.timeline) probe.timeline->add(*heads_);
  if (probe.log && probe.log->tells(LogLevel::debug)) probe.log->add(*heads_);
}

}  // namespace sunstar::scsi
