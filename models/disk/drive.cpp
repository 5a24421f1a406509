// SPDX-License-Identifier: MIT
#include "models/disk/drive.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/core/error.h"
#include "models/core/random.h"

namespace sunstar::disk {
namespace {

const DriveParams& checked(const DriveParams& p) {
  validate(p);
  return p;
}

std::uint32_t in_sectors(Bytes size, const DriveParams& p) {
  return static_cast<std::uint32_t>(size.count / p.sector_size.count);
}

}  // namespace

DriveStart random_start(const DriveParams& params, std::uint64_t seed, std::string_view name) {
  RandomStream random(seed, name);
  std::uint32_t cylinders = 0;
  for (const Zone& z : params.zones) cylinders += z.cylinders;
  const double phase = random.uniform();
  return {phase, cylinders ? static_cast<std::uint32_t>(random.below(cylinders)) : 0};
}

Drive::Drive(const DriveParams& params, const DriveStart& start)
    : params_(checked(params)), mechanics_(params, start.spindle_phase), read_fence_(in_sectors(params.read_fence, params)),
      write_fence_(in_sectors(params.write_fence, params)), write_buffer_(in_sectors(params.write_buffer, params)),
      stream_(mechanics_, in_sectors(params.buffer_size, params)), writes_(in_sectors(params.write_buffer, params)),
      arm_{start.cylinder, 0} {
  if (start.cylinder >= geometry().cylinders())
    throw ConfigError("The arm of drive " + params.name + " cannot start at cylinder " + std::to_string(start.cylinder) +
                      "; there are " + std::to_string(geometry().cylinders()) + " cylinders.");
  if (!std::isfinite(start.spindle_phase)) throw ConfigError("The spindle phase of drive " + params.name + " is not a number.");
}

Lbn Drive::goal(Lbn end) const {
  switch (params_.read_ahead) {
    case ReadAhead::off: return end;
    case ReadAhead::until_track_end: return geometry().track_end(end - 1);
    case ReadAhead::until_cylinder_end: return geometry().cylinder_end(end - 1);
    case ReadAhead::until_full: return geometry().sectors();
  }
  return end;
}

Track Drive::track_at(Time t) const {
  if (!stream_.valid()) return arm_;
  const Lbn next = stream_.reached(t);
  return geometry().address(next == stream_.limit() ? next - 1 : next).track;
}

Time Drive::take_mechanism(Time decoded) {
  Time from = decoded;
  if (stream_.valid()) {
    from = stream_.stop(decoded, params_.read_ahead_stop);
    if (noting_) forget_from(from);
    arm_ = track_at(from);
    stream_.discard();
  }
  return std::max(from, free_);
}

Drive::Burst Drive::next_read_burst(Lbn from) {
  burst_ = static_cast<std::uint32_t>(std::min<Lbn>(end_ - from, read_fence_));
  return {stream_.when(from + burst_), burst_};
}

Drive::Burst Drive::read(Time received, Lbn lbn, std::uint32_t sectors) {
  assert(sectors > 0 && lbn + sectors <= geometry().sectors());
  ++counters_.reads;
  counters_.bytes_read += sectors * params_.sector_size.count;
  lbn_ = next_ = lbn;
  end_ = lbn + sectors;
  timing_ = {};
  timing_.received = received;
  timing_.overhead = params_.read_overhead;
  const Time decoded = received + params_.read_overhead;

  if (stream_.valid() && params_.read_ahead_abandoned == ReadAheadAbandoned::on_new_command) {
    free_ = std::max(free_, stream_.stop(received, params_.read_ahead_stop));
    if (noting_) note_stream(received);
  }
  if (stream_.valid()) {
    const Lbn reached = stream_.reached(decoded);
    if (lbn >= stream_.oldest(decoded) && end_ <= reached) {
      timing_.hit = true;
      burst_ = std::min(sectors, read_fence_);
      return {decoded, burst_};
    }
    if (lbn >= stream_.oldest(decoded) && lbn <= reached + params_.stream_window) {
      timing_.rotation = stream_.extend(decoded, lbn, goal(end_));
      timing_.streamed = lbn < reached || timing_.rotation == Duration::zero();
      if (noting_) note_stream(decoded);
      Burst burst = next_read_burst(lbn);
      burst.ready = std::max(burst.ready, decoded);
      timing_.transfer = std::max(burst.ready - decoded - timing_.rotation, Duration::zero());
      return burst;
    }
  }
  const Time from = take_mechanism(decoded);
  timing_.wait = from - decoded;
  const Track to = geometry().address(lbn).track;
  timing_.seek = mechanics_.move(arm_, to, Access::read);
  timing_.rotation = mechanics_.rotational_wait(from + timing_.seek, lbn);
  const Time first = from + timing_.seek + timing_.rotation;
  stream_.start(lbn, first, goal(end_));
  counters_.seeks += arm_.cylinder != to.cylinder;
  arm_ = to;
  write_pass_valid_ = false;
  timing_.transfer = mechanics_.span(lbn, sectors, Access::read);
  if (noting_) {
    forget_from(from);
    if (timing_.seek > Duration::zero()) note(from, Phase::seek, to.cylinder);
    note(from + timing_.seek, Phase::rotation, to.cylinder);
    note_stream(first);
  }
  return next_read_burst(lbn);
}

std::optional<Drive::Burst> Drive::sent(Time end) {
  next_ += burst_;
  stream_.extend(end, next_, std::max(end_, goal(end_)));
  if (noting_) note_stream(end);
  if (next_ < end_) {
    Burst burst = next_read_burst(next_);
    burst.ready = std::max(burst.ready, end);
    return burst;
  }
  if (!params_.reuse_sent_data) stream_.drop_sent();
  count();
  return {};
}

// In halves if the write does not fit, so that one can come while the other goes to the medium.
std::uint32_t Drive::next_write_burst() const {
  const std::uint32_t most = end_ - lbn_ <= write_buffer_ ? write_buffer_ : std::max(write_buffer_ / 2, 1u);
  return static_cast<std::uint32_t>(std::min<Lbn>(end_ - next_, std::min(write_fence_, most)));
}

Drive::Burst Drive::write(Time received, Lbn lbn, std::uint32_t sectors) {
  assert(sectors > 0 && lbn + sectors <= geometry().sectors());
  ++counters_.writes;
  counters_.bytes_written += sectors * params_.sector_size.count;
  lbn_ = next_ = lbn;
  end_ = lbn + sectors;
  timing_ = {};
  timing_.received = received;
  timing_.overhead = params_.write_overhead;
  const Time decoded = received + params_.write_overhead;

  if (stream_.valid() && params_.read_ahead_abandoned == ReadAheadAbandoned::on_new_command)
    free_ = std::max(free_, stream_.stop(received, params_.read_ahead_stop));
  mechanism_from_ = take_mechanism(decoded);
  earlier_on_medium_ = writes_.all_on_medium();
  sequential_ = write_pass_valid_ && lbn == write_end_;
  arm_moving_ = false;
  if (!sequential_ && params_.write_seek == WriteSeek::at_command) {
    const Track to = geometry().address(lbn).track;
    timing_.seek = mechanics_.move(arm_, to, Access::write);
    arm_ready_ = mechanism_from_ + timing_.seek;
    arm_moving_ = true;
    counters_.seeks += arm_.cylinder != to.cylinder;
    arm_ = to;
    if (noting_) {
      forget_from(mechanism_from_);
      if (timing_.seek > Duration::zero()) note(mechanism_from_, Phase::seek, to.cylinder);
      note(arm_ready_, Phase::rotation, to.cylinder);
    }
  }
  burst_ = next_write_burst();
  return {writes_.room_at(decoded, burst_), burst_};
}

Drive::Next Drive::data_received(Time end) {
  // In time for the same pass: before the next sector comes by, and early enough to switch to its track if need be.
  const bool joins = write_pass_valid_ && next_ == write_end_ &&
                     end <= write_first_ + mechanics_.lead(write_pass_, write_end_ - write_pass_, Access::write) -
                                mechanics_.move(arm_, geometry().address(next_).track, Access::write);
  if (joins) {
    if (noting_) forget_from(free_);
    if (next_ == lbn_) timing_.streamed = true;
  } else {
    Time ready = std::max(arm_ready_, end);
    Duration seek{0};
    if (!arm_moving_) {
      const Track to = geometry().address(next_).track;
      const Time from = params_.write_seek == WriteSeek::after_data && !(write_pass_valid_ && next_ == write_end_)
                            ? std::max(mechanism_from_, end) : std::max(mechanism_from_, free_);
      seek = mechanics_.move(arm_, to, Access::write);
      counters_.seeks += arm_.cylinder != to.cylinder;
      arm_ = to;
      ready = std::max(from + seek, end);
      timing_.seek += seek;
    }
    const Duration rotation = mechanics_.rotational_wait(ready, next_);
    timing_.rotation += rotation;
    write_pass_ = next_;
    write_first_ = ready + rotation;
    if (noting_) {
      forget_from(ready);
      note(ready, Phase::rotation, arm_.cylinder);
    }
  }
  arm_moving_ = false;
  const Lbn burst_first = next_;
  next_ += burst_;
  const Time begins = write_first_ + mechanics_.lead(write_pass_, burst_first - write_pass_, Access::write);
  write_pass_valid_ = true;
  write_end_ = next_;
  free_ = mechanism_from_ = write_first_ + mechanics_.span(write_pass_, write_end_ - write_pass_, Access::write);
  arm_ = geometry().address(next_ - 1).track;
  timing_.transfer += free_ - begins;
  timing_.on_medium = free_;
  writes_.push(burst_, free_);
  if (noting_) {
    note(begins, Phase::write, geometry().address(burst_first).track.cylinder);
    note(free_, Phase::idle, arm_.cylinder);
  }
  if (next_ < end_) {
    burst_ = next_write_burst();
    return {Burst{writes_.room_at(end, burst_), burst_}, {}};
  }
  Time status = std::max(end, earlier_on_medium_);
  if (params_.immediate_reporting == ImmediateReporting::off) status = free_;
  if (params_.immediate_reporting == ImmediateReporting::empty_or_sequential && sequential_) status = end;
  const Duration accounted = timing_.overhead + timing_.seek + timing_.rotation + timing_.transfer;
  timing_.wait = std::max(timing_.on_medium - timing_.received - accounted, Duration::zero());
  count();
  return {{}, status};
}

void Drive::count() {
  counters_.hits += timing_.hit;
  if (timing_.on_medium == Time{}) {
    counters_.streamed += timing_.streamed;
    counters_.misses += !timing_.hit && !timing_.streamed;
  } else {
    counters_.joined += timing_.streamed;
  }
  counters_.overhead += seconds(timing_.overhead);
  counters_.wait += seconds(timing_.wait);
  counters_.seek += seconds(timing_.seek);
  counters_.rotation += seconds(timing_.rotation);
  counters_.transfer += seconds(timing_.transfer);
}

void Drive::register_statistics(StatisticSet& set, const std::string& name) {
  auto& c = counters_;
  set.counter(name + ".reads", "read commands", "1", c.reads);
  set.counter(name + ".writes", "write commands", "1", c.writes);
  set.counter(name + ".bytes_read", "bytes asked for by reads", "B", c.bytes_read);
  set.counter(name + ".bytes_written", "bytes taken by writes", "B", c.bytes_written);
  set.counter(name + ".hits", "reads found in the buffer", "1", c.hits);
  set.counter(name + ".streamed", "reads served by the stream as it came by", "1", c.streamed);
  set.counter(name + ".misses", "reads that needed the heads", "1", c.misses);
  set.counter(name + ".joined", "writes that joined the pass of the one before", "1", c.joined);
  set.counter(name + ".seeks", "requests that moved the arm to another cylinder", "1", c.seeks);
  set.counter(name + ".overhead_time", "controller overhead", "s", c.overhead);
  set.counter(name + ".wait_time", "requests waiting for the heads, room or data", "s", c.wait);
  set.counter(name + ".seek_time", "heads moving to the first sector of a request", "s", c.seek);
  set.counter(name + ".rotation_time", "heads waiting for the first sector of a request", "s", c.rotation);
  set.counter(name + ".transfer_time", "heads over the sectors of requests, read-ahead apart", "s", c.transfer);
}

void Drive::forget_from(Time t) {
  while (!activity_.empty() && activity_.back().at >= t) activity_.pop_back();
}

void Drive::note(Time at, Phase phase, std::uint32_t cylinder) {
  forget_from(at);
  activity_.push_back({at, phase, cylinder});
}

// Notes what the stream does from t on: reading the present request, reading ahead, each new cylinder, its end.
void Drive::note_stream(Time t) {
  if (!stream_.valid()) return;
  forget_from(t);
  const Time from = std::max(t, stream_.first());
  const auto phase_of = [&](Lbn next) { return next < end_ ? Phase::read : Phase::read_ahead; };
  if (t < stream_.first()) note(t, Phase::rotation, geometry().address(stream_.pass()).track.cylinder);
  for (Lbn next = stream_.reached(from); next < stream_.limit();) {
    note(std::max(from, stream_.when(next)), phase_of(next), geometry().address(next).track.cylinder);
    const Lbn change = geometry().cylinder_end(next);
    next = next < end_ ? std::min(change, end_) : change;
  }
  note(std::max(t, stream_.when(stream_.limit())), Phase::idle, geometry().address(stream_.limit() - 1).track.cylinder);
}

}  // namespace sunstar::disk
