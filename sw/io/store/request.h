// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sw/os/os.h"

namespace sunstar::io {

struct DiskTag;
class BlankSectors;

/// A request to a unit of a block store, or to a disk: its command names the sectors to read into `data` or to write
/// from there. The server calls finished() in the interrupt handler of the request's last command. An error is final:
/// the driver has already made all retries.
class DiskRequest : public os::BlockWork,
                    public boost::intrusive::list_base_hook<>,
                    public boost::intrusive::set_base_hook<> {
 public:
  std::uint32_t unit = 0;      ///< of the store at this I/O processor
  bool in_background = false;  ///< the store's own: no run waits for its end, and its time does not count
  virtual void finished(hal::Status status) = 0;

  // For the driver.
  std::uint64_t arrival = 0;  ///< its number among the requests to its disk
  std::uint64_t lot = 0;      ///< the policy's, for DiskQueue
  Time queued{};              ///< when it was queued, if the policy asks for it or the run is to be explained
  DiskTag* tag = nullptr;     ///< the tag that serves it, to be told of its end

 protected:
  ~DiskRequest() = default;

 private:
  void ended() final;
};

/// Sectors of a unit that were reported as written and may be lost since.
struct LostWrite {
  std::uint32_t unit = 0;
  std::uint64_t sector = 0, sectors = 0;
};

/// A store at one I/O processor.
class StoreServer {
 public:
  StoreServer();
  virtual ~StoreServer();
  virtual std::uint32_t units() const = 0;
  virtual std::uint64_t sectors(std::uint32_t unit) const = 0;
  /// Queues a request to one of the units. The request must live until it has ended.
  void submit(DiskRequest& request);
  /// Whether the store currently prefers writes, or reads, of one row together.
  virtual bool prefers_rows(bool) const { return false; }
  /// The row of these sectors of a unit; none if they do not lie in one row. Rows of a unit lie in the order of their
  /// numbers.
  virtual std::optional<std::uint64_t> row(std::uint32_t, std::uint64_t, std::uint32_t) const { return std::nullopt; }
  /// submit() of writes, or of reads, of one row, of different units, together.
  void submit_row(std::span<DiskRequest* const> requests);
  /// Before the run: these sectors of a unit belong to a new file (blank_sectors.h).
  void leave_blank(os::Os& os, std::uint32_t sector_bytes, std::uint32_t unit, std::uint64_t sector,
                   std::uint64_t sectors);
  void add_statistics(StatisticSet& set);
  /// Waits until all units are idle, then until all written data are on their media. Returns an error if written data
  /// are lost, or may be because a disk has been without power since the last call. take_lost_writes() returns these
  /// writes once.
  virtual os::Task<hal::Status> synchronise() = 0;
  virtual os::Task<std::vector<LostWrite>> take_lost_writes() = 0;

 private:
  virtual void queue(DiskRequest& request) = 0;
  virtual void queue_row(std::span<DiskRequest* const> requests) {
    for (DiskRequest* each : requests) queue(*each);
  }
  std::unique_ptr<BlankSectors> blank_;  // null if the run makes no new files
};

/// A request whose thread sleeps until the request has ended.
class AwaitedRequest : public DiskRequest {
 public:
  /// `awaits`: describes the wait to observers of the thread.
  explicit AwaitedRequest(os::Os& os, const char* awaits = "its disk request") : ended_(os, awaits) {}
  virtual ~AwaitedRequest() = default;
  /// The two steps of carry_out(), for several requests at a time. Only one thread may wait for the end.
  void begin(StoreServer& store) {
    begins();
    store.submit(*this);
  }
  /// Instead of begin(), if another party submits it.
  void begins() { done_ = false; }
  auto end() {
    struct End {
      AwaitedRequest& request;
      bool await_ready() const noexcept { return request.done_; }
      void await_suspend(std::coroutine_handle<> h) { request.ended_.wait().await_suspend(h); }
      hal::Status await_resume() noexcept { return request.how_; }
    };
    return End{*this};
  }
  auto carry_out(StoreServer& store) {
    begin(store);
    return end();
  }

 protected:
  void finished(hal::Status how) override {
    how_ = how;
    done_ = true;
    ended_.wake_all();
  }

 private:
  os::WaitQueue ended_;
  hal::Status how_ = hal::Status::ok;
  bool done_ = false;
};

}  // namespace sunstar::io
