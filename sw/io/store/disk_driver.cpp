// SPDX-License-Identifier: MIT
#include "sw/io/store/disk_driver.h"

namespace sunstar::io {

DiskTag::DiskTag(DiskDriver& d)
    : driver(d),
      completion(d.os_, "the end of a disk command"),
      overdue(d.os_, [this] { completion.wake_one(); }),
      retries(d.params_) {}

DiskDriver::DiskDriver(os::Os& os, hal::BlockDevice& device, QueueOrder order, const DriverParams& params)
    : os_(os),
      device_(device),
      order_(order),
      work_(os, "a disk request"),
      drained_(os, "a disk to become idle"),
      helped_(os, "the end of what is done about a disk"),
      params_(params) {
  add_tag();
}

void DiskDriver::add_tag() {
  DiskTag& tag = tags_.emplace_back(*this);
  os_.spawn(thread(tag), "disk", {.urgent = true, .daemon = true});
}

void DiskDriver::submit(DiskRequest& request) {
  const os::Counted<os::Cost::disk_request> mark;
  using enum QueueOrder::Needs;
  const bool apart = order_.needs == writes_apart;
  request.arrival = ++arrivals_;
  request.lot = order_.needs == sweeps ? sweep_ + 1 : apart && request.write;
  if (!os::counting) {
    if (times_ || apart) request.queued = os_.now();
    request.request = os_.request();
  }
  queue_.by_arrival[apart && request.write].push_back(request);
  if (order_.needs != nothing) queue_.by_sector.insert(request);
  if (work_.empty() && tags_.size() < device_.depth()) add_tag();
  else work_.wake_one();
}

DiskRequest& DiskDriver::take() {
  const bool apart = order_.needs == QueueOrder::Needs::writes_apart;
  if (apart) position_.now = os_.now();
  DiskRequest& next = order_.next(queue_, position_);
  auto& list = queue_.by_arrival[apart && next.write];
  list.erase(list.iterator_to(next));
  if (order_.needs != QueueOrder::Needs::nothing) queue_.by_sector.erase(queue_.by_sector.iterator_to(next));
  return next;
}

os::Task<> DiskDriver::thread(DiskTag& tag) {
  for (;;) {
    while (queue_.empty()) {
      if (under_way_ == 0) drained_.wake_all();
      co_await work_.wait();
    }
    os::counted_from_here<os::Cost::disk_request>();
    DiskRequest& request = take();
    tag.current = &request;
    tag.writes_before = writes_;
    ++under_way_;
    if (!os::counting && times_) times_->add(os_.now() - request.queued);
    if (order_.needs == QueueOrder::Needs::sweeps) sweep_ = request.lot;
    os_.serve(request.request);
    os_.charge(os::Cost::disk_request);
    co_await os_.settle();
    os::counted_from_here<os::Cost::disk_request>();
    request.tag = &tag;
    tag.retries.begin();
    if (offline()) [[unlikely]] {
      request.status = hal::Status::no_device;
      ended(tag);
      continue;
    }
    start(tag);
    while (tag.current) {
      co_await tag.completion.wait();
      if (tag.current) [[unlikely]]
        co_await recover(tag);
    }
  }
}

void DiskDriver::start(DiskTag& tag) {
  DiskRequest& request = *tag.current;
  tag.device_has_it = true;
  request.powered_on = false;
  os_.submit(device_, request);
  if (!request.synchronise) {
    position_.first = request.sector;
    position_.after = request.sector + request.sectors;
  }
  tag.overdue.set(os_.now() + params_.timeout);
}

// The current command has failed and will be retried, or it is overdue.
os::Task<> DiskDriver::recover(DiskTag& tag) {
  if (tag.device_has_it) {
    if (os_.now() < tag.overdue.due() && tag.overdue.due() != Time::max()) co_return;
    if (!helping_) co_await help(tag);
    if (!tag.current) co_return;
    if (tag.device_has_it) {
      tag.overdue.set(os_.now() + params_.timeout);
      co_return;
    }
  }
  while (helping_) co_await helped_.wait();
  if (tag.current->status == hal::Status::not_ready) co_await os_.sleep_until(os_.now() + params_.ready_poll);
  ++troubles_.retries;
  start(tag);
}

// Aborts the command, then resets the device, then the bus, until the command has ended.
os::Task<> DiskDriver::help(DiskTag& tag) {
  using hal::Help;
  helping_ = true;
  static constexpr std::array remedies{Help::abort, Help::device_reset, Help::bus_reset};
  std::erase_if(tag.remedies, [](const auto& earlier) { return !earlier->under_way; });
  for (const Help remedy : remedies) {
    if (!tag.device_has_it) break;
    DiskTag::Remedy& r = *tag.remedies.emplace_back(std::make_unique<DiskTag::Remedy>());
    r.tag = &tag;
    r.help = remedy;
    r.aborts = tag.current;
    r.under_way = true;
    ++(remedy == Help::abort ? troubles_.aborts : troubles_.resets);
    os_.submit(device_, r);
    const Time limit = os_.now() + params_.help_timeout;
    tag.overdue.set(limit);
    while (r.under_way && os_.now() < limit) co_await tag.completion.wait();
    if (remedy != Help::abort && !r.under_way) co_await os_.sleep_until(os_.now() + params_.reset_settle);
  }
  helping_ = false;
  helped_.wake_all();
  tag.overdue.cancel();
}

void DiskRequest::ended() { tag->driver.ended(*tag); }

void DiskDriver::ended(DiskTag& tag) {
  const os::Counted<os::Cost::disk_request> mark;
  DiskRequest& request = *tag.current;
  tag.device_has_it = false;
  hal::Status status = request.status;
  if (status != hal::Status::ok) [[unlikely]] {
    if (status == hal::Status::refused)
      throw SimulationError("a disk of an I/O processor has refused a command for " + std::to_string(request.sectors) +
                            " sectors from sector " + std::to_string(request.sector) + " on");
    if (request.powered_on) lost_ += std::exchange(reported_, {});
    if (!offline()) ++troubles_.errors;
    if (!offline() && !tag.retries.final(status, os_.now())) {
      tag.completion.wake_one();
      return;
    }
    ++troubles_.lost;
    if (request.status == hal::Status::no_device || request.status == hal::Status::interrupted) troubles_.offline = 1;
    if (status == hal::Status::interrupted) status = hal::Status::no_device;
  }
  tag.overdue.cancel();
  tag.current = nullptr;
  --under_way_;
  if (request.synchronise) written_since_ = writes_ != tag.writes_before;
  if (status == hal::Status::ok) [[likely]] {
    if (!request.synchronise) ++(request.write ? writes_ : reads_);
    if (request.write) written_since_ = true;
    if (request.synchronise) reported_.clear();
    else if (request.write && device_.reports_early())
      reported_ += boost::icl::interval<std::uint64_t>::right_open(request.sector, request.sector + request.sectors);
  }
  if (!request.in_background) last_completion_ = os_.now();
  if (when_ended && status == hal::Status::ok) [[unlikely]]
    when_ended(request);
  tag.completion.wake_one();
  request.finished(status);  // an urgent thread that it wakes runs before the driver takes the next command
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
