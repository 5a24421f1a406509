// SPDX-License-Identifier: MIT
#pragma once
#include <functional>

#include "models/disk/direct.h"
#include "models/kernel/probe.h"
#include "platforms/disk/config.h"
#include "platforms/disk/free_node.h"
#include "platforms/disk/results.h"

namespace sunstar::disk_platform {

/// Simulated time is a count of picoseconds with 63 bits.
constexpr std::int64_t latest_s = 9'000'000;
constexpr Time latest{std::chrono::seconds{latest_s}};

/// The commands given to drives, which they must have counted.
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

/// Gives a drive the faults that strike it: observers know the drive "disk1" as machine.disk1. `struck` counts them;
/// `drive` is called only if there are any.
void add_faults(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed, const Probe& probe,
                std::uint64_t& struck, const std::function<disk::DriveFaults&()>& drive);
/// Adds the figures of lost and wrong bytes.
void note_ranges(const disk::DriveFaults& faults, FaultFigures& figures);

/// A drive alone on its bus, with its faults, as a block device of a node. Each command's time is known as soon as it
/// comes, and its end is an interrupt then.
class FaultyDrive final : public hal::BlockDevice, private hal::Callback {
 public:
  /// A command and what it takes.
  struct Command {
    bool write = false;
    disk::Lbn lbn = 0;
    std::uint32_t sectors = 0;
    Time sent{}, ends{};  ///< if it does not end: when its driver gives it up
    Duration bus{};
    hal::Status status = hal::Status::ok;
  };
  /// The successful commands.
  struct Counts : Told {
    Duration reading{}, writing{};  ///< from sending to the end
  };

  /// The node's next device. `pace`: time a sector takes on the bus. `limit`: how long its driver waits for a command.
  FaultyDrive(FreeNode& node, const disk::DriveParams& params, const disk::DriveStart& start, Duration pace,
              Duration limit)
      : node_(node), drive_(params, start), pace_(pace), limit_(limit) {
    node.add(*this);
  }

  disk::Drive& drive() { return drive_; }
  const disk::Drive& drive() const { return drive_; }
  /// Gives it the faults that strike it: observers know the drive "disk1" as machine.disk1. Call it once.
  void add(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed, const Probe& probe);

  /// Carries a command out at once, without a node. Call it in the order of `now`, after the end of the last one.
  template <class Answered>
  disk::Completion complete(bool write, Time now, disk::Lbn lbn, std::uint32_t sectors, Answered&& answered) {
    return disk::complete(drive_, write, now, lbn, sectors, pace_, answered, faults_.get(), now + limit_);
  }

  /// The commands given to it on a node, and its time on the bus.
  const Told& told() const { return told_; }
  Duration bus() const { return bus_; }
  const Counts& counts() const { return counts_; }
  /// Called for each command that is sent, and for each that has ended.
  std::function<void(const Command&)> when_sent, when_ended;
  /// Adds the effects of its faults so far.
  void add_figures(Time now, FaultFigures& figures);

  // hal::BlockDevice
  void submit(hal::BlockCommand& command) override;
  std::uint64_t sectors() const override { return drive_.geometry().sectors(); }
  std::uint32_t sector_bytes() const override { return static_cast<std::uint32_t>(drive_.params().sector_size.count); }
  bool reports_early() const override { return drive_.params().immediate_reporting != disk::ImmediateReporting::off; }

 private:
  /// Of an abort or a reset.
  struct HelpEnd final : hal::Callback {
    explicit HelpEnd(FaultyDrive& d) : drive(d) {}
    void run() override { drive.node_.block_done(*std::exchange(command, nullptr)); }
    FaultyDrive& drive;
    hal::BlockCommand* command = nullptr;
  };
  void run() override;  // the command's end
  void help(hal::BlockCommand& remedy);
  void note(const disk::Completion& how);

  FreeNode& node_;
  disk::Drive drive_;
  const Duration pace_, limit_;
  std::unique_ptr<disk::Medium> medium_;  // both only with faults
  std::unique_ptr<disk::DriveFaults> faults_;
  hal::BlockCommand* under_way_ = nullptr;
  Command command_;
  bool powered_on_ = false;
  HelpEnd help_end_{*this};
  Told told_;
  Duration bus_{};
  Counts counts_;
  std::uint64_t struck_ = 0;
};

}  // namespace sunstar::disk_platform
