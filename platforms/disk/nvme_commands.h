// SPDX-License-Identifier: MIT
#pragma once
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
  Ended submit(Time now, std::uint32_t queue, bool write, std::uint64_t lbn, std::uint32_t sectors);
  /// The host has seen the end of a command. If the drive has not answered it, the host resets the drive then.
  void seen(const Ended& command);
  /// The commands given to the drive.
  const Told& told() const { return told_; }

 private:
  nvme::Device& device_;
  const Duration limit_;
  Time reset_due_ = Time::max(), last_reset_{};  // of the drive, after an unanswered command
  Told told_;
};

}  // namespace sunstar::disk_platform
