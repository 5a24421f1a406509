// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/disk/storage_device.h"
#include "models/nvme/drive.h"
#include "models/nvme/status.h"

namespace sunstar::nvme {

/// The course of a command.
struct Course {
  Time at{};  ///< when the host finds its completion
  Status status = Status::success;
  std::uint64_t information = 0;  ///< the first sector in error
  Timing timing{};                ///< if the command succeeds
  disk::DriveFaults::Outcome faults{};
};

/// A drive with its content and its faults. Data that it has reported as written are safe from a loss of power, as
/// data-centre drives promise; a "revolution" of its faults is the time to read a page.
class Device final : public disk::StorageDevice {
 public:
  Device(const DriveParams& params, std::uint64_t seed, const std::string& name);

  Drive& drive() { return drive_; }
  const Drive& drive() const { return drive_; }
  const std::string& type() const override { return drive_.params().name; }
  /// A row of pages, one on each die.
  std::uint32_t sectors_per_track() const override;
  bool reports_early() const override { return false; }

  /// A doorbell rings. Without an answer the drive is dead or hangs. A command beyond the end of the drive ends with
  /// Status::lba_out_of_range. `there`: when its entry was at the controller, if known from Drive::fetch.
  std::optional<Course> submit(Time now, const Command& command, std::optional<Time> there = {});
  /// Stores the data of a successful write, which are in the buffer.
  void write(Time now, const Command& command, const Course& course, const content::Content& data);
  /// Appends the data that a successful read delivers.
  void read(const Command& command, const Course& course, content::Content& to) const;

 private:
  Drive drive_;
};

}  // namespace sunstar::nvme
