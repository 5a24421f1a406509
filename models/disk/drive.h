// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/deque.hpp>
#include <deque>
#include <memory>

#include "models/core/statistics.h"
#include "models/disk/on_board_buffer.h"

namespace sunstar::disk {

/// A type of drive: its parameters and the tables that follow from them alone. Drives share it, so that a machine of
/// many drives builds these tables once, and its commands share their lines in the host's caches.
struct DriveType {
  /// Throws ConfigError if the parameters describe no drive.
  explicit DriveType(const DriveParams& params)
      : params(with_skews_in_sectors(validated(params, "disk"))), mechanics(this->params) {}
  const DriveParams params;  ///< with skews in sectors
  const Mechanics mechanics;
};
using SharedDriveType = std::shared_ptr<const DriveType>;

/// The types of a machine's drives, each made once.
class DriveTypes {
 public:
  /// Throws ConfigError if the parameters describe no drive.
  const SharedDriveType& of(const DriveParams& params) {
    for (const auto& [described, type] : types_)
      if (described == params) return type;
    return types_.emplace_back(params, std::make_shared<const DriveType>(params)).second;
  }

 private:
  std::deque<std::pair<DriveParams, SharedDriveType>> types_;
};

/// The state of a drive's mechanics at time 0.
struct DriveStart {
  double spindle_phase = 0;    ///< revolutions past the index mark; the fraction counts
  std::uint32_t cylinder = 0;  ///< where the arm is, over head 0
};
/// A start drawn from the run's seed and the drive's instance name.
DriveStart random_start(const DriveParams& params, std::uint64_t seed, std::string_view name);

/// The parts of one request's time. For a read that is neither in the buffer nor on its way there, the parts add up to
/// `ready` of its last burst minus `received`. For a write they add up to `on_medium` minus `received`, except where
/// data-out overlaps them.
struct RequestTiming {
  Time received{};       ///< when the command arrived
  Duration overhead{0};  ///< time of the controller
  Duration wait{0};      ///< for earlier writes, read-ahead in progress, room in the buffer, data from the host
  Duration seek{0};      ///< seek or head switch, with settling, to the first sector
  Duration rotation{0};  ///< from there until that sector is under the head
  Duration transfer{0};  ///< from there to the end of the last sector, switches between tracks included
  bool hit = false;      ///< read: entirely in the buffer when the command was decoded
  bool streamed =
      false;         ///< read: partly in the buffer or next in the stream; write: joined the pass of the write before
  Time on_medium{};  ///< write: when its last sector is on the medium
};

/// The heads' activity, for wave files.
enum class Phase : std::uint8_t { idle, seek, rotation, read, write, read_ahead };
inline constexpr std::array<std::string_view, 6> phase_names{"idle", "seek", "rotation", "read", "write", "read_ahead"};
struct Activity {
  Time at{};
  Phase phase = Phase::idle;
  std::uint32_t cylinder = 0;
};

/// One drive's mechanics and on-board buffer as a calculator of times: when a command arrives it works out its times,
/// at a host cost that does not depend on the length of the request or of read-ahead. It takes one command at a time
/// (the next may arrive after the final call for the last one), and times must never decrease. OverheadParams holds the
/// controller times. docs/models/disk.md describes the way of a read and of a write.
///
/// Source: Ruemmler and Wilkes 1994 for overheads, fences, read-ahead and immediate reporting. The points that they
/// leave open are choices in drive_params.h.
class Drive {
 public:
  /// A part of a request that crosses the bus in one piece.
  struct Burst {
    Time ready{};  ///< the earliest time at which it can cross
    std::uint32_t sectors = 0;
  };
  /// The step after a burst: another burst, or the end of the request.
  struct Next {
    std::optional<Burst> burst;  ///< more data to cross
    Time status{};               ///< without more data: when the request may be reported complete
  };

  /// Throws ConfigError if the start describes no drive.
  Drive(SharedDriveType type, const DriveStart& start);
  /// The only drive of its type. Throws ConfigError if the parameters or the start describe no drive.
  Drive(const DriveParams& params, const DriveStart& start) : Drive(std::make_shared<const DriveType>(params), start) {}

  const DriveParams& params() const { return params_; }
  const Mechanics& mechanics() const { return mechanics_; }
  const Geometry& geometry() const { return mechanics_.geometry(); }

  /// A read arrives. sectors > 0, lbn + sectors <= geometry().sectors(). Returns the first burst.
  Burst read(Time received, Lbn lbn, std::uint32_t sectors);
  Next sent(Time end);

  /// A write arrives. Returns when its first burst of data may be asked for.
  Burst write(Time received, Lbn lbn, std::uint32_t sectors);
  /// The burst is in the buffer.
  Next data_received(Time end);

  /// SYNCHRONIZE CACHE arrives. Returns when it may be reported complete: all data written before is on the medium.
  Time synchronise(Time received);

  /// When the last of the pending writes reaches the medium.
  Time idle_at() const { return writes_.all_on_medium(); }
  const RequestTiming& timing() const { return timing_; }

  /// Whether the answer to the last call depends on the heads: on when they reach the blocks, or have made room.
  bool by_heads() const { return by_heads_; }
  /// When the heads began the uninterrupted work for this answer: the call that set them to work took place then or
  /// earlier, and the work waits for no later command.
  Time work_since() const { return work_since_; }

  /// Time before `now` that the heads spent on sectors of requests: seeking, waiting for them or over them; read-ahead
  /// does not count.
  Duration heads_busy(Time now) const { return heads_busy_.until(now); }
  /// Figures under "<name>.".
  void register_statistics(StatisticSet& set, const std::string& name);

  /// From now on notes the heads' activity; off by default. The front of activity() is the earliest note; the reader
  /// pops it. A later call may replace notes whose time has not come yet.
  void note_activity() { noting_ = true; }
  boost::container::deque<Activity>& activity() { return activity_; }
  const boost::container::deque<Activity>& activity() const { return activity_; }

 private:
  struct Counters {
    std::uint64_t reads = 0, writes = 0, synchronisations = 0, hits = 0, streamed = 0, misses = 0, joined = 0,
                  seeks = 0;
    std::uint64_t bytes_read = 0, bytes_written = 0;
    double overhead = 0, wait = 0, seek = 0, rotation = 0, transfer = 0;
  };

  Lbn goal(Lbn end) const;
  /// The later of both times; notes whether it is the heads' time.
  Time later(Time otherwise, Time heads) {
    by_heads_ = heads > otherwise;
    return std::max(otherwise, heads);
  }
  /// The blocks below this one leave the buffer while the heads read on.
  Lbn drained() const { return params_.read_watermark < 1 ? std::min<Lbn>(end_, next_ + read_fence_) : 0; }
  Track track_at(Time t) const;
  void begin(Time received, Lbn lbn, std::uint32_t sectors);
  void look_back(Time received) {
    after_write_ = writing_;
    after_pause_ = received - reported_ >= params_.overheads.pause;
  }
  /// The time that decoding takes here: after a read, after a write or after a pause.
  Duration decoding(Duration after_read, Duration after_write, Duration after_pause) const {
    if (after_pause_ && after_pause > Duration{0}) return after_pause;
    return after_write_ ? after_write : after_read;
  }
  Duration read_miss() const {
    const auto& o = params_.overheads;
    return decoding(o.read_miss_after_read, o.read_miss_after_write, o.read_miss_after_pause);
  }
  Time take_mechanism(Time decoded);
  void continue_run(Lbn first);
  bool read_from_stream(Time received, Time decoded);
  void read_from_medium(Time received, std::size_t segment, Lbn pass, bool hit);
  Burst next_read_burst(Time from);
  std::uint32_t next_write_burst() const;
  Time may_write(Time end) const;
  void take_write_segment();
  void count(Time now);
  void note(Time at, Phase phase, std::uint32_t cylinder);
  void note_stream(Time t);
  void forget_from(Time t);

  SharedDriveType type_;
  const DriveParams& params_ = type_->params;
  const Mechanics& mechanics_ = type_->mechanics;
  Duration phase_;  // of the spindle: its angle at time 0
  Segments segments_;
  std::uint32_t read_fence_, write_fence_, write_buffer_;  // sectors
  std::size_t active_ = 0;  // the segment of the stream; it is empty while the stream is valid
  ReadStream stream_;
  WriteQueue writes_;

  Track arm_;                           // the heads' place when no stream holds them
  Time free_{};                         // when the heads have done all planned work, not counting read-ahead
  Lbn write_pass_ = 0, write_end_ = 0;  // blocks of the last pass of writing
  Time write_first_{};                  // when its first block was under the head
  bool write_pass_valid_ = false;

  Time work_since_{};
  bool by_heads_ = false;

  // The current request.
  Lbn lbn_ = 0, end_ = 0, next_ = 0;
  Lbn run_ = 0;  // the first block of the reads that it continues
  std::uint32_t burst_ = 0;
  bool writing_ = false;       // the request is a write
  bool after_write_ = false;   // the request before it was a write
  bool after_pause_ = false;   // and ended a while ago
  Time reported_{};            // when the last request was reported complete
  bool continues_ = false;     // a read that starts within or right behind the data of earlier reads in the buffer
  bool from_segment_ = false;  // a read with all data in a segment other than the stream's
  Duration before_data_{0};    // reselection and preparation
  bool sequential_ = false;    // a write that starts where the write before it ended
  Time earlier_on_medium_{};   // when all writes before it are on the medium
  Time arm_ready_{};           // when the heads are over its first track
  Time mechanism_from_{};      // when the heads were free for it
  bool arm_moving_ = false;

  RequestTiming timing_;
  Counters counters_;
  BusyTime heads_busy_;
  bool noting_ = false;
  boost::container::deque<Activity> activity_;
};

}  // namespace sunstar::disk
