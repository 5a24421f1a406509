// SPDX-License-Identifier: MIT
#include "models/core/error.h"
#include "sw/workload/job.h"

namespace sunstar::workload {

Team::Team(Teams& all, std::uint32_t number, const TeamRange& range, std::vector<messages::Endpoint*> members,
           const Workload& workload, messages::Numbers& numbers)
    : all_(all), number_(number), range_(range), leader_(*members.front()), barrier_(members, numbers) {
  if (const ExchangeRounds* rounds = workload.exchange(number))
    exchange_ = std::make_unique<messages::Exchange>(members, rounds->schedule, number, numbers);
}

Teams::Teams(const std::vector<messages::Endpoint*>& compute, const Workload& workload, RunRecord& record,
             messages::Numbers& numbers)
    : record_(record), by_processor_(compute.size()) {
  std::vector<messages::Endpoint*> leaders;
  for (const TeamRange& range : workload.teams()) {
    const auto first = compute.begin() + range.first;
    std::vector<messages::Endpoint*> members(first, first + range.processors);
    leaders.push_back(members.front());
    const auto number = static_cast<std::uint32_t>(teams_.size());
    teams_.emplace_back(*this, number, range, std::move(members), workload, numbers);
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
  if (all_.leaders_ && processor != range_.first)
    throw SimulationError(
        "a node has been taken for gone whose processor ", range_.first,
        " led an application, but several applications run, and none survives that; leave out the fault, raise "
        "machine.peers.patience if the node was there and waited for a drive, or run one application.");
  all_.record_.team_ended(number_, leader_.os.now());
  if (all_.leaders_) co_await all_.leaders_->wait(number_);
  co_return number_ == 0;
}

os::Task<> exchange_messages(Job& job, os::Os& os, Team& team, std::uint32_t p) {
  ExchangeRounds& rounds = *job.workload->exchange(team.number());
  const std::uint64_t bytes = rounds.schedule.bytes;
  const std::size_t member = p - team.first();
  team.exchange()->use(member, job.memory[p].base);
  co_await team.wait(p);
  co_await os.sleep_until(os.now() + job.delay(p));
  const Time begin = os.now();
  for (std::uint32_t r = 0; r < rounds.rounds; ++r) {
    if (const Time due = begin + r * rounds.period; due > os.now()) co_await os.sleep_until(due);
    const Time start = os.now();
    job.record.begin(start, p);
    if (rounds.before) co_await rounds.before(member, r, os);
    if (rounds.compute > Duration{}) co_await os.sleep_until(os.now() + rounds.compute);
    const Time computed = os.now();
    const messages::Exchange::Got got = co_await team.exchange()->round(member);
    {
      const os::NotOnTheMachine mark;
      rounds.round.add(os.now() - start);
      rounds.communication.add(os.now() - computed);
      rounds.messages += got.messages;
    }
    job.record.checked(got.messages * bytes);
    job.record.moved(got.messages * bytes);
    if (got.missing > 0) job.record.not_moved(got.missing * bytes);
    job.record.progress(got.messages * bytes);
    job.record.end({.processor = p,
                    .start = start,
                    .end = os.now(),
                    .bytes = got.messages * bytes,
                    .status = got.missing > 0 ? hal::Status::no_answer : hal::Status::ok});
  }
  if (rounds.before) co_await rounds.before(member, rounds.rounds, os);
  co_await team.wait(p);
  team.exchange()->ends(member);
}

}  // namespace sunstar::workload
