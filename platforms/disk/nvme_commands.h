// SPDX-License-Identifier: MIT
#pragma once
#include "models/node/nvme_host.h"
#include "models/nvme/device.h"
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

}  // namespace sunstar::disk_platform
