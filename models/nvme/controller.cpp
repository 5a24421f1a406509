// SPDX-License-Identifier: MIT
#include "models/nvme/controller.h"

namespace sunstar::nvme {

Controller::Controller(const sc_core::sc_module_name& name, const DriveParams& params, std::uint64_t seed,
                       Timetable& timetable)
    : sc_module(name), Alarm(timetable), device_(params, seed, this->name()) {
  doorbells.register_b_transport(this, &Controller::ring_doorbell);
  entry_payload_.set_command(tlm::TLM_IGNORE_COMMAND);
}

void Controller::connect(Host& host, std::uint32_t queues) {
  host_ = &host;
  if (queues > 1) arbiter_.emplace(queues);
}

void Controller::ring_doorbell(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  Entry& entry = *reinterpret_cast<Entry*>(payload.get_data_ptr());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  entry.submitted = sunstar::now();
  entry.status = Status::success;
  if (entry.what == Entry::What::command) submit(entry);
  else plan(sunstar::now() + device_.drive().params().latency, nullptr, &entry);
}

void Controller::submit(Entry& entry) {
  const Time now = sunstar::now();
  if (free_.empty()) free_.push_back(&slots_.emplace_back(static_cast<std::uint32_t>(slots_.size())));
  Slot& slot = *take_last(free_);
  slot.entry = &entry;
  slot.number = ++commands_;
  slot.course = {};
  if (under_way_++ == 0) busy_since_ = now;
  if (probe_) probe_->begins(entry);
  if (!arbiter_) return carry_out(slot);
  const std::uint32_t queue = entry.command.queue;
  arbiter_->add(queue, {device_.drive().fetch(now, queue), slot.index, slot.number});
  arbitrate();
}

void Controller::arbitrate() {
  while (decoded_ <= sunstar::now()) {
    const auto next = arbiter_->take(sunstar::now());
    if (!next) return;
    Slot& slot = slots_[next->slot];
    if (!slot.entry || slot.number != next->number) continue;  // the command has been aborted
    carry_out(slot, next->there);
    decoded_ = slot.course.timing.decoded;
  }
  if (arbitrates_ || arbiter_->empty()) return;
  arbitrates_ = true;
  plan(decoded_, nullptr);
}

void Controller::carry_out(Slot& slot, std::optional<Time> there) {
  const Time now = sunstar::now();
  const Entry& entry = *slot.entry;
  const auto course = device_.submit(now, entry.command, there);
  if (course && course->faults.power_lost)
    for (Slot& other : slots_)
      if (other.entry && &other != &slot) {
        other.number = ++commands_;  // its planned steps are void
        other.course.status = Status::aborted_power_loss;
        other.moved = true;
        plan(now + device_.drive().params().latency, &other);
      }
  if (!course) return;
  slot.course = *course;
  pass_entry(submission_entry);
  slot.moved = course->status != Status::success || entry.command.operation == Operation::flush;
  plan(slot.moved ? course->at : course->timing.crossed, &slot);
}

void Controller::plan(Time at, Slot* slot, Entry* help) {
  steps_.push({at, ++turns_, slot, slot ? slot->number : 0, help});
  set(std::max(steps_.top().at, sunstar::now()));
}

void Controller::ring() {
  const Time now = sunstar::now();
  while (!steps_.empty() && steps_.top().at <= now) {
    const Step step = steps_.top();
    steps_.pop();
    if (step.help) {
      help(*step.help);
    } else if (!step.slot) {
      arbitrates_ = false;
      arbitrate();
    } else if (step.slot->entry && step.slot->number == step.number) {
      go_on(*step.slot);
    }
  }
  set(steps_.empty() ? Time::max() : steps_.top().at);
}

void Controller::go_on(Slot& slot) {
  if (device_.what_is_wrong() && device_.faults().silent(sunstar::now())) return;
  if (!slot.moved) return move_data(slot);
  pass_entry(completion_entry);
  end(slot, slot.course.status);
}

// A drive that hangs hears a reset, and nothing else.
void Controller::help(Entry& entry) {
  const Time now = sunstar::now();
  if (probe_) probe_->helps(entry);
  const bool dead = device_.what_is_wrong() && device_.faults().dead(now);
  if (entry.what == Entry::What::abort) {
    if (device_.what_is_wrong() && device_.faults().silent(now)) return;
    for (Slot& slot : slots_)
      if (slot.entry && slot.entry->number == entry.aborts) end(slot, Status::aborted);
  } else {
    device_.faults().reset();
    end_all(dead ? Status::host_path_error : Status::aborted);
  }
  host_->completed(entry);
}

// The bytes have been crossing the link, and the memory's bus with it, until now.
void Controller::move_data(Slot& slot) {
  const Time now = sunstar::now();
  const Command& command = slot.entry->command;
  const bool write = command.operation == Operation::write;
  const std::uint32_t bytes = command.sectors * device_.sector_size();
  content::Content content;
  if (!write) device_.read(command, slot.course, content);
  sc_core::sc_time late = sc_core::SC_ZERO_TIME;
  auto& payload = payload_.transfer(!write, slot.entry->address, content, bytes, slot.course.timing.crossing);
  memory->b_transport(payload, late);
  assert(payload.is_response_ok());
  bytes_ += bytes;
  slot.course.at += from_sc(late);
  slot.moved = true;
  if (probe_) probe_->moved(*slot.entry, from_sc(late));
  if (write) device_.write(now, command, slot.course, content);
  plan(slot.course.at, &slot);
}

// The bytes of queue entries pass the buses like any others; the entry's content is known.
void Controller::pass_entry(std::uint32_t bytes) {
  bytes_ += bytes;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  entry_payload_.set_data_length(bytes);
  memory->b_transport(entry_payload_, delay);
}

void Controller::end(Slot& slot, Status status) {
  Entry& entry = *std::exchange(slot.entry, nullptr);
  entry.status = status;
  entry.information = slot.course.information;
  entry.on_medium = entry.command.operation == Operation::read ? Time{} : device_.drive().idle_at();
  const Time now = sunstar::now();
  if (--under_way_ == 0) busy_.add(busy_since_, now, now);
  if (probe_) probe_->ends(entry, slot.course);
  free_.push_back(&slot);
  host_->completed(entry);
}

void Controller::end_all(Status status) {
  const std::uint64_t last = commands_;            // new commands may come while these end
  for (std::size_t i = 0; i < slots_.size(); ++i)  // NOLINT(modernize-loop-convert): the list may grow
    if (slots_[i].entry && slots_[i].number <= last) end(slots_[i], status);
}

void Controller::register_statistics(StatisticSet& set) {
  const std::string prefix = std::string(name()) + ".";
  add_share(set, prefix + "utilisation", "share of time with a command under way", share_,
            [this] { return busy_.until(sunstar::now()) + (under_way_ ? sunstar::now() - busy_since_ : Duration{}); });
  add_share(set, prefix + "dies_utilisation", "share of time for which a die read, programmed or erased, as a mean",
            dies_share_, [this] { return device_.drive().dies_busy(sunstar::now()); });
  add_share(set, prefix + "link_to_host_utilisation", "share of time for which data or completions crossed the link",
            to_host_share_, [this] { return device_.drive().link_busy(true, sunstar::now()); });
  add_share(set, prefix + "link_to_drive_utilisation", "share of time for which data or commands crossed the link",
            to_drive_share_, [this] { return device_.drive().link_busy(false, sunstar::now()); });
  set.counter(prefix + "link_bytes", "bytes of data and queue entries across the link", "B", bytes_);
  device_.drive().register_statistics(set, name());
}

void Controller::probe(const Probe& probe, const std::string& group, std::uint32_t place) {
  probe_ = std::make_unique<CommandProbe>(probe, device_, basename(), group, place);
}

}  // namespace sunstar::nvme
