// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "models/core/quantity.h"
#include "platforms/disk/array/params.h"
#include "platforms/disk/faulty_drive.h"
#include "sw/io/store/redundant/copy_choice.h"
#include "sw/io/store/redundant/plan.h"

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

/// A request to the array.
struct ArrayRequest {
  Time arrives{};
  bool write = false;
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
};

/// Plays requests on an array of drives, each with a driver of its own. Nothing takes time but the drives: a command is
/// queued in the moment in which all that it waits for have ended, before the next one is sent to any disk, and
/// computing takes none. There is no kernel.
///
/// A drive that ends a command with an error has failed from then on, unless the command read sectors that cannot be
/// read: then the plan that rebuilds their unit comes first, which mends them, as long as the drive has not needed more
/// than `corrections`. A request one of whose reads has failed is planned anew when its other commands have ended.
class ArrayPlayer final : private io::redundant::DiskStates {
 public:
  /// What a request became.
  struct Outcome {
    const ArrayRequest& request;
    Time ended{};
    std::uint32_t reads = 0, writes = 0;  ///< commands to disks that were planned
    io::redundant::RowCounts rows;
    bool lost = false;  ///< more disks have failed than the array can do without; it took no time
  };
  using Ended = std::function<void(const Outcome&)>;
  /// What a command to a disk took.
  using Served = std::function<void(const Driver&, const Driver::UnderWay&)>;

  /// `when_failing` must outlive the player.
  ArrayPlayer(const ArrayParams& array, const disk::DriveParams& drive, Duration pace, std::uint64_t seed,
              const io::DriverParams& when_failing = untroubled);
  ArrayPlayer(const ArrayPlayer&) = delete;  // the planner's choice of copies asks the player
  ~ArrayPlayer();

  /// Sectors of the array.
  std::uint64_t sectors() const;
  /// Plays the requests, which must come in the order of their arrival, until all have ended.
  void play(const std::vector<ArrayRequest>& requests, const Ended& ended, const Served& served);

  std::deque<Driver>& drivers() { return drivers_; }
  std::uint64_t most_outstanding() const { return most_outstanding_; }
  std::uint64_t corrections() const { return corrected_; }
  std::uint64_t drives_failed() const { return drives_failed_; }

 private:
  static const io::DriverParams untroubled;
  struct Job;
  struct Event {
    Time at{};
    std::uint64_t number = 0;  ///< of the event: earlier ones first
    std::uint32_t disk = 0;
    bool operator<(const Event& other) const {  // the queue's top is the greatest
      return at != other.at ? at > other.at : number > other.number;
    }
  };

  std::uint64_t commands(std::uint32_t disk) const override { return drivers_[disk].commands(); }
  std::uint64_t last_sector(std::uint32_t disk) const override { return drivers_[disk].last(); }
  void arrive(const ArrayRequest& request, const Ended& ended);
  void plan(Job& job);
  bool start(std::uint64_t number, Time now, const Ended& ended);
  void command_failed(Job& job, const Driver::UnderWay& command, std::uint32_t disk);
  void all_ended(std::uint64_t number, Time now, const Ended& ended);
  void ready(Job& job, std::uint64_t number, std::uint32_t step);
  void step_ended(std::uint64_t number, std::uint32_t step, Time now, const Ended& ended);
  void send_all(Time now);

  const io::redundant::Geometry geometry_;
  io::redundant::Planner planner_;
  std::uint32_t join_gap_, corrections_;
  io::redundant::Failures failures_;
  std::vector<std::uint32_t> read_errors_;  // by disk
  std::uint64_t corrected_ = 0, drives_failed_ = 0;
  std::deque<Driver> drivers_;
  std::vector<std::uint32_t> queued_at_;  // disks whose queue has grown or whose command has ended
  std::priority_queue<Event> events_;
  std::uint64_t event_ = 0;
  std::vector<std::unique_ptr<Job>> jobs_;  // by request; null when it has ended
  std::uint64_t outstanding_ = 0, most_outstanding_ = 0;
};

/// Joins commands of a plan: those that read, or that write, on one disk with at most `gap` sectors between them become
/// one, which waits for all that they waited for. Who waited for one of them waits for all of it. What memory they use
/// is forgotten: this is for disks that hold no data.
io::redundant::Plan joined(const io::redundant::Plan& plan, std::uint32_t gap);

}  // namespace sunstar::disk_platform
