// SPDX-License-Identifier: MIT
#include "models/disk/drive_faults.h"

namespace sunstar::disk {

void DriveFaults::add(const FaultEffects& effect, const faults::Trigger& trigger, const faults::Extent& extent,
                      std::uint64_t seed, std::string_view name, std::function<void(Time)> when_struck) {
  faults::Strikes strikes(trigger, extent, seed, name);
  strikes.when_struck = std::move(when_struck);
  if (effect.is<MediumError>()) mended_.emplace_back();
  faults_.add(effect, std::move(strikes));
}

bool DriveFaults::dead(Time now) {
  return std::ranges::any_of(faults_.all<Dead>(), [&](auto& one) { return one.strikes.holds(now); });
}

bool DriveFaults::lose_power(Time now, bool command) {
  std::vector<std::pair<Time, Duration>> losses;  // beginnings and durations
  for (auto& one : faults_.all<PowerLoss>())
    if (command ? one.strikes.operation(now) : one.strikes.passed(now))
      // A command in flight at that time has ended as usual.
      losses.emplace_back(std::min(now, std::max(one.strikes.last(), reported_)), one.effect.off);
  std::ranges::sort(losses);
  for (const auto& [at, off] : losses) {
    // Backwards, so that the oldest bytes stay.
    while (!unsafe_.empty()) {
      const Unsafe& u = unsafe_.back();
      if (u.on_medium > at) {
        medium_.write(u.offset, u.before);
        note(lost_, u.offset, u.offset + u.before.size());
      }
      unsafe_.pop_back();
    }
    ready_ = std::max(ready_, at + off);
    hung_ = false;
    attention_ = power_on_occurred;
  }
  return !losses.empty();
}

DriveFaults::Outcome DriveFaults::command(Time now, bool write, bool data, Lbn first, std::uint32_t sectors,
                                          Duration revolution) {
  Outcome outcome;
  outcome.first = first;
  outcome.sectors = sectors;
  outcome.power_lost = lose_power(now, true);
  for (auto& one : faults_.all<Dead>()) one.strikes.count(now);
  if (now < ready_) {
    outcome.key = SenseKey::not_ready;
    return outcome;
  }
  if (attention_) {
    outcome.key = SenseKey::unit_attention;
    outcome.information = std::exchange(attention_, 0);
    return outcome;
  }
  hung_ |= faults_.strike<Hang>(now);
  for (auto& one : faults_.all<Slow>()) {
    one.strikes.count(now);
    if (one.strikes.holds(now)) outcome.slower *= one.effect.factor;
  }
  if (!data) return outcome;
  for (auto& one : faults_.all<RecoveredError>())
    if (one.strikes.operation(now))
      outcome.later += picoseconds(static_cast<double>(revolution.count()) * one.effect.revolutions);
  for (std::size_t i = 0; i < mended_.size(); ++i) {
    auto& [bad, strikes] = faults_.all<MediumError>()[i];
    const Lbn from = std::max(first, bad.first), end = std::min<Lbn>(first + sectors, bad.first + bad.sectors);
    if (from >= end) continue;
    strikes.count(now);
    if (!strikes.holds(now)) continue;
    if (write) {
      mended_[i].add(Range::right_open(from, end));
      continue;
    }
    const auto mended = mended_[i].find(from);
    const Lbn error = mended == mended_[i].end() ? from : std::min(mended->upper(), end);
    if (error == end) continue;
    outcome.key = SenseKey::medium_error;
    outcome.information = error;
    outcome.later += bad.recovery;
    return outcome;
  }
  for (auto& one : faults_.all<Corruption>())
    if ((one.effect.wrong == Wrong::read) != write && one.strikes.operation(now)) outcome.wrong = &one.effect;
  return outcome;
}

void DriveFaults::store(Time now, const Outcome& of, std::uint64_t offset, const content::Content& data) {
  std::uint64_t at = offset;
  std::uint32_t bytes = data.size();
  if (of.wrong) {
    const std::uint64_t missed = offset + bytes;
    if (of.wrong->wrong == Wrong::misdirected) {
      const std::uint64_t by = of.wrong->by * sector_bytes_;
      at = offset + by + bytes <= medium_.capacity() ? offset + by : offset >= by ? offset - by : offset;
      note(wrong_, at, at + bytes);
    } else {
      // A torn write ends in the middle of the command.
      const std::uint64_t torn = (of.first + of.sectors / 2) * sector_bytes_;
      bytes = of.wrong->wrong == Wrong::lost || torn <= offset
                  ? 0
                  : static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, torn - offset));
    }
    if (at != offset) note(wrong_, offset, missed);
    else if (offset + bytes < missed) note(wrong_, offset + bytes, missed);
  }
  if (at == offset && bytes > 0) {
    wrong_ -= Range::right_open(at, at + bytes);
    lost_ -= Range::right_open(at, at + bytes);
  }
  if (bytes == 0) return;
  if (!faults_.all<PowerLoss>().empty()) {
    while (!unsafe_.empty() && unsafe_.front().on_medium <= now) unsafe_.pop_front();
    content::Content before;
    medium_.read(at, bytes, before);
    unsafe_.push_back({Time::max(), at, std::move(before)});
  }
  medium_.write(at, data.slice(0, bytes));
}

void DriveFaults::stored_until(Time reported, Time on_medium) {
  reported_ = std::max(reported_, reported);
  for (auto it = unsafe_.rbegin(); it != unsafe_.rend() && it->on_medium == Time::max(); ++it)
    it->on_medium = on_medium;
}

content::Content DriveFaults::deliver(const Outcome& of, std::uint64_t offset, const content::Content& data) {
  if (!of.wrong || data.empty()) return data;
  delivered_.add(Range::right_open(offset, offset + data.size()));
  return content::corrupted(data);
}

}  // namespace sunstar::disk
