// SPDX-License-Identifier: MIT
#include "models/disk/drive.h"

#include <cassert>

#include "models/core/random.h"

namespace sunstar::disk {
namespace {

std::uint32_t in_sectors(Bytes size, const DriveParams& p) {
  return static_cast<std::uint32_t>(size.count / p.sector_size.count);
}

Duration phase_of(const DriveType& type, const DriveStart& start) {
  if (!std::isfinite(start.spindle_phase))
    throw ConfigError("The spindle phase of drive ", type.params.name, " is not a number.");
  return type.mechanics.rotation().phase(start.spindle_phase);
}

}  // namespace

DriveStart random_start(const DriveParams& params, std::uint64_t seed, std::string_view name) {
  RandomStream random(seed, name);
  const auto cylinders = sum(params.zones, [](const Zone& z) { return z.skipped_cylinders + z.cylinders; });
  const double phase = random.uniform();
  return {phase, cylinders ? static_cast<std::uint32_t>(random.below(cylinders)) : 0};
}

Drive::Drive(SharedDriveType type, const DriveStart& start)
    : type_(std::move(type)),
      phase_(phase_of(*type_, start)),
      segments_(params_.segments, params_.write_segments, params_.separate_write_segment,
                in_sectors(params_.buffer_size, params_) / params_.segments),
      read_fence_(in_sectors(params_.read_fence, params_)),
      write_fence_(in_sectors(params_.write_fence, params_)),
      write_buffer_(in_sectors(params_.write_buffer, params_)),
      stream_(mechanics_, phase_, segments_.size()),
      writes_(write_buffer_),
      arm_{start.cylinder, 0} {
  // A burst that waits for its last sector must fit.
  if (params_.read_watermark == 1)
    read_fence_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(read_fence_, segments_.size()));
  if (start.cylinder >= geometry().cylinders())
    throw ConfigError("The arm of drive ", params_.name, " cannot start at cylinder ", start.cylinder, "; there are ",
                      geometry().cylinders(), " cylinders.");
}

Lbn Drive::goal(Lbn end) const {
  Lbn goal = end;
  if (params_.read_ahead_after == ReadAheadAfter::sequential_read && !continues_) return goal;
  switch (params_.read_ahead) {
    case ReadAhead::off: break;
    case ReadAhead::until_track_end: goal = geometry().track_end(end - 1); break;
    case ReadAhead::until_next_track_end:
      if (end == geometry().sectors()) break;
      goal = geometry().track_end(end);
      if (run_ < geometry().track_begin(end) && goal < geometry().sectors()) goal = geometry().track_end(goal);
      break;
    case ReadAhead::until_cylinder_end: goal = geometry().cylinder_end(end - 1); break;
    case ReadAhead::until_full: goal = geometry().sectors(); break;
  }
  if (params_.most_read_ahead > 0) goal = std::min(goal, end + params_.most_read_ahead);
  return std::min(std::max(goal, end + params_.least_read_ahead), geometry().sectors());
}

Track Drive::track_at(Time t) const {
  if (!stream_.valid()) return arm_;
  const Lbn next = stream_.reached(t);
  return geometry().address(next == stream_.limit() && next > 0 ? next - 1 : next).track;
}

Time Drive::take_mechanism(Time decoded) {
  Time from = decoded;
  if (stream_.valid()) {
    from = stream_.stop(decoded, params_.read_ahead_stop);
    if (noting_) forget_from(from);
    arm_ = track_at(from);
    segments_.fill(active_, stream_.oldest(from), stream_.reached(from), false);
    stream_.discard();
  }
  return std::max(from, free_);
}

void Drive::begin(Time received, Lbn lbn, std::uint32_t sectors) {
  assert(sectors > 0 && lbn + sectors <= geometry().sectors());
  lbn_ = next_ = lbn;
  end_ = lbn + sectors;
  timing_ = {};
  timing_.received = received;
  before_data_ = Duration::zero();
  from_segment_ = false;
  look_back(received);
  continues_ = false;
  if (stream_.valid() && params_.read_ahead_abandoned == ReadAheadAbandoned::on_new_command) {
    free_ = std::max(free_, stream_.stop(received, params_.read_ahead_stop));
    if (noting_) note_stream(received);
  }
}

/// The next burst of a read, not before `from`.
Drive::Burst Drive::next_read_burst(Time from) {
  burst_ = static_cast<std::uint32_t>(std::min<Lbn>(end_ - next_, read_fence_));
  by_heads_ = false;
  if (from_segment_) return {from, burst_};
  const Time all = stream_.when(next_ + burst_), prepared = from + before_data_;
  if (params_.read_watermark == 1) return {later(prepared, all), burst_};
  const auto share = std::max(static_cast<std::uint32_t>(params_.read_watermark * burst_), 1u);
  const Time keeps_up = all - params_.rig.read_sector * (burst_ - 1);
  return {later(prepared, std::max(stream_.when(next_ + share), keeps_up)), burst_};
}

Drive::Burst Drive::read(Time received, Lbn lbn, std::uint32_t sectors) {
  ++counters_.reads;
  counters_.bytes_read += sectors * params_.sector_size.count;
  begin(received, lbn, sectors);
  writing_ = false;
  const auto& o = params_.overheads;
  timing_.overhead = decoding(o.read_hit_after_read, o.read_hit_after_write, o.read_hit_after_pause);
  const Time decoded = received + timing_.overhead;
  if (read_from_stream(received, decoded)) return next_read_burst(received + timing_.overhead);
  if (const std::size_t i = segments_.holding(lbn, params_.reuse_written_data); i < segments_.count()) {
    segments_.touch(i);
    if (end_ <= segments_[i].end) {
      continue_run(segments_[i].first);
      from_segment_ = timing_.hit = true;
      return next_read_burst(decoded + o.data_preparation);
    }
    if (!segments_[i].written) {
      continue_run(segments_[i].first);
      read_from_medium(received, i, segments_[i].end, true);
      return next_read_burst(decoded + o.data_preparation);
    }
  }
  const std::size_t before = segments_.ending_at(lbn, false);
  if (before < segments_.count()) continue_run(segments_[before].first);
  else run_ = lbn;
  read_from_medium(received, before, lbn, false);
  return next_read_burst(received + timing_.overhead);
}

/// The current read continues reads that began at `first`.
void Drive::continue_run(Lbn first) {
  continues_ = true;
  run_ = first;
}

/// Whether the stream serves the current read, and how.
bool Drive::read_from_stream(Time received, Time decoded) {
  if (!stream_.valid() || lbn_ < stream_.oldest(decoded)) return false;
  segments_.touch(active_);
  const auto& o = params_.overheads;
  Lbn reached = stream_.reached(decoded);
  if (lbn_ <= reached + params_.stream_window) continues_ = true;
  if (end_ <= reached) {
    timing_.hit = true;
    before_data_ = o.data_preparation;
    return true;
  }
  if (lbn_ > reached + params_.stream_window) return false;
  if (lbn_ >= reached && !stream_.running(decoded)) {
    // The read starts at the heads' place, but none of its blocks is in the buffer or on its way.
    timing_.overhead = read_miss();
    decoded = received + timing_.overhead;
  }
  if (!stream_.running(decoded)) work_since_ = decoded;
  timing_.rotation = stream_.extend(decoded, lbn_, goal(end_), drained());
  timing_.streamed = lbn_ < reached || timing_.rotation == Duration::zero();
  if (noting_) note_stream(decoded);
  before_data_ = o.data_preparation;
  timing_.transfer =
      std::max(stream_.when(std::min<Lbn>(end_, lbn_ + read_fence_)) - decoded - timing_.rotation, Duration::zero());
  return true;
}

/// Sends the heads to read from block `pass` on, into `segment` if it exists and ends at `pass`, otherwise into the
/// segment to be replaced. `hit`: the blocks before `pass` are in the segment already.
void Drive::read_from_medium(Time received, std::size_t segment, Lbn pass, bool hit) {
  const auto& o = params_.overheads;
  timing_.streamed = hit;
  if (!hit) {
    timing_.overhead = read_miss() + (after_write_ ? o.read_disconnect_after_write : o.read_disconnect_after_read);
    before_data_ = o.first_reselection + o.data_preparation;
  }
  const Time decoded = received + timing_.overhead, from = take_mechanism(decoded);
  timing_.wait = from - decoded;
  if (free_ <= decoded) work_since_ = decoded;
  const Track to = geometry().address(pass).track;
  timing_.seek = mechanics_.move(arm_, to, Access::read);
  timing_.rotation = mechanics_.rotational_wait(from + phase_ + timing_.seek, pass);
  const Time first = from + timing_.seek + timing_.rotation;
  Lbn oldest = pass;
  if (segment < segments_.count() && segments_[segment].end == pass) {
    oldest = segments_[segment].first;
    active_ = segment;
  } else {
    active_ = segments_.for_read();
    if (params_.read_before_request)
      oldest -= std::min<Lbn>(mechanics_.passed_before(timing_.rotation, pass),
                              segments_.size() - std::min<Lbn>(segments_.size(), end_ - pass));
  }
  segments_.fill(active_, pass, pass, false);
  stream_.start(oldest, lbn_, pass, first, goal(end_), drained());
  if (params_.read_before_request && params_.read_ahead == ReadAhead::until_track_end)
    stream_.come_around(geometry().track_begin(pass), first + mechanics_.rotation().revolution());
  counters_.seeks += arm_.cylinder != to.cylinder;
  arm_ = to;
  write_pass_valid_ = false;
  timing_.transfer = mechanics_.span(pass, end_ - pass, Access::read);
  if (noting_) {
    forget_from(from);
    if (timing_.seek > Duration::zero()) note(from, Phase::seek, to.cylinder);
    note(from + timing_.seek, Phase::rotation, to.cylinder);
    note_stream(first);
  }
}

Drive::Next Drive::sent(Time end) {
  next_ += burst_;
  if (!from_segment_) {
    if (!stream_.running(end)) work_since_ = end;
    const bool makes_room = params_.read_ahead_over_request || end_ - lbn_ > segments_.size();
    const Lbn kept = makes_room ? next_ : lbn_;
    if (timing_.hit && !params_.read_ahead_after_hit && !stream_.running(end)) stream_.release(kept);
    else stream_.extend(end, kept, std::max(end_, goal(end_)), drained());
    if (noting_) note_stream(end);
  }
  if (next_ < end_) return {next_read_burst(end), {}};
  if (!params_.reuse_sent_data && stream_.valid()) stream_.drop_sent();
  count(end);
  by_heads_ = false;
  reported_ = end + params_.overheads.read_completion;
  return {{}, reported_};
}

// Two halves if the write does not fit, so that one can arrive while the other goes to the medium.
std::uint32_t Drive::next_write_burst() const {
  const std::uint32_t most = end_ - lbn_ <= write_buffer_ ? write_buffer_ : std::max(write_buffer_ / 2, 1u);
  return static_cast<std::uint32_t>(std::min<Lbn>(end_ - next_, std::min(write_fence_, most)));
}

/// Takes a segment for the data of the current write: the segment of writes that it continues, otherwise the segment to
/// be replaced.
void Drive::take_write_segment() {
  std::size_t i = segments_.ending_at(lbn_, true);
  if (i < segments_.count()) {
    segments_.fill(i, segments_[i].first, end_, true);
  } else {
    i = segments_.for_write();
    segments_.fill(i, lbn_, end_, true);
  }
  segments_.overwrite(lbn_, end_, i);
}

Drive::Burst Drive::write(Time received, Lbn lbn, std::uint32_t sectors) {
  ++counters_.writes;
  counters_.bytes_written += sectors * params_.sector_size.count;
  begin(received, lbn, sectors);
  writing_ = true;
  const auto& o = params_.overheads;
  const bool early = params_.immediate_reporting != ImmediateReporting::off;
  timing_.overhead = o.write_reconnects ? o.reconnect_command + o.reconnect_disconnect
                     : early ? decoding(o.write_hit_after_read, o.write_hit_after_write, o.write_hit_after_pause)
                             : decoding(o.write_miss_after_read, o.write_miss_after_write, o.write_miss_after_pause);
  const Time decoded = received + timing_.overhead;

  mechanism_from_ = take_mechanism(std::max(decoded, received + o.minimum_seek_delay));
  if (free_ <= decoded) work_since_ = decoded;
  take_write_segment();
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
  const Time prepared = decoded + (o.write_reconnects ? o.reconnect_delay + o.other_reselection : Duration::zero());
  return {later(prepared, writes_.room_at(prepared, burst_)), burst_};
}

/// When the heads may begin to write a burst that is in the buffer at `end`: once write_watermark of it is there and
/// the drive has left the bus, but not so early that they would reach a sector before its data has come.
Time Drive::may_write(Time end) const {
  const auto& o = params_.overheads;
  const Duration leaving = o.write_disconnect + (o.write_reconnects ? o.reconnect_second_disconnect : Duration::zero());
  if (params_.write_watermark == 1) return end + leaving;
  const Duration crossing = params_.rig.write_sector * burst_;
  const Duration waited{std::llround(static_cast<double>(crossing.count()) * params_.write_watermark)};
  return end - std::min(crossing - waited, mechanics_.lead(next_, burst_ - 1, Access::write)) + leaving;
}

Drive::Next Drive::data_received(Time end) {
  // The burst joins the pass if it comes before the next sector passes, and early enough to switch to its track if need
  // be.
  const bool joins = write_pass_valid_ && next_ == write_end_ &&
                     end <= write_first_ + mechanics_.lead(write_pass_, write_end_ - write_pass_, Access::write) -
                                mechanics_.move(arm_, geometry().address(next_).track, Access::write);
  if (joins) {
    if (noting_) forget_from(free_);
    if (next_ == lbn_) timing_.streamed = true;
  } else {
    const Time in_buffer = may_write(end);
    Time ready = std::max(arm_ready_, in_buffer);
    Duration seek{0};
    if (!arm_moving_) {
      const Track to = geometry().address(next_).track;
      const Time from = params_.write_seek == WriteSeek::after_data && !(write_pass_valid_ && next_ == write_end_)
                            ? std::max(mechanism_from_, end)
                            : std::max(mechanism_from_, free_);
      seek = mechanics_.move(arm_, to, Access::write);
      counters_.seeks += arm_.cylinder != to.cylinder;
      arm_ = to;
      ready = std::max(from + seek, in_buffer);
      timing_.seek += seek;
    }
    if (ready == in_buffer) work_since_ = end;
    const Duration rotation = mechanics_.rotational_wait(ready + phase_, next_);
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
    return {Burst{later(end, writes_.room_at(end, burst_)), burst_}, {}};
  }
  const auto& o = params_.overheads;
  Time status = end;
  by_heads_ = false;
  switch (params_.immediate_reporting) {
    case ImmediateReporting::off: status = later(end, free_) + o.first_reselection; break;
    case ImmediateReporting::empty_only: status = later(end, earlier_on_medium_); break;
    case ImmediateReporting::empty_or_sequential:
      if (!sequential_) status = later(end, earlier_on_medium_);
      break;
    case ImmediateReporting::always: break;
  }
  status += o.write_completion;
  const Duration accounted = timing_.overhead + timing_.seek + timing_.rotation + timing_.transfer;
  timing_.wait = std::max(timing_.on_medium - timing_.received - accounted, Duration::zero());
  count(end);
  reported_ = status;
  return {{}, status};
}

Time Drive::synchronise(Time received) {
  ++counters_.synchronisations;
  const auto& o = params_.overheads;
  timing_ = {};
  timing_.received = received;
  look_back(received);
  timing_.overhead = decoding(o.write_miss_after_read, o.write_miss_after_write, o.write_miss_after_pause);
  const Time decoded = received + timing_.overhead;
  timing_.on_medium = later(decoded, writes_.all_on_medium());
  timing_.wait = timing_.on_medium - decoded;
  reported_ = timing_.on_medium + o.write_completion;
  return reported_;
}

// The work of a read is over when its data have been sent; a write's work is planned up to `free_`.
void Drive::count(Time now) {
  const Time worked = writing_ ? free_ : now;
  heads_busy_.add(worked - (timing_.seek + timing_.rotation + timing_.transfer), worked, now);

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
  set.counter(name + ".synchronisations", "commands to put all written data on the medium", "1", c.synchronisations);
  set.counter(name + ".bytes_read", "bytes asked for by reads", "B", c.bytes_read);
  set.counter(name + ".bytes_written", "bytes taken by writes", "B", c.bytes_written);
  set.counter(name + ".hits", "reads found in the buffer", "1", c.hits);
  set.counter(name + ".streamed", "reads served by the stream as the heads read on", "1", c.streamed);
  set.counter(name + ".misses", "reads that needed the heads", "1", c.misses);
  set.counter(name + ".joined", "writes that joined the pass of the write before", "1", c.joined);
  set.counter(name + ".seeks", "requests that moved the arm to another cylinder", "1", c.seeks);
  set.counter(name + ".overhead_time", "time of controller overhead", "s", c.overhead);
  set.counter(name + ".wait_time", "time for which requests waited for the heads, room or data", "s", c.wait);
  set.counter(name + ".seek_time", "heads moving to the first sector of a request", "s", c.seek);
  set.counter(name + ".rotation_time", "heads waiting for the first sector of a request", "s", c.rotation);
  set.counter(name + ".transfer_time", "heads over the sectors of requests, not counting read-ahead", "s", c.transfer);
}

void Drive::forget_from(Time t) {
  while (!activity_.empty() && activity_.back().at >= t) activity_.pop_back();
}

void Drive::note(Time at, Phase phase, std::uint32_t cylinder) {
  forget_from(at);
  activity_.push_back({at, phase, cylinder});
}

// Notes the stream's work from t on: reading the current request, reading ahead, each new cylinder, its end.
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
  note(std::max(t, stream_.when(stream_.limit())), Phase::idle,
       geometry().address(std::max<Lbn>(stream_.limit(), 1) - 1).track.cylinder);
}

}  // namespace sunstar::disk
