// SPDX-License-Identifier: MIT
#include "sw/io/store/disk_driver.h"

#include <deque>

#include "models/core/error.h"

namespace sunstar::io {

DiskDriver::DiskDriver(os::Os& os, hal::BlockDevice& device, QueueOrder order)
    : os_(os),
      device_(device),
      order_(order),
      work_(os, "a disk request"),
      completion_(os, "the end of a disk command"),
      drained_(os, "a disk to become idle") {
  os.spawn(thread(), "disk", {.urgent = true, .daemon = true});
}

void DiskDriver::submit(DiskRequest& request) {
  const os::Counted<os::Cost::disk_request> mark;
  request.joins(sweep_ + 1);
  if (!os::counting) {
    note_queued(request);
    request.request = os_.request();
  }
  queue_.push_back(request);
  work_.wake_one();
}

os::Task<> DiskDriver::thread() {
  for (;;) {
    while (queue_.empty()) {
      drained_.wake_all();
      co_await work_.wait();
    }
    os::counted_from_here<os::Cost::disk_request>();
    const auto next = order_(queue_, position_);
    DiskRequest& request = *next;
    queue_.erase(next);
    current_ = &request;
    if (!os::counting) note_served(request);
    sweep_ = request.sweep();
    os_.serve(request.request);
    os_.charge(os::Cost::disk_request);
    co_await os_.settle();
    os::counted_from_here<os::Cost::disk_request>();
    request.served_by(*this);
    os_.submit(device_, request);
    if (!request.synchronise) position_ = request.sector + request.sectors;
    while (current_) co_await completion_.wait();
  }
}

void FileSystemRequest::finished(hal::Status status) {
  if (status == hal::Status::ok) return done();
  throw SimulationError("unit " + std::to_string(unit) + " of an I/O processor's store could not " +
                        (write ? "write " : "read ") + std::to_string(sectors) + " sectors from sector " +
                        std::to_string(sector) + " on, and no file system can answer that");
}

void DiskRequest::ended() { driver_->ended(*this); }

void DiskDriver::ended(DiskRequest& request) {
  const os::Counted<os::Cost::disk_request> mark;
  current_ = nullptr;
  if (request.synchronise) written_since_ = false;
  else ++(request.write ? writes_ : reads_);
  if (request.write) written_since_ = true;
  last_completion_ = os_.now();
  request.finished(request.status);
  completion_.wake_one();
}

os::Task<> DiskDriver::drain() {
  while (!idle()) co_await drained_.wait();
}

DiskDrivers::DiskDrivers(os::Os& os, const std::string& order) : os_(os) {
  for (std::uint32_t d = 0; d < os.node().block_devices(); ++d)
    drivers_.push_back(std::make_unique<DiskDriver>(os, os.node().block_device(d), queue_order(order)));
}

os::Task<> DiskDrivers::synchronise() {
  for (auto& driver : drivers_) co_await driver->drain();
  std::deque<AwaitedRequest> requests;  // the disks work at the same time
  for (std::uint32_t disk = 0; disk < units(); ++disk) {
    if (!drivers_[disk]->to_synchronise()) continue;
    AwaitedRequest& request = requests.emplace_back(os_);
    request.unit = disk;
    request.synchronise = true;
    request.begin(*this);
  }
  for (AwaitedRequest& request : requests) co_await request.end();
}

}  // namespace sunstar::io
