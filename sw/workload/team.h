// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sw/messages/barrier.h"
#include "sw/workload/run_record.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

class Teams;

/// The compute processors of one application, which wait for one another and make collectives together.
class Team {
 public:
  Team(Teams& all, std::uint32_t number, const TeamRange& range, std::vector<messages::Endpoint*> members,
       messages::Numbers& numbers)
      : all_(all), number_(number), range_(range), leader_(*members.front()), barrier_(std::move(members), numbers) {}

  /// The application's number.
  std::uint32_t number() const { return number_; }
  std::uint32_t first() const { return range_.first; }
  std::uint32_t processors() const { return range_.processors; }
  bool calls() const { return range_.calls; }
  /// The first of those that are there.
  bool leads(std::uint32_t processor) const {
    const std::uint32_t member = processor - range_.first;
    return barrier_.first(member) == member;
  }

  /// Those that `processor` knows to be gone, counted within the team.
  std::vector<std::uint32_t> gone(std::uint32_t processor) const { return barrier_.gone(processor - range_.first); }

  /// Returns when all processors of the team have called it.
  os::Task<> wait(std::uint32_t processor) { return barrier_.wait(processor - range_.first); }
  /// Called by each processor when its team has ended. Returns true for the one processor that ends the run, when all
  /// teams have ended. Keep the answer in a variable: GCC 12 miscompiles a co_await in the condition of an if.
  os::Task<bool> ends_run(std::uint32_t processor);

 private:
  Teams& all_;
  const std::uint32_t number_;
  const TeamRange range_;
  messages::Endpoint& leader_;
  messages::Barrier barrier_;
};

/// The teams of all applications.
class Teams {
 public:
  Teams(const std::vector<messages::Endpoint*>& compute, const Workload& workload, RunRecord& record,
        messages::Numbers& numbers);

  Team& of(std::uint32_t processor) { return *by_processor_[processor]; }
  /// The processors of all teams that `processor`, which leads one, takes for gone.
  std::vector<std::uint32_t> gone(std::uint32_t processor) const;

 private:
  friend class Team;
  RunRecord& record_;
  std::deque<Team> teams_;
  std::vector<Team*> by_processor_;
  std::unique_ptr<messages::Barrier> leaders_;  // if there are several teams
};

}  // namespace sunstar::workload
