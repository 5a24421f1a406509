// SPDX-License-Identifier: MIT
#include "models/scsi/target.h"

namespace sunstar::scsi {

HeadsProbe::HeadsProbe(const Probe& probe, disk::Drive& drive, const std::string& instance, std::uint32_t cylinder,
                       Timeline::Track track)
    : drive_(drive),
      phase_(probe, instance + ".phase", {"disk_phase", {disk::phase_names.begin(), disk::phase_names.end()}}),
      cylinder_(probe, instance + ".cylinder", static_cast<int>(cylinder)),
      report_(probe, instance, track) {
  if (probe.path) delays_.emplace();
  if (probe.path || probe.waves || probe.timeline || report_.tells(LogLevel::debug)) drive.note_activity();
}

// Reporting to a file may make the file settle all its sources, this one included.
Time HeadsProbe::settle() {
  if (reporting_) return *reporting_;
  settle(now());
  tell();
  return now();
}

void HeadsProbe::settle(Time until) {
  for (auto& notes = drive_.activity(); !notes.empty() && notes.front().at <= until;) {
    const disk::Activity next = take_first(notes);
    reporting_ = next.at;
    if (delays_) delays_->passed(next);
    phase_.change(next.at, static_cast<int>(next.phase));
    cylinder_.change(next.at, static_cast<int>(next.cylinder));
    const disk::Activity last = std::exchange(now_, next);
    if (last.phase != disk::Phase::idle && next.at > last.at)
      report_.span(disk::phase_names[static_cast<std::size_t>(last.phase)], last.at, next.at,
                   {{"cylinder", last.cylinder}});
    if (report_.tells(LogLevel::debug)) untold_.push_back(next);
  }
  reporting_.reset();
  if (delays_) delays_->until(until);
}

void HeadsProbe::tell() {
  while (!untold_.empty()) {
    const disk::Activity a = take_first(untold_);  // before the report: a growing log makes all its sources settle
    report_.instant(LogLevel::debug, a.at,
                    "heads: " + std::string(disk::phase_names[static_cast<std::size_t>(a.phase)]),
                    {{"cylinder", a.cylinder}});
  }
}

Target::Target(const sc_core::sc_module_name& name, const disk::SharedDriveType& type, const disk::DriveStart& start,
               Duration disconnect_threshold, Timetable& timetable)
    : TimedModule(name),
      StorageDevice(this->name(), type->mechanics.geometry().sectors(), type->params.sector_size.count),
      drive_(type, start),
      threshold_(disconnect_threshold),
      start_cylinder_(start.cylinder),
      back_(timetable, *this) {
  socket.register_nb_transport_fw(this, &Target::from_bus);
}

tlm::tlm_sync_enum Target::from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Time at = sunstar::now() + from_sc(delay);
  if (phase == phase::reset) {
    forget();
    faults().reset();
    return tlm::TLM_ACCEPTED;
  }
  phase = serve(payload, phase, delay, at);
  return tlm::TLM_UPDATED;
}

tlm::tlm_phase Target::serve(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, sc_core::sc_time& delay,
                             Time at) {
  if (const Help help = payload.get_extension<Transaction>()->help; help != Help::none) {
    // A drive that hangs hears a reset, and nothing else.
    if (faults().dead(at) || (help == Help::abort && faults().silent(at))) return phase::silence;
    forget();
    if (help == Help::device_reset) faults().reset();
    return phase::status;
  }
  if (phase == phase::command) {
    if (faults_ && faults_->silent(at)) return phase::silence;
    start(payload, at);
  } else if (phase == phase::data) {
    burst_done(at);
  } else {
    assert(phase == phase::reselection);
  }
  if (faults_) {
    if (ready_ > at) ready_ = at + picoseconds(static_cast<double>((ready_ - at).count()) * outcome_.slower);
    ready_ += std::exchange(outcome_.later, Duration{});
  }
  if (heads_) heads_->answered(at, ready_);
  return answer(payload, delay, at);
}

// The command under way, if there is one, ends without an answer.
void Target::forget() {
  if (!payload_) return;
  back_.set(Time::max());
  busy_.add(started_, sunstar::now(), sunstar::now());
  payload_->release();
  payload_ = nullptr;
}

void Target::start(tlm::tlm_generic_payload& payload, Time at) {
  assert(!payload_);
  Transaction& t = *payload.get_extension<Transaction>();
  payload_ = &payload;
  payload.acquire();
  moved_ = 0;
  started_ = at;
  if (faults_ && fails(payload, at)) return;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return ends_at(drive_.synchronise(at));
  std::string sense;
  if (payload.get_data_length() != t.sectors * sector_size())
    sense = concat("Sectors of ", name(), " have ", sector_size(), " bytes.");
  else if (t.sectors == 0 || t.lbn >= sectors() || t.sectors > sectors() - t.lbn)
    sense = concat("Blocks ", t.lbn, " + ", t.sectors, " are not on ", name(), ", which has ", sectors(), ".");
  if (!sense.empty()) {
    t.failure = {Failing::check_condition, disk::SenseKey::illegal_request, t.lbn, std::move(sense)};
    return ends_at(at);
  }
  const auto burst = payload.is_write() ? drive_.write(at, t.lbn, t.sectors) : drive_.read(at, t.lbn, t.sectors);
  waiting_ = Waiting::burst;
  ready_ = burst.ready;
  burst_bytes_ = burst.sectors * sector_size();
}

// Whether the drive's faults end the command as soon as it has arrived.
bool Target::fails(tlm::tlm_generic_payload& payload, Time at) {
  Transaction& t = *payload.get_extension<Transaction>();
  const bool data = payload.get_command() != tlm::TLM_IGNORE_COMMAND;
  outcome_ = faults_->command(at, payload.is_write(), data, t.lbn, t.sectors, from_seconds(60 / drive_.params().rpm));
  if (outcome_.key == disk::SenseKey::none) return false;
  const std::string_view why = outcome_.key == disk::SenseKey::medium_error ? "The medium is bad"
                               : outcome_.key == disk::SenseKey::not_ready  ? "The drive is not ready"
                                                                            : "The drive was reset";
  t.failure = {Failing::check_condition, outcome_.key, outcome_.information, std::string(why) + "."};
  const bool looks = outcome_.key == disk::SenseKey::medium_error;  // the heads must get there first
  ends_at(looks ? drive_.read(at, outcome_.information, 1).ready : at);
  return true;
}

void Target::burst_done(Time at) {
  Transaction& t = *payload_->get_extension<Transaction>();
  if (payload_->is_write() && !t.parity_error) {
    const std::uint64_t offset = t.lbn * sector_size() + moved_;
    if (faults_) faults_->store(at, outcome_, offset, t.burst);
    else medium_.write(offset, t.burst);
  }
  const auto [burst, status] = payload_->is_write() ? drive_.data_received(at) : drive_.sent(at);
  moved_ += burst_bytes_;
  waiting_ = burst ? Waiting::burst : Waiting::status;
  ready_ = burst ? burst->ready : status;
  burst_bytes_ = burst ? burst->sectors * sector_size() : 0;
}

// The command's next step.
tlm::tlm_phase Target::answer(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, Time at) {
  if (faults_ && faults_->silent(at)) return phase::disconnect;  // and the drive does not come back
  if (ready_ > at + threshold_) {
    back_.set(ready_);
    return phase::disconnect;
  }
  if (ready_ > at) delay = to_sc(ready_ - sunstar::now());
  Transaction& t = *payload.get_extension<Transaction>();
  if (waiting_ == Waiting::burst) {
    t.burst_offset = moved_;
    t.burst_bytes = burst_bytes_;
    t.burst_least = drive_.params().crossing(!payload.is_read(), burst_bytes_ / sector_size());
    if (payload.is_read()) {
      t.burst.clear();
      medium_.read(t.lbn * sector_size() + moved_, burst_bytes_, t.burst);
      if (faults_) t.burst = faults_->deliver(outcome_, t.lbn * sector_size() + moved_, t.burst);
    }
    return phase::data;
  }
  t.timing = drive_.timing();
  if (faults_ && payload.is_write()) faults_->stored_until(at, t.timing.on_medium);
  busy_.add(started_, std::max(ready_, at), sunstar::now());
  payload.set_response_status(t.failure ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  payload_ = nullptr;
  payload.release();
  return phase::status;
}

void Target::come_back() {
  if (faults_ && faults_->silent(sunstar::now())) return;
  tlm::tlm_phase phase = phase::arbitration;
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(*payload_, phase, none);
}

void Target::register_statistics(StatisticSet& set) {
  const std::string prefix = std::string(name()) + ".";
  add_share(set, prefix + "utilisation", "share of time with a command under way", share_, [this] {
    return busy_.until(sunstar::now()) + std::max(payload_ ? sunstar::now() - started_ : Duration{}, Duration{});
  });
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
