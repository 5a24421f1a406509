// SPDX-License-Identifier: MIT
#include "platforms/disk/array_driver.h"

#include <utility>

namespace sunstar::disk_platform {

Driver::Driver(const disk::DriveParams& params, const disk::DriveStart& start, DriverOrder order, Duration pace,
               const io::DriverParams& when_failing)
    : unit_(params, start, pace, when_failing), order_(order) {}

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
  const auto done = unit_.serve(c.write, now, c.lbn, c.sectors, [](Time, Time, Duration) {});
  under_way_ = UnderWay{c, now, done.ends, done.bus, done.status};
  if (when_sent) when_sent(*under_way_);
  if (done.status != hal::Status::ok) return done.ends;
  counts_.hits += drive().timing().hit;
  counts_.streamed += drive().timing().streamed;
  return done.ends;
}

Driver::UnderWay Driver::end() {
  const UnderWay ended = *std::exchange(under_way_, std::nullopt);
  if (ended.status != hal::Status::ok) return ended;
  counts_.add(ended.command.write, ended.command.sectors * drive().params().sector_size.count);
  (ended.command.write ? counts_.writing : counts_.reading) += ended.ends - ended.sent;
  return ended;
}

}  // namespace sunstar::disk_platform
