// SPDX-License-Identifier: MIT
#include "sw/io/store/disk_driver.h"

#include <array>
#include <deque>

#include "models/core/error.h"

namespace sunstar::io {

DiskDriver::DiskDriver(os::Os& os, hal::BlockDevice& device, QueueOrder order, const DriverParams& params)
    : os_(os),
      device_(device),
      order_(order),
      work_(os, "a disk request"),
      completion_(os, "the end of a disk command"),
      drained_(os, "a disk to become idle"),
      params_(params),
      overdue_(os, [this] { completion_.wake_one(); }),
      retries_(params) {
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
    retries_.begin();
    if (offline_) [[unlikely]] {
      request.status = hal::Status::no_device;
      ended(request);
      continue;
    }
    start(request);
    while (current_) {
      co_await completion_.wait();
      if (current_) [[unlikely]]
        co_await recover(request);
    }
  }
}

void DiskDriver::start(DiskRequest& request) {
  device_has_it_ = true;
  request.powered_on = false;
  os_.submit(device_, request);
  if (!request.synchronise) position_ = request.sector + request.sectors;
  overdue_.set(os_.now() + params_.timeout);
}

// The current command has failed and is to be tried again, or it is overdue.
os::Task<> DiskDriver::recover(DiskRequest& request) {
  if (device_has_it_) {
    if (os_.now() < overdue_.due() && overdue_.due() != Time::max()) co_return;
    co_await help();
    if (!current_) co_return;
    if (device_has_it_) {
      overdue_.set(os_.now() + params_.timeout);
      co_return;
    }
  }
  if (request.status == hal::Status::not_ready) co_await os_.sleep_until(os_.now() + params_.ready_poll);
  ++troubles_.retries;
  start(request);
}

// Aborts the command, then resets the device, then the bus, until the command has ended.
os::Task<> DiskDriver::help() {
  using hal::Help;
  static constexpr std::array remedies{Help::abort, Help::device_reset, Help::bus_reset};
  for (const Help remedy : remedies) {
    if (!device_has_it_) break;
    Remedy& r = *remedies_.emplace_back(std::make_unique<Remedy>());
    r.driver = this;
    r.help = remedy;
    r.under_way = true;
    ++(remedy == Help::abort ? troubles_.aborts : troubles_.resets);
    os_.submit(device_, r);
    const Time limit = os_.now() + params_.help_timeout;
    overdue_.set(limit);
    while (r.under_way && os_.now() < limit) co_await completion_.wait();
    if (remedy != Help::abort && !r.under_way) co_await os_.sleep_until(os_.now() + params_.reset_settle);
  }
  overdue_.cancel();
}

void DiskRequest::ended() { driver_->ended(*this); }

void DiskDriver::ended(DiskRequest& request) {
  const os::Counted<os::Cost::disk_request> mark;
  device_has_it_ = false;
  if (request.status != hal::Status::ok) [[unlikely]] {
    if (request.status == hal::Status::refused)
      throw SimulationError("a disk of an I/O processor has refused a command for " + std::to_string(request.sectors) +
                            " sectors from sector " + std::to_string(request.sector) + " on");
    if (request.powered_on) lost_ += std::exchange(reported_, {});
    if (!offline_) ++troubles_.errors;
    if (!offline_ && !retries_.final(request.status, os_.now())) {
      completion_.wake_one();
      return;
    }
    ++troubles_.lost;
    offline_ |= request.status == hal::Status::no_device || request.status == hal::Status::interrupted;
    overdue_.cancel();
    current_ = nullptr;
    if (!request.in_background) last_completion_ = os_.now();
    if (request.synchronise) written_since_ = false;
    request.finished(request.status == hal::Status::interrupted ? hal::Status::no_device : request.status);
    completion_.wake_one();
    return;
  }
  overdue_.cancel();
  current_ = nullptr;
  if (request.synchronise) written_since_ = false;
  else ++(request.write ? writes_ : reads_);
  if (request.write) written_since_ = true;
  if (os_.things_fail()) [[unlikely]] {
    if (request.synchronise) reported_.clear();
    else if (request.write && device_.reports_early())
      reported_ += boost::icl::interval<std::uint64_t>::right_open(request.sector, request.sector + request.sectors);
  }
  if (!request.in_background) last_completion_ = os_.now();
  if (when_ended) [[unlikely]]
    when_ended(request);
  request.finished(hal::Status::ok);
  completion_.wake_one();
}

os::Task<> DiskDriver::drain() {
  while (!idle()) co_await drained_.wait();
}

DiskDrivers::DiskDrivers(os::Os& os, const std::string& order, const DriverParams& params) : os_(os), params_(params) {
  for (std::uint32_t d = 0; d < os.node().block_devices(); ++d)
    drivers_.push_back(std::make_unique<DiskDriver>(os, os.node().block_device(d), queue_order(order), params_));
}

os::Task<hal::Status> DiskDrivers::synchronise() {
  for (auto& driver : drivers_) co_await driver->drain();
  std::deque<AwaitedRequest> requests;  // the disks work at the same time
  for (std::uint32_t disk = 0; disk < units(); ++disk) {
    if (!drivers_[disk]->to_synchronise()) continue;
    AwaitedRequest& request = requests.emplace_back(os_);
    request.unit = disk;
    request.synchronise = true;
    request.begin(*this);
  }
  hal::Status worst = hal::Status::ok;
  for (AwaitedRequest& request : requests) {
    const hal::Status status = co_await request.end();
    if (status != hal::Status::ok) worst = status;
  }
  for (const auto& driver : drivers_)
    if (!driver->lost().empty() && worst == hal::Status::ok) worst = hal::Status::not_ready;
  co_return worst;
}

os::Task<std::vector<LostWrite>> DiskDrivers::take_lost_writes() {
  std::vector<LostWrite> all;
  for (std::uint32_t disk = 0; disk < units(); ++disk)
    for (const auto& range : drivers_[disk]->take_lost())
      all.push_back({disk, range.lower(), range.upper() - range.lower()});
  co_return all;
}

}  // namespace sunstar::io
