// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/core/durations.h"
#include "sw/os/counted.h"
#include "sw/requests/access.h"

namespace sunstar::workload {

using requests::Ended;

/// What a run has done. The file system notes it as it goes; a run whose figures do not add up has failed.
class RunRecord final : public requests::Recorder {
 public:
  /// The time between an application's first request and its end.
  struct Span {
    Time begin = Time::max(), end{};
  };
  /// Tells applications apart: which one each processor belongs to.
  void set_teams(std::vector<std::uint32_t> by_processor, std::size_t teams) {
    team_of_ = std::move(by_processor);
    spans_.resize(teams);
  }

  void begin(Time start, std::uint32_t processor) override {
    const os::NotOnTheMachine mark;
    if (when_begun) when_begun(start, processor);
    if (first_request_ == Time::max() && when_started) when_started();
    first_request_ = std::min(first_request_, start);
    if (team_of_.empty()) return;
    Time& begin = spans_[team_of_[processor]].begin;
    begin = std::min(begin, start);
  }
  void end(const Ended& ended) override {
    const os::NotOnTheMachine mark;
    units_ += ended.units;
    if (units_of_.size() <= ended.processor) units_of_.resize(ended.processor + std::size_t{1});
    units_of_[ended.processor] += ended.units;
    if (ended.status != hal::Status::ok) failed_units_ += ended.units;
    latencies_.add(ended.end - ended.start);
    last_end_ = std::max(last_end_, ended.end);
    if (when_ended) when_ended(ended);
  }
  /// Calls have waited until all is on disk.
  void synced(Time now) {
    const os::NotOnTheMachine mark;
    last_end_ = std::max(last_end_, now);
  }
  void moved(std::uint64_t bytes) override {
    const os::NotOnTheMachine mark;
    bytes_ += bytes;
    if (when_moved) when_moved(bytes);
  }
  void not_moved(std::uint64_t bytes) override {
    const os::NotOnTheMachine mark;
    not_moved_ += bytes;
  }
  void failed(const requests::Failed& failed) override {
    const os::NotOnTheMachine mark;
    failed_.push_back(failed);
    if (when_failed) when_failed(failed);
  }
  void unsynced(std::uint32_t io_processor) override {
    const os::NotOnTheMachine mark;
    unsynced_.push_back(io_processor);
  }
  /// Bytes were found right as they arrived. Later ones have taken their place, so the oracle does not check them.
  void checked(std::uint64_t bytes) {
    const os::NotOnTheMachine mark;
    checked_ += bytes;
  }
  void progress(std::uint64_t bytes) override {
    const os::NotOnTheMachine mark;
    if (when_progressed) when_progressed(bytes);
  }
  void team_ended(std::uint32_t team, Time now) {
    const os::NotOnTheMachine mark;
    if (team < spans_.size()) spans_[team].end = now;
  }
  /// All programs have ended and the file system has come to its own end, as its page in docs/ defines it.
  void finish(Time now) {
    const os::NotOnTheMachine mark;
    finished_ = now;
    if (when_finished) when_finished();
  }

  std::uint64_t units() const { return units_; }
  /// Units of one processor; a collective counts at the leader of its team.
  std::uint64_t units_of(std::uint32_t p) const { return p < units_of_.size() ? units_of_[p] : 0; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t bytes_not_moved() const { return not_moved_; }
  const std::vector<requests::Failed>& failures() const { return failed_; }
  /// The I/O processors that have not answered a synchronisation.
  const std::vector<std::uint32_t>& unsynced_io() const { return unsynced_; }
  std::uint64_t failed_units() const { return failed_units_; }
  std::uint64_t bytes_checked() const { return checked_; }
  /// How long each unit took, from its start at the processor to its end, in the order in which units ended; units
  /// carried out as one count once.
  const Durations& latencies() const { return latencies_; }
  /// When the first unit began; Time::max() if there was none.
  Time first_request() const { return first_request_; }
  /// When the last unit ended, or calls had waited for the disks.
  Time last_end() const { return last_end_; }
  /// One for each application; empty unless set_teams() was called.
  const std::vector<Span>& spans() const { return spans_; }
  const std::optional<Time>& finished() const { return finished_; }

  std::function<void(const Ended&)> when_ended;  ///< for observers that need more than the latency
  std::function<void(std::uint64_t)> when_moved;
  std::function<void(const requests::Failed&)> when_failed;
  std::function<void(std::uint64_t)> when_progressed;
  std::function<void(Time, std::uint32_t processor)> when_begun;  ///< a unit begins
  std::function<void()> when_started;                             ///< the first unit begins
  std::function<void()> when_finished;                            ///< finish() calls it, for observers

 private:
  std::uint64_t units_ = 0, bytes_ = 0, checked_ = 0, not_moved_ = 0, failed_units_ = 0;
  std::vector<std::uint64_t> units_of_;  // by processor
  std::vector<requests::Failed> failed_;
  std::vector<std::uint32_t> unsynced_;
  Durations latencies_;
  Time first_request_ = Time::max(), last_end_{};
  std::optional<Time> finished_;
  std::vector<std::uint32_t> team_of_;  // by processor
  std::vector<Span> spans_;
};

}  // namespace sunstar::workload
