// SPDX-License-Identifier: MIT
#include "platforms/machine/firmware_track.h"

#include <algorithm>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::machine {

namespace {
constexpr std::uint32_t tracks_of_a_kind = 10'000;  // in the order of tracks
}

FirmwareTrack::FirmwareTrack(Timeline& timeline, os::Os& os)
    : timeline_(timeline),
      group_(timeline.group(os.node().name())),
      interrupts_(timeline.track(group_, "interrupts", 0)),
      blocks_(timeline.track(group_, "blocks", 1)),
      ready_(timeline.level(group_, "ready threads")) {
  timeline.add(*this);
}

void FirmwareTrack::add(const std::string& name, std::function<std::size_t()> figure, const std::string& instance) {
  if (const auto counter = timeline_.level(group_, name, instance)) figures_.push_back({counter, std::move(figure)});
}

void FirmwareTrack::look() {
  for (const Figure& f : figures_) timeline_.set(f.counter, now(), f.value());
}

std::uint32_t FirmwareTrack::kind_of(const char* name) {
  const auto at = std::ranges::find(kinds_, name, &Kind::name);  // a kind has one name, at one place
  if (at != kinds_.end()) return static_cast<std::uint32_t>(at - kinds_.begin());
  kinds_.push_back({name, {}, {}});
  return static_cast<std::uint32_t>(kinds_.size() - 1);
}

/// A thread that is seen for the first time gets a track.
FirmwareTrack::Life& FirmwareTrack::life(os::Thread& t) {
  if (t.watched_as != 0) return lives_[t.watched_as - 1];
  const std::uint32_t number = kind_of(t.name());
  Kind& kind = kinds_[number];
  const std::uint32_t lane = kind.lanes.take(now());
  if (lane == kind.lives.size()) {
    kind.lives.push_back(static_cast<std::uint32_t>(lives_.size()));
    const std::string name = std::string(t.name()) + (lane > 0 ? " " + std::to_string(lane + 1) : "");
    lives_.push_back({timeline_.track(group_, name, (number + 1) * tracks_of_a_kind + lane), number, lane});
  }
  t.watched_as = kind.lives[lane] + 1;
  Life& life = lives_[t.watched_as - 1];
  life.since = std::max(life.since, now());
  return life;
}

// The spans of a track never overlap: if the next thing begins before the last one (a handler that is still running
// has brought it about), it waits.
void FirmwareTrack::turn_to(Life& life, const char* what, hal::RequestId request, Time at, bool waits) {
  at = std::max(at, life.since);
  if (life.does && at > life.since) {
    constexpr std::size_t words = std::string_view("waits for ").size();
    waits_for_.resize(words);
    timeline_.span(life.track, life.waits ? waits_for_.append(life.does) : life.does, life.since, at, {}, life.request,
                   life.turn);
  }
  life.does = what;
  life.waits = waits;
  life.since = at;
  life.request = request;
  life.turn = ++turns_;
}

void FirmwareTrack::ready(os::Thread& t) {
  turn_to(life(t), "ready", 0, now());
  timeline_.step(ready_, now(), 1);
}

void FirmwareTrack::runs(os::Thread& t) {
  turn_to(life(t), t.name(), t.request(), std::max(now(), handlers_end_));
  timeline_.step(ready_, now(), -1);
  look();
}

void FirmwareTrack::waits(os::Thread& t, const char* what) {
  if (what) turn_to(life(t), what, t.request(), now(), true);
  else turn_to(life(t), "ready", 0, now());
  look();
}

void FirmwareTrack::ends(os::Thread& t) {
  Life& l = life(t);
  turn_to(l, nullptr, 0, now());
  kinds_[l.kind].lanes.give_back(l.lane, now());
}

void FirmwareTrack::sends(os::Thread& t, hal::RequestId request) {
  Life& l = life(t);
  l.request = request;
  turn_to(l, t.name(), t.request(), now());
}

void FirmwareTrack::serves(os::Thread& t, hal::RequestId request) { turn_to(life(t), t.name(), request, now()); }

void FirmwareTrack::interrupt_begins(const char* name, hal::RequestId request) {
  look();
  handler_ = name;
  handled_ = request;
  handler_start_ = std::max(now(), handlers_end_);
}

void FirmwareTrack::interrupt_ends(Time end) {
  timeline_.span(interrupts_, handler_, handler_start_, end, {}, handled_, 0);
  handlers_end_ = end;
}

void FirmwareTrack::notes(const char* what, std::uint64_t file, std::uint64_t block) {
  timeline_.instant(blocks_, what, now(), {{"file", file}, {"block", block}});
}

Time FirmwareTrack::settle() {
  for (Life& l : lives_) turn_to(l, nullptr, 0, now());
  return now();
}

}  // namespace sunstar::machine
