// SPDX-License-Identifier: MIT
#pragma once
#include "models/disk/storage_device.h"
#include "models/nvme/drive.h"

namespace sunstar::nvme {

/// How a command has ended: type and code of the status field of its completion (NVM Express 1.4, 4.6.1).
enum class Status : std::uint16_t {
  success = 0x000,
  aborted_power_loss = 0x005,  ///< Commands Aborted due to Power Loss Notification
  aborted = 0x007,             ///< Command Abort Requested, or ended by a reset
  lba_out_of_range = 0x080,
  namespace_not_ready = 0x082,
  unrecovered_read_error = 0x281,
  host_path_error = 0x370  ///< set by the host for a drive that is gone
};

constexpr std::string_view name_of(Status status) {
  switch (status) {
    case Status::success: return "success";
    case Status::aborted_power_loss: return "aborted by a loss of power";
    case Status::aborted: return "aborted";
    case Status::lba_out_of_range: return "block out of range";
    case Status::namespace_not_ready: return "not ready";
    case Status::unrecovered_read_error: return "unrecovered read error";
    case Status::host_path_error: return "the drive is gone";
  }
  return "";
}

/// The course of a command.
struct Course {
  Time at{};  ///< when the host finds its completion
  Status status = Status::success;
  std::uint64_t information = 0;  ///< the first sector in error
  Timing timing{};                ///< if the command succeeds
  disk::DriveFaults::Outcome faults{};
};

inline Status status_of(disk::SenseKey key) {
  switch (key) {
    case disk::SenseKey::none: return Status::success;
    case disk::SenseKey::medium_error: return Status::unrecovered_read_error;
    case disk::SenseKey::not_ready: return Status::namespace_not_ready;
    default: return Status::aborted;
  }
}

/// A drive with its content and its faults. Data that it has reported as written are safe from a loss of power, as
/// data-centre drives promise; a "revolution" of its faults is the time to read a page.
class Device final : public disk::StorageDevice {
 public:
  Device(const DriveParams& params, std::uint64_t seed, const std::string& name)
      : StorageDevice(name, params.sectors(), params.sector_size.count), drive_(params, seed, name) {}

  Drive& drive() { return drive_; }
  const Drive& drive() const { return drive_; }
  const std::string& type() const override { return drive_.params().name; }

  /// A row of pages, one on each die.
  std::uint32_t sectors_per_track() const override {
    const DriveParams& p = drive_.params();
    return static_cast<std::uint32_t>(p.dies * (p.page_size.count / p.sector_size.count));
  }

  bool reports_early() const override { return false; }

  /// A doorbell rings. Without an answer the drive is dead or hangs. A command beyond the end of the drive ends with
  /// Status::lba_out_of_range. `there`: when its entry was at the controller, if known from Drive::fetch.
  std::optional<Course> submit(Time now, const Command& command, std::optional<Time> there = {}) {
    const DriveParams& params = drive_.params();
    Course course;
    course.at = now + params.latency;
    course.information = command.lbn;
    if (command.lbn > sectors() || command.sectors > sectors() - command.lbn) {
      course.status = Status::lba_out_of_range;
      return course;
    }
    const auto carry_out = [&](const Command& c) {
      return drive_.submit(now, c, there ? *there : drive_.fetch(now, c.queue));
    };
    const bool write = command.operation == Operation::write, moves = command.operation != Operation::flush;
    if (faults_) {
      if (faults_->silent(now)) return std::nullopt;
      course.faults = faults_->command(now, write, moves, command.lbn, command.sectors, params.read_time);
      if (faults_->silent(now)) return std::nullopt;
      course.status = status_of(course.faults.key);
      course.information = course.faults.information;
    }
    if (course.status == Status::success) {
      course.at = carry_out(command);
      course.timing = drive_.timing();
    } else if (course.status == Status::unrecovered_read_error) {
      course.at = carry_out({command.queue, Operation::read, course.information, 1});
    }
    const auto delayed = [&](Time t) {
      return now + picoseconds(static_cast<double>((t - now).count()) * course.faults.slower) + course.faults.later;
    };
    if (faults_) {
      for (Time* t : {&course.timing.decoded, &course.timing.medium, &course.timing.crossed}) *t = delayed(*t);
      course.at = delayed(course.at);
    }
    return course;
  }

  /// Stores the data of a successful write, which are in the buffer.
  void write(Time now, const Command& command, const Course& course, const content::Content& data) {
    const std::uint64_t offset = command.lbn * sector_size();
    if (!faults_) return medium_.write(offset, data);
    faults_->store(now, course.faults, offset, data);
    faults_->stored_until(course.at, course.at);
  }

  /// Appends the data that a successful read delivers.
  void read(const Command& command, const Course& course, content::Content& to) const {
    const std::uint64_t offset = command.lbn * sector_size();
    content::Content read;
    medium_.read(offset, command.sectors * sector_size(), read);
    to.append(faults_ ? faults_->deliver(course.faults, offset, read) : read);
  }

 private:
  Drive drive_;
};

/// An entry of a submission queue, with its completion. It stays with the controller until Host::completed().
struct Entry {
  /// A command, or the host's help for a command that does not end.
  enum class What : std::uint8_t { command, abort, reset };
  What what = What::command;
  Command command;
  std::uint64_t address = 0;  ///< place of its data in the host's memory
  std::uint64_t number = 0;   ///< the host counts from 1; places are used again
  std::uint64_t aborts = 0;   ///< of an abort: the command's number
  std::uint32_t request = 0;  ///< for observers
  // Set by the controller.
  Time submitted{};
  Status status = Status::success;
  std::uint64_t information = 0;  ///< the first sector in error
  Time on_medium{};               ///< of a write: when all data that the drive has begun to program are on the dies
};

/// The host that a controller interrupts (MSI-X). It may ring doorbells then.
class Host {
 public:
  virtual void completed(Entry& entry) = 0;

 protected:
  ~Host() = default;
};

}  // namespace sunstar::nvme
