// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>

#include "models/disk/drive_faults.h"
#include "models/disk/medium.h"
#include "models/nvme/drive.h"

namespace sunstar::nvme {

/// How a command has ended.
struct Completion {
  Time at{};  ///< when the host finds it
  disk::SenseKey key = disk::SenseKey::none;
  std::uint64_t information = 0;  ///< the first sector in error
};

/// A drive with its content and what is wrong with it. The bytes of a write are stored when its doorbell rings, those
/// of a read are the content at that time. What it has reported as written is safe from a loss of power, as data-centre
/// drives promise; a "revolution" of its faults is the time to read a page.
class Device {
 public:
  Device(const DriveParams& params, std::uint64_t seed, std::string_view name);

  Drive& drive() { return drive_; }
  const Drive& drive() const { return drive_; }
  disk::Medium& medium() { return medium_; }
  /// What is wrong with it; made when first asked for.
  disk::DriveFaults& faults();
  /// Null if nothing is.
  disk::DriveFaults* what_is_wrong() { return faults_.get(); }

  /// A doorbell rings. Writes `data`, or appends to them what a read delivers. Without an answer the drive is dead or
  /// hangs. A command beyond the end of the drive ends with ILLEGAL REQUEST.
  std::optional<Completion> submit(Time now, const Command& command, content::Content& data);

 private:
  Drive drive_;
  disk::Medium medium_;
  std::unique_ptr<disk::DriveFaults> faults_;
};

}  // namespace sunstar::nvme
