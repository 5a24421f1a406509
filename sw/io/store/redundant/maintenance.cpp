// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/maintenance.h"

#include "sw/io/store/redundant/server.h"

namespace sunstar::io::redundant {

Maintenance::Maintenance(os::Os& os, Array& array, StaleUnits& stale, Counts& counts, Server& server)
    : os_(os),
      array_(array),
      stale_(stale),
      counts_(counts),
      server_(server),
      given_up_(array.geometry().disks(), false),
      failed_(os, "a drive to fail"),
      mended_(os, "what a drive may have lost to be made anew") {}

void Maintenance::start() {
  const Common& params = array_.params();
  if (params.spares > 0 && params.rebuild != Rebuild::off)
    os_.spawn(rebuild_failed(), "rebuild", {.daemon = !params.finish_rebuild});
  if (params.scrub_period > Duration{} && array_.geometry().checks() > 0) os_.spawn(scrub(), "scrub", {.daemon = true});
}

os::Task<> Maintenance::rebuild_failed() {
  for (;;) {
    std::uint32_t disk = 0;
    const std::uint32_t disks = array_.geometry().disks();
    while (disk < disks && (!array_.failures().failed[disk] || given_up_[disk])) ++disk;
    if (disk == disks || !array_.use_spare(disk)) {
      co_await failed_.wait();
      continue;
    }
    rebuilding_ = true;
    co_await rebuild(disk);
    rebuilding_ = false;
  }
}

os::Task<> Maintenance::rebuild(std::uint32_t disk) {
  const Geometry& g = array_.geometry();
  const std::uint32_t failed_times = server_.failed_times(disk);
  const Time begun = os_.now();
  Throttle throttle(array_.params().rebuild_least, array_.params().rebuild_most, begun);
  ++counts_.rebuilds;
  server_.spare_in_place(disk);
  std::uint64_t bytes = 0;
  for (std::uint64_t sector = 0; sector + g.unit_sectors() <= array_.disk_sectors(); sector += g.unit_sectors()) {
    const auto unit = g.member_at(disk, sector);
    if (!unit || unit->row >= array_.rows()) continue;
    co_await pause(throttle, bytes, array_.params().finish_rebuild);
    AwaitedRequest row(os_);
    server_.work_on(*unit, Purpose::rebuild, row, failed_times);
    const hal::Status status = co_await row.end();
    if (server_.failed_times(disk) != failed_times) co_return;  // the spare has failed, too
    if (status != hal::Status::ok) {
      given_up_[disk] = true;
      co_return;
    }
    bytes += array_.unit_bytes();
  }
  array_.rebuilt_all(disk);
  ++counts_.rebuilds_complete;
  counts_.rebuilding = std::max(counts_.rebuilding, os_.now() - begun);
}

// Waits until the work may go on with the next row; forever if the run is over and does not wait for this work.
os::Task<> Maintenance::pause(Throttle& throttle, std::uint64_t bytes, bool finish) {
  for (;;) {
    const std::uint64_t seen = server_.requests_seen();
    const bool idle = server_.idle() && seen == seen_;
    seen_ = seen;
    if (os_.retired() && !finish) co_await failed_.wait();
    else if (throttle.holds(os_.now(), bytes, idle)) co_await os_.sleep_until(os_.now() + Throttle::pause);
    else co_return;
  }
}

void Maintenance::look_for_stale() {
  if (stale_.any() && !std::exchange(mending_, true)) os_.spawn(mend(), "mend");
}

// Makes stale units anew, and the checks of rows with too many of them.
os::Task<> Maintenance::mend() {
  while (stale_.any()) {
    AwaitedRequest row(os_);
    const auto unit = stale_.take_unit();
    if (unit) server_.work_on(*unit, Purpose::mend, row, 0);
    else server_.work_on({stale_.row_without_checks(), 0}, Purpose::resync, row, 0);
    co_await row.end();
    if (!unit) stale_.row_done();
  }
  mending_ = false;
  mended_.wake_all();
}

os::Task<> Maintenance::mended() {
  while (mending_) co_await mended_.wait();
}

os::Task<> Maintenance::scrub() {
  const Duration period = array_.params().scrub_period;
  for (Time begin = os_.now() + period;; begin = std::max(begin + period, os_.now())) {
    co_await os_.sleep_until(begin);
    Throttle throttle(array_.params().rebuild_least, array_.params().rebuild_most, os_.now());
    std::uint64_t bytes = 0;
    for (std::uint64_t number = 0; number < array_.rows(); ++number) {
      while (rebuilding_) co_await os_.sleep_until(os_.now() + Throttle::pause);
      co_await pause(throttle, bytes, false);
      AwaitedRequest row(os_);
      server_.work_on({number, 0}, Purpose::scrub, row, 0);
      co_await row.end();
      bytes += array_.unit_bytes();
    }
  }
}

}  // namespace sunstar::io::redundant
