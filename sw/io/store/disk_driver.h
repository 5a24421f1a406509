// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <boost/icl/interval_set.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "models/core/param.h"
#include "models/node/hal.h"
#include "sw/io/store/request.h"

namespace sunstar::io {

/// A driver's handling of commands that fail or do not end. The defaults are from Linux 2.4: drivers/scsi/sd.h and
/// scsi_error.c. They matter only on a machine with faults, or if a drive takes
/// longer than `timeout` for a command.
struct DriverParams {
  Duration timeout = std::chrono::seconds{30};
  std::uint32_t retries = 5;
  bool retry_medium_errors = true;
  Duration help_timeout = std::chrono::seconds{10};
  Duration reset_settle = std::chrono::seconds{5};
  Duration ready_poll = std::chrono::seconds{1};
  Duration ready_limit = std::chrono::seconds{60};
};
BOOST_DESCRIBE_STRUCT(DriverParams, (),
                      (timeout, retries, retry_medium_errors, help_timeout, reset_settle, ready_poll, ready_limit))
inline std::vector<Param> parameters(const DriverParams*) {
  return {
      {"timeout", "how long a command may take before the driver aborts it (SD_TIMEOUT: 30 s)", "1ms", "3600s"},
      {"retries", "how often a command is tried again (SD_MAX_RETRIES: 5)", "0", "100"},
      {"retry_medium_errors", "whether that holds for sectors that cannot be read, too (Linux 2.4: yes)"},
      {"help_timeout",
       "how long an abort or a reset may take before the next remedy: device reset, then bus reset (SENSE_TIMEOUT: 10 "
       "s)",
       "1ms", "3600s"},
      {"reset_settle", "pause after a reset (BUS_RESET_SETTLE_TIME: 5 s)", "0s", "3600s"},
      {"ready_poll", "pause before the next try when a drive is not ready", "1ms", "3600s"},
      {"ready_limit", "how long the driver waits for that before it gives up", "0s", "3600s"},
  };
}

/// Decides which errors of a request are final, by DriverParams. Pure.
class Retries {
 public:
  explicit Retries(const DriverParams& params) : params_(params) {}
  /// The next request.
  void begin() { tries_ = 0, not_ready_since_ = Time::max(); }
  /// Its command has failed. Returns whether the error is final.
  bool final(hal::Status status, Time now) {
    using hal::Status;
    switch (status) {
      case Status::not_ready:
        not_ready_since_ = std::min(not_ready_since_, now);
        return now - not_ready_since_ >= params_.ready_limit;
      case Status::interrupted: return ++tries_ > params_.retries;
      case Status::medium_error: return !params_.retry_medium_errors || ++tries_ > params_.retries;
      default: return true;
    }
  }

 private:
  const DriverParams& params_;
  std::uint32_t tries_ = 0;  // retries after the first try
  Time not_ready_since_ = Time::max();
};

/// The requests that wait for a disk, never empty when a policy looks at them.
struct DiskQueue {
  using List = boost::intrusive::list<DiskRequest>;
  /// Requests with equal keys lie in order of their arrival.
  struct Key {
    using type = std::pair<std::uint64_t, std::uint64_t>;
    type operator()(const DiskRequest& r) const { return {r.lot, r.sector}; }
  };
  std::array<List, 2> by_arrival;  ///< writes apart if the policy asks for it; otherwise all in the first
  /// By lot and first sector; empty if the policy does not look at it.
  boost::intrusive::multiset<DiskRequest, boost::intrusive::key_of_value<Key>> by_sector;

  std::size_t size() const { return by_arrival[0].size() + by_arrival[1].size(); }
  bool empty() const { return by_arrival[0].empty() && by_arrival[1].empty(); }
};

/// What a policy knows of a disk.
struct DiskPosition {
  std::uint64_t first = 0, after = 0;  ///< of the last request: its first sector, and the sector after its last
  Time now{};                          ///< if the policy asks for times
  // For the policy's own use.
  bool downwards = false, writes = false;
  std::uint32_t batch = 0, passed_over = 0;
};
struct QueueOrder {
  DiskRequest& (*next)(DiskQueue& queue, DiskPosition& at);  ///< chooses the request to serve
  /// What it needs: DiskQueue::by_sector; sweeps, so that a request that comes during a sweep waits for the next lot;
  /// or writes in a lot and a list of their own, with times.
  enum class Needs : std::uint8_t { nothing, sectors, sweeps, writes_apart } needs = Needs::nothing;
};

/// The policy of that name, and the names of all policies (queue_orders.cpp).
QueueOrder queue_order(const std::string& name);
std::vector<std::string> queue_order_names();

class DiskDriver;

/// One of a device's concurrent commands, and its thread.
struct DiskTag {
  explicit DiskTag(DiskDriver& driver);
  struct Remedy final : os::BlockWork {
    DiskTag* tag = nullptr;
    bool under_way = false;
    void ended() override {
      under_way = false;
      tag->completion.wake_one();
    }
  };

  DiskDriver& driver;
  DiskRequest* current = nullptr;
  bool device_has_it = false;       // the current command
  std::uint64_t writes_before = 0;  // writes that had ended when the command began
  os::WaitQueue completion;
  os::Alarm overdue;
  Retries retries;
  std::vector<std::unique_ptr<Remedy>> remedies;  // made at the first need
};

/// The driver of one disk. It controls all access to the disk and takes its requests from a queue. It has a thread on
/// its I/O processor for each command that the disk takes at a time; a SCSI disk here takes one. The threads are
/// urgent, so that the disk does not idle while other threads compute.
///
/// The driver retries a failed command as set by DriverParams. It aborts a command that does not end; if that does not
/// help, it resets the device, and then the bus, like the error handler of Linux; meanwhile it leaves other commands
/// alone, since a reset ends them, too. A device that does not answer, or that no remedy has helped, is offline: its
/// requests fail at once.
///
/// If the disk reports writes early, the driver remembers the sectors that it has reported as written since the last
/// synchronisation. If the disk then reports a loss of power, all these sectors may be lost.
class DiskDriver {
 public:
  DiskDriver(os::Os& os, hal::BlockDevice& device, QueueOrder order, const DriverParams& params);

  /// Queues a request, which must live until the driver calls its finished().
  void submit(DiskRequest& request);
  /// Whether the disk has written data since the last synchronisation.
  bool to_synchronise() const { return written_since_; }
  using Sectors = boost::icl::interval_set<std::uint64_t>;
  /// Sectors that a disk may have lost with its power, and that have not been taken yet.
  const Sectors& lost() const { return lost_; }
  Sectors take_lost() { return std::exchange(lost_, {}); }
  /// Waits until nothing is queued or under way.
  os::Task<> drain();
  /// Requests queued, not counting the one under way.
  std::size_t queued() const { return queue_.size(); }
  std::uint64_t sectors() const { return device_.sectors(); }
  bool idle() const { return queue_.empty() && under_way_ == 0; }

  /// Notes how long requests wait in the queue.
  void explain(QueueTimes& times) { times_ = &times; }
  /// For observers: called for each request that has succeeded.
  std::function<void(const DiskRequest&)> when_ended;

  /// Whether the driver has given the device up.
  bool offline() const { return troubles_.offline > 0; }
  struct Troubles {
    std::uint64_t errors = 0;   ///< commands that failed
    std::uint64_t retries = 0;  ///< commands tried again
    std::uint64_t aborts = 0, resets = 0;
    std::uint64_t lost = 0;     ///< requests that ended with an error
    std::uint64_t offline = 0;  ///< devices given up
  };
  const Troubles& troubles() const { return troubles_; }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }
  Time last_completion() const { return last_completion_; }

 private:
  friend class DiskRequest;
  friend struct DiskTag;
  void add_tag();
  DiskRequest& take();
  os::Task<> thread(DiskTag& tag);
  void start(DiskTag& tag);
  os::Task<> recover(DiskTag& tag);
  os::Task<> help(DiskTag& tag);
  void ended(DiskTag& tag);

  os::Os& os_;
  hal::BlockDevice& device_;
  QueueOrder order_;
  DiskQueue queue_;
  std::uint32_t under_way_ = 0;
  DiskPosition position_;
  std::uint64_t arrivals_ = 0, sweep_ = 0;  // sweep of the last served request
  os::WaitQueue work_;
  os::WaitQueue drained_, helped_;
  std::uint64_t reads_ = 0, writes_ = 0;
  bool written_since_ = false;
  Sectors reported_, lost_;
  const DriverParams& params_;
  std::deque<DiskTag> tags_;  // made at the first need
  bool helping_ = false;
  Troubles troubles_;
  QueueTimes* times_ = nullptr;
  Time last_completion_{};
};

BOOST_DESCRIBE_STRUCT(DiskDriver::Troubles, (), (errors, retries, aborts, resets, lost, offline))

/// The drivers of all disks of one I/O processor: the store whose units are the disks.
class DiskDrivers final : public StoreServer {
 public:
  DiskDrivers(os::Os& os, const std::string& order, const DriverParams& params);
  DiskDriver& operator[](std::uint32_t disk) { return *drivers_[disk]; }
  auto begin() const { return drivers_.begin(); }
  auto end() const { return drivers_.end(); }

  std::uint32_t units() const override { return static_cast<std::uint32_t>(drivers_.size()); }
  std::uint64_t sectors(std::uint32_t disk) const override { return drivers_[disk]->sectors(); }
  os::Task<hal::Status> synchronise() override;
  os::Task<std::vector<LostWrite>> take_lost_writes() override;

 private:
  void queue(DiskRequest& request) override { drivers_[request.unit]->submit(request); }

  os::Os& os_;
  const DriverParams params_;
  std::vector<std::unique_ptr<DiskDriver>> drivers_;
};

}  // namespace sunstar::io
