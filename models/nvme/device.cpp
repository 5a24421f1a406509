// SPDX-License-Identifier: MIT
#include "models/nvme/device.h"

namespace sunstar::nvme {
namespace {

Status status_of(disk::SenseKey key) {
  switch (key) {
    case disk::SenseKey::none: return Status::success;
    case disk::SenseKey::medium_error: return Status::unrecovered_read_error;
    case disk::SenseKey::not_ready: return Status::namespace_not_ready;
    default: return Status::aborted;
  }
}

}  // namespace

Device::Device(const DriveParams& params, std::uint64_t seed, const std::string& name)
    : StorageDevice(name, params.sectors(), params.sector_size.count), drive_(params, seed, name) {}

std::uint32_t Device::sectors_per_track() const {
  const DriveParams& p = drive_.params();
  return static_cast<std::uint32_t>(p.dies * (p.page_size.count / p.sector_size.count));
}

std::optional<Course> Device::submit(Time now, const Command& command, std::optional<Time> there) {
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

void Device::write(Time now, const Command& command, const Course& course, const content::Content& data) {
  const std::uint64_t offset = command.lbn * sector_size();
  if (!faults_) return medium_.write(offset, data);
  faults_->store(now, course.faults, offset, data);
  faults_->stored_until(now, course.at);
}

void Device::read(const Command& command, const Course& course, content::Content& to) const {
  const std::uint64_t offset = command.lbn * sector_size();
  content::Content read;
  medium_.read(offset, command.sectors * sector_size(), read);
  to.append(faults_ ? faults_->deliver(course.faults, offset, read) : read);
}

}  // namespace sunstar::nvme
