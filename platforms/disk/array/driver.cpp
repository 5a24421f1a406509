// SPDX-License-Identifier: MIT
#include "platforms/disk/array/driver.h"

#include <utility>

#include "models/disk/direct.h"

namespace sunstar::disk_platform {

Driver::Driver(const disk::DriveParams& params, const disk::DriveStart& start, DriverOrder order, Duration pace)
    : drive_(params, start), order_(order), pace_(pace) {}

std::deque<Command>::iterator Driver::next() {
  if (order_ == DriverOrder::first_come_first_served) return queue_.begin();
  auto above = queue_.end(), lowest = queue_.begin();
  for (auto i = queue_.begin(); i != queue_.end(); ++i) {
    if (i->lbn >= last_ && (above == queue_.end() || i->lbn < above->lbn)) above = i;
    if (i->lbn < lowest->lbn) lowest = i;
  }
  return above != queue_.end() ? above : lowest;
}

Time Driver::send(Time now) {
  const auto chosen = next();
  const Command c = *chosen;
  queue_.erase(chosen);
  last_ = c.lbn;
  const auto done = disk::complete(drive_, c.write, now, c.lbn, c.sectors, pace_);
  under_way_ = UnderWay{c, now, done.status, done.bus};
  counts_.hits += drive_.timing().hit;
  counts_.streamed += drive_.timing().streamed;
  return done.status;
}

Driver::UnderWay Driver::end() {
  const UnderWay ended = *std::exchange(under_way_, std::nullopt);
  const std::uint64_t bytes = ended.command.sectors * drive_.params().sector_size.count;
  ++(ended.command.write ? counts_.writes : counts_.reads);
  (ended.command.write ? counts_.bytes_written : counts_.bytes_read) += bytes;
  (ended.command.write ? counts_.writing : counts_.reading) += ended.ends - ended.sent;
  return ended;
}

}  // namespace sunstar::disk_platform
