// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/error.h"
#include "models/disk/direct.h"
#include "models/kernel/probe.h"
#include "platforms/disk/config.h"
#include "platforms/disk/results.h"
#include "sw/io/store/retries.h"

namespace sunstar::disk_platform {

/// Simulated time is a count of picoseconds with 63 bits.
constexpr std::int64_t latest_s = 9'000'000;
constexpr Time latest{std::chrono::seconds{latest_s}};

/// What drives have been told to do, which is what they must have counted.
struct Told {
  std::uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;
  void add(bool write, std::uint64_t bytes) {
    ++(write ? writes : reads);
    (write ? bytes_written : bytes_read) += bytes;
  }
  Told& operator+=(const Told& other) {
    reads += other.reads;
    writes += other.writes;
    bytes_read += other.bytes_read;
    bytes_written += other.bytes_written;
    return *this;
  }
  bool operator==(const Told&) const = default;
};
/// What the drives have counted.
Told counted(const StatisticSet& statistics);

/// Gives a drive those of the faults that strike it: the drive "disk1" is machine.disk1 to whoever watches. `struck`
/// counts, and `drive` gives where they go; it is asked only if there are any.
void add_faults(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed, const Probe& probe,
                std::uint64_t& struck, const std::function<disk::DriveFaults&()>& drive);
/// Sets the figures of bytes that were lost, or are wrong.
void note_ranges(const disk::DriveFaults& faults, FaultFigures& figures);

/// A drive alone on its bus, with its faults, and a driver without a processor that answers them as the firmware's does
/// (sw/io/store/disk_driver.h): it tries again, aborts, resets, and gives the drive up in the end.
class FaultyDrive {
 public:
  struct Done {
    Time ends{};
    Duration bus{0};
    hal::Status status = hal::Status::ok;
  };
  /// `pace`: time a sector takes on the bus. The parameters of the driver must outlive it.
  FaultyDrive(const disk::DriveParams& params, const disk::DriveStart& start, Duration pace,
              const io::DriverParams& driver)
      : drive_(params, start), pace_(pace), params_(driver), retries_(driver) {}

  disk::Drive& drive() { return drive_; }
  const disk::Drive& drive() const { return drive_; }
  /// Gives it those of the faults that strike it: the drive "disk1" is machine.disk1 to whoever watches. Call it once.
  void add(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed, const Probe& probe);

  /// Carries a request out, however often it takes. Call it in the order of `now`, after the end of the last one.
  /// Throws SimulationError if it would go beyond the latest time.
  template <class Answered>
  Done serve(bool write, Time now, disk::Lbn lbn, std::uint32_t sectors, Answered&& answered) {
    if (!faults_) {
      const auto done = disk::complete(drive_, write, now, lbn, sectors, pace_, answered);
      return {done.status, done.bus};
    }
    retries_.begin();
    for (Done all{now};;) {
      if (offline_) return given_up(all, hal::Status::no_device);
      const Time deadline = all.ends + params_.timeout;
      const auto one = disk::complete(drive_, write, all.ends, lbn, sectors, pace_, answered, &*faults_, deadline);
      all.bus += one.bus;
      all.status = note(one, write, sectors, all.ends);
      if (all.ends > latest) throw SimulationError(too_late);
      if (all.status == hal::Status::ok) return all;
      if (retries_.final(all.status, all.ends)) return given_up(all, all.status);
      if (all.status == hal::Status::not_ready) all.ends += params_.ready_poll;
      ++figures_.retries;
    }
  }

  const Told& told() const { return told_; }
  /// What its faults have done until now, and its driver about them.
  FaultFigures figures(Time now);

 private:
  static const std::string too_late;
  Done given_up(const Done& so_far, hal::Status status);
  hal::Status note(const disk::Completion& one, bool write, std::uint32_t sectors, Time& ended);

  disk::Drive drive_;
  const Duration pace_;
  const io::DriverParams& params_;
  io::Retries retries_;
  std::unique_ptr<disk::Medium> medium_;  // both only with faults
  std::unique_ptr<disk::DriveFaults> faults_;
  bool offline_ = false;
  Told told_;
  FaultFigures figures_;
};

}  // namespace sunstar::disk_platform
