// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <optional>

#include "models/core/quantity.h"
#include "platforms/disk/array/params.h"
#include "platforms/disk/faulty_drive.h"

namespace sunstar::disk_platform {

/// A command to a disk, and whose it is.
struct Command {
  std::uint64_t job = 0;
  std::uint32_t step = 0;
  bool write = false;
  disk::Lbn lbn = 0;
  std::uint32_t sectors = 0;
};

/// A drive alone on its bus, and its driver: a queue, and one command at the drive.
class Driver {
 public:
  /// What is under way.
  struct UnderWay {
    Command command;
    Time sent{}, ends{};
    Duration bus{};
    hal::Status status = hal::Status::ok;
  };
  struct Counts : Told {
    std::uint64_t hits = 0, streamed = 0;
    Duration reading{}, writing{};  ///< from sending to the end
  };

  /// `pace`: time a sector takes on the bus. `when_failing` must outlive the driver.
  Driver(const disk::DriveParams& params, const disk::DriveStart& start, DriverOrder order, Duration pace,
         const io::DriverParams& when_failing);

  void queue(const Command& command) { queue_.push_back(command); }
  bool can_send() const { return !under_way_ && !queue_.empty(); }
  /// Sends the next command of the queue and says when it will have ended.
  Time send(Time now);
  /// The command under way has ended.
  UnderWay end();

  std::uint64_t commands() const { return queue_.size() + (under_way_ ? 1 : 0); }
  /// First sector of the command that was sent last.
  disk::Lbn last() const { return last_; }
  const Counts& counts() const { return counts_; }
  disk::Drive& drive() { return unit_.drive(); }
  const disk::Drive& drive() const { return unit_.drive(); }
  FaultyDrive& unit() { return unit_; }
  /// Called for each command that is sent, which tells how it will end.
  std::function<void(const UnderWay&)> when_sent;

 private:
  std::deque<Command>::iterator next();

  FaultyDrive unit_;
  DriverOrder order_;
  std::deque<Command> queue_;
  std::optional<UnderWay> under_way_;
  disk::Lbn last_ = 0;
  Counts counts_;
};

}  // namespace sunstar::disk_platform
