// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/os/os.h"

namespace sunstar::io {

class DiskDriver;

/// A request to one disk, queued at its driver. The interrupt handler calls finished() when the disk has reported the
/// end of its command.
class DiskRequest : public os::BlockWork, public boost::intrusive::list_base_hook<> {
 public:
  virtual void finished() = 0;

  /// For orders that go over the disk in sweeps: the first sweep after the request's arrival.
  std::uint64_t sweep() const { return sweep_; }
  /// For the driver.
  void joins(std::uint64_t sweep) { sweep_ = sweep; }
  /// When it was queued, if the run is to be explained.
  void queued_at(Time t) { queued_ = t; }
  Time queued() const { return queued_; }
  /// For the driver: from now on the request tells it of its end.
  void served_by(DiskDriver& driver) { driver_ = &driver; }

 protected:
  ~DiskRequest() = default;

 private:
  void ended() final;
  DiskDriver* driver_ = nullptr;
  Time queued_{};
  std::uint64_t sweep_ = 0;
};

using DiskQueue = boost::intrusive::list<DiskRequest>;

/// A scheduling policy: chooses the request to serve next. It gets the queue in order of arrival (never empty) and the
/// sector after the last one served.
using QueueOrder = DiskQueue::iterator (*)(DiskQueue& queue, std::uint64_t position);

/// The policy of that name, and the names of all policies (queue_orders.cpp).
QueueOrder queue_order(const std::string& name);
std::vector<std::string> queue_order_names();

/// The driver of one disk: a thread on its I/O processor that controls all access to the disk and takes its requests
/// from a queue. The thread is urgent, so that the disk does not idle while other threads compute.
class DiskDriver {
 public:
  DiskDriver(os::Os& os, hal::BlockDevice& device, QueueOrder order);

  /// Queues a request, which must live until the driver calls its finished().
  void submit(DiskRequest& request);
  /// Whether the disk has written something since it was last told to put all data on the medium.
  bool to_synchronise() const { return written_since_; }
  /// Waits until nothing is queued or under way.
  os::Task<> drain();
  /// Requests queued, not counting the one under way.
  std::size_t queued() const { return queue_.size(); }
  bool idle() const { return queue_.empty() && !current_; }

  /// Notes how long requests wait in the queue.
  void explain(QueueTimes& times) { times_ = &times; }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }
  Time last_completion() const { return last_completion_; }

 private:
  friend class DiskRequest;
  os::Task<> thread();
  void ended(DiskRequest& request);
  void note_queued(DiskRequest& request) {
    const os::NotOnTheMachine mark;
    if (times_) request.queued_at(os_.now());
  }
  void note_served(const DiskRequest& request) {
    const os::NotOnTheMachine mark;
    if (times_) times_->add(os_.now() - request.queued());
  }

  os::Os& os_;
  hal::BlockDevice& device_;
  QueueOrder order_;
  DiskQueue queue_;
  DiskRequest* current_ = nullptr;
  std::uint64_t position_ = 0;
  std::uint64_t sweep_ = 0;  // of the request that was served last
  os::WaitQueue work_;
  os::WaitQueue completion_;
  os::WaitQueue drained_;
  std::uint64_t reads_ = 0, writes_ = 0;
  bool written_since_ = false;
  QueueTimes* times_ = nullptr;
  Time last_completion_{};
};

/// A request whose thread sleeps until the request has ended.
class AwaitedRequest final : public DiskRequest {
 public:
  explicit AwaitedRequest(os::Os& os) : ended_(os, "its disk request") {}
  os::Task<> carry_out(DiskDriver& driver) {
    begin(driver);
    while (!done_) co_await ended_.wait();
  }
  /// The two steps of carry_out(), for several requests at a time.
  void begin(DiskDriver& driver) {
    done_ = false;
    driver.submit(*this);
  }
  os::Task<> end() {
    while (!done_) co_await ended_.wait();
  }
  void finished() override {
    done_ = true;
    ended_.wake_all();
  }

 private:
  os::WaitQueue ended_;
  bool done_ = false;
};

/// The drivers of all disks of one I/O processor.
class DiskDrivers {
 public:
  DiskDrivers(os::Os& os, const std::string& order);
  DiskDriver& operator[](std::uint32_t device) { return *drivers_[device]; }
  auto begin() const { return drivers_.begin(); }
  auto end() const { return drivers_.end(); }
  std::size_t size() const { return drivers_.size(); }

  /// Waits until no disk has anything to do, then until all data that they have written is on their media.
  os::Task<> synchronise();

 private:
  os::Os& os_;
  std::vector<std::unique_ptr<DiskDriver>> drivers_;
};

}  // namespace sunstar::io
