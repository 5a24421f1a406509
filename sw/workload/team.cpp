// SPDX-License-Identifier: MIT
#include "sw/workload/job.h"

namespace sunstar::workload {

Teams::Teams(const std::vector<messages::Endpoint*>& compute, const Workload& workload, RunRecord& record,
             messages::Numbers& numbers)
    : record_(record), by_processor_(compute.size()) {
  std::vector<messages::Endpoint*> leaders;
  for (const TeamRange& range : workload.teams()) {
    const auto first = compute.begin() + range.first;
    std::vector<messages::Endpoint*> members(first, first + range.processors);
    leaders.push_back(members.front());
    const auto number = static_cast<std::uint32_t>(teams_.size());
    teams_.emplace_back(*this, number, range, std::move(members), numbers);
    for (std::uint32_t p = range.first; p < range.first + range.processors; ++p) by_processor_[p] = &teams_.back();
  }
  if (teams_.size() > 1) leaders_ = std::make_unique<messages::Barrier>(std::move(leaders), numbers);
}

std::vector<std::uint32_t> Teams::gone(std::uint32_t processor) const {
  const Team& team = *by_processor_[processor];
  std::vector<std::uint32_t> all = team.gone(processor);
  for (std::uint32_t& member : all) member += team.first();
  if (!leaders_) return all;
  for (const std::uint32_t other : leaders_->gone(team.number()))
    for (std::uint32_t i = 0; i < teams_[other].processors(); ++i) all.push_back(teams_[other].first() + i);
  return all;
}

os::Task<bool> Team::ends_run(std::uint32_t processor) {
  if (!leads(processor)) co_return false;
  all_.record_.team_ended(number_, leader_.os.now());
  if (all_.leaders_) co_await all_.leaders_->wait(number_);
  co_return number_ == 0;
}

}  // namespace sunstar::workload
