// SPDX-License-Identifier: MIT
#pragma once
#include "models/disk/drive_faults.h"

namespace sunstar::disk {

/// A drive of any technology as seen by the setup and the verification of a run: its content and its faults.
class StorageDevice {
 public:
  StorageDevice(std::string instance, std::uint64_t sectors, std::uint64_t sector_size)
      : instance_(std::move(instance)),
        sector_size_(static_cast<std::uint32_t>(sector_size)),
        medium_(sectors * sector_size) {}
  virtual ~StorageDevice() = default;

  /// Its full instance name.
  const std::string& instance() const { return instance_; }
  /// Bytes in a sector, and the number of sectors.
  std::uint32_t sector_size() const { return sector_size_; }
  std::uint64_t sectors() const { return medium_.capacity() / sector_size_; }
  /// The back door through which a run is set up before it starts and checked after it.
  Medium& medium() { return medium_; }
  /// The faults of the drive; created at the first call.
  DriveFaults& faults() {
    if (!faults_) faults_ = std::make_unique<DriveFaults>(medium_, sector_size_);
    return *faults_;
  }
  /// The faults, or null without any.
  const DriveFaults* what_is_wrong() const { return faults_.get(); }

  virtual const std::string& type() const = 0;
  /// Consecutive sectors: a track, or its equivalent on a drive without tracks.
  virtual std::uint32_t sectors_per_track() const = 0;
  /// Whether it reports writes that a loss of power can still undo.
  virtual bool reports_early() const = 0;

 private:
  std::string instance_;
  std::uint32_t sector_size_;

 protected:
  Medium medium_;
  std::unique_ptr<DriveFaults> faults_;
};

}  // namespace sunstar::disk
