// SPDX-License-Identifier: MIT
#pragma once
#include <map>

#include "models/node/nvme_host.h"
#include "models/nvme/device.h"
#include "platforms/disk/array_player.h"
#include "platforms/disk/faulty_drive.h"

namespace sunstar::disk_platform {

/// The host of an NVMe drive: gives it commands, and resets it if it does not answer.
class NvmeCommands {
 public:
  /// A command that has ended, or was given up after the driver's limit of time.
  struct Ended {
    bool write = false;
    hal::Status status = hal::Status::ok;
    std::uint64_t lbn = 0;
    Time submitted{}, at{};
  };

  /// The drive must outlive it.
  NvmeCommands(nvme::Device& device, Duration limit) : device_(device), limit_(limit) {}

  /// Gives the drive a command at `now`, in a submission queue in turn. Call it in the order of `now`.
  Ended submit(Time now, std::uint32_t queue, bool write, std::uint64_t lbn, std::uint32_t sectors) {
    if (now >= reset_due_) {
      device_.faults().reset();
      last_reset_ = std::exchange(reset_due_, Time::max());
    }
    const nvme::DriveParams& drive = device_.drive().params();
    const std::uint64_t bytes = sectors * drive.sector_size.count;
    const nvme::Command command{queue % drive.queues, write ? nvme::Operation::write : nvme::Operation::read, lbn,
                                sectors};
    // No bytes move here: writes write zeros.
    const auto done = device_.submit(now, command);
    const bool succeeds = done && done->status == nvme::Status::success;
    if (succeeds && write)
      device_.write(now, command, *done,
                    content::Content(content::Piece{content::Source::zero, static_cast<std::uint32_t>(bytes), 0}));
    if (succeeds && !write && device_.what_is_wrong()) {
      content::Content delivered;
      device_.read(command, *done, delivered);
    }
    Ended how{write, hal::Status::no_device, lbn, now, now + limit_};
    if (done && done->at <= how.at) {
      how.at = done->at;
      how.status = node::status_of(done->status);
    }
    if (succeeds) told_.add(write, bytes);
    if (done && done->status == nvme::Status::unrecovered_read_error) told_.add(false, drive.sector_size.count);
    return how;
  }

  /// The host has seen the end of a command. If the drive has not answered it, the host resets the drive then.
  // Jobs look ahead to different times: the reset comes in its turn, and ends all earlier commands.
  void seen(const Ended& command) {
    if (command.status == hal::Status::no_device && device_.what_is_wrong() && command.submitted >= last_reset_)
      reset_due_ = std::min(reset_due_, command.at);
  }

  /// The commands given to the drive.
  const Told& told() const { return told_; }

 private:
  nvme::Device& device_;
  const Duration limit_;
  Time reset_due_ = Time::max(), last_reset_{};  // of the drive, after an unanswered command
  Told told_;
};

/// Plays requests on an NVMe drive: each stream has a submission queue, in turn if the drive has fewer. A request waits
/// in the host while the queues are full. Nothing retries.
class NvmePlayer {
 public:
  /// Both must outlive it. `limit`: how long the host waits for a command.
  NvmePlayer(nvme::Device& device, Duration limit) : device_(device), commands_(device, limit) {}

  /// Plays the requests until all have ended.
  void play(Pacer& pacer, const RequestEnded& ended) {
    const nvme::DriveParams& drive = device_.drive().params();
    const std::size_t most = std::size_t{drive.queues} * (drive.queue_depth - 1);
    Time now{};
    while (pacer.more() || !under_way_.empty()) {
      const bool full = under_way_.size() == most;
      if (under_way_.empty() || (!full && pacer.due() < under_way_.begin()->first)) {
        now = std::max(now, pacer.due());
        const Request& r = pacer.next();
        submit({{r}, r.write ? r.partial.size() : 0}, now);
        continue;
      }
      Asked asked = under_way_.extract(under_way_.begin()).mapped();
      now = std::max(now, asked.command.at);
      commands_.seen(asked.command);
      asked.outcome.lost |= asked.command.status != hal::Status::ok;
      if (asked.reads > 0 && !asked.outcome.lost) {
        --asked.reads;
        submit(asked, now);
        continue;
      }
      asked.outcome.ended = asked.command.at;
      pacer.ended(asked.outcome.request, now);
      ended(asked.outcome);
    }
  }

  /// The commands given to the drive.
  const Told& told() const { return commands_.told(); }

 private:
  /// A request under way and its present command. Of a write, the sectors that it changes in part are read before, one
  /// after the other.
  struct Asked {
    Outcome outcome;
    std::size_t reads = 0;  // still to come
    NvmeCommands::Ended command = {};
  };

  /// Submits the request, or the read of the next sector that must come before it.
  void submit(Asked asked, Time now) {
    const Request& r = asked.outcome.request;
    const bool before = asked.reads > 0, write = r.write && !before;
    asked.command = commands_.submit(now, r.stream, write, before ? r.partial[r.partial.size() - asked.reads] : r.lbn,
                                     before ? 1 : r.sectors);
    ++(write ? asked.outcome.writes : asked.outcome.reads);
    under_way_.emplace(asked.command.at, asked);
  }

  nvme::Device& device_;
  NvmeCommands commands_;
  std::multimap<Time, Asked> under_way_;  // by the ends of their commands
};

}  // namespace sunstar::disk_platform
