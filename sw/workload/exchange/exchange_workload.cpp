// SPDX-License-Identifier: MIT
#include <cmath>
#include <numeric>

#include "models/core/error.h"
#include "sw/workload/exchange/params.h"
#include "sw/workload/job.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {
namespace {

constexpr double longest_exchange_s = 1e6;  // what all rounds may take: simulated time ends after 9.2 million seconds
constexpr double most_exchanged = 1ULL << 60;  // in all messages: each has contents of its own

messages::Schedule schedule_of(const ExchangeParams& params, std::uint32_t processes) {
  const auto bytes = static_cast<std::uint32_t>(params.message_size.count);
  switch (params.pattern) {
    case ExchangePattern::neighbours:
      return messages::neighbours(params.grid.empty() ? std::vector{processes} : params.grid, bytes);
    case ExchangePattern::all_to_all: return messages::all_to_all(processes, bytes);
    case ExchangePattern::allreduce: return messages::allreduce(processes, bytes);
    case ExchangePattern::allreduce_ring: break;
  }
  return messages::allreduce_ring(processes, bytes);
}

/// A unit of work is a round of one process. There are no files, and the checks on arrival take the place of the
/// oracle.
class ExchangeWorkload final : public Workload {
 public:
  ExchangeWorkload(const ExchangeParams& params, std::uint32_t processes)
      : rounds_(std::make_unique<ExchangeRounds>(
            ExchangeRounds{schedule_of(params, processes), params.rounds, params.compute, params.period, {}, {}})) {}

  std::uint32_t processors() const override { return rounds_->schedule.members; }
  std::uint64_t memory_bytes(std::uint32_t) const override { return std::uint64_t{2} * rounds_->schedule.bytes; }
  ExchangeRounds* exchange(std::uint32_t) const override { return rounds_.get(); }
  std::uint64_t bytes_moved() const override { return all_messages() * rounds_->schedule.bytes; }
  std::uint64_t access_count() const override { return std::uint64_t{rounds_->rounds} * processors(); }
  Totals totals(Unit, std::uint32_t) const override { return {access_count(), bytes_moved()}; }

  void add_figures(NamedFigures& sections) const override {
    NamedFigures& section = sections.section("exchange");
    section.add("rounds", rounds_->rounds);
    section.add("messages", rounds_->messages);
    section.add("bytes", rounds_->messages * rounds_->schedule.bytes);
    if (rounds_->messages < all_messages()) section.add("missing", all_messages() - rounds_->messages);
    add_times(section.section("round"), rounds_->round);
    add_times(section.section("communication"), rounds_->communication);
  }
  std::vector<std::string> warnings() const override {
    if (all_messages() > 0) return {};
    return {"workload.kind is exchange, but a process has nobody to exchange messages with: its rounds have none"};
  }

 private:
  std::uint64_t all_messages() const { return rounds_->schedule.messages * rounds_->rounds; }
  static void add_times(NamedFigures& section, const ExchangeRounds::Times& times) {
    const Percentiles p = times.all.percentiles();
    section.add("mean_s", p.count > 0 ? seconds(times.sum) / static_cast<double>(p.count) : 0.0);
    section.add("p50_s", seconds(p.p50));
    section.add("p99_s", seconds(p.p99));
    section.add("max_s", seconds(p.max));
  }

  std::unique_ptr<ExchangeRounds> rounds_;
};

void require_places(const std::vector<std::uint32_t>& grid, std::uint32_t processes) {
  if (grid.empty()) return;
  const double places = std::accumulate(grid.begin(), grid.end(), 1.0, std::multiplies());
  if (places == processes) return;
  std::string text;
  for (const std::uint32_t n : grid) text += (text.empty() ? "" : ",") + std::to_string(n);
  throw ConfigError("workload.grid is [", text, "], which has ", std::llround(places), " places; the application has ",
                    processes, " processes, so the product of the grid's dimensions must be ", processes, ".");
}

}  // namespace

void check(const ExchangeParams& params, const std::string& path, Problems& problems) {
  const auto limit = [&](const char* name, Duration each) {
    if (seconds(each) * params.rounds > longest_exchange_s)
      problems.add(json_path(path, name), "is ", std::llround(seconds(each)), " s in each of ", params.rounds,
                   " rounds; all rounds together may take at most 1000000 s: choose a shorter time or fewer rounds");
  };
  limit("compute", params.compute);
  limit("period", params.period);
}

std::unique_ptr<Workload> make(const ExchangeParams& params, const MachineSizes& machine) {
  validated(params, "workload");
  if (params.pattern == ExchangePattern::neighbours) require_places(params.grid, machine.processors);
  auto made = std::make_unique<ExchangeWorkload>(params, machine.processors);
  const messages::Schedule& schedule = made->exchange(0)->schedule;
  if (static_cast<double>(schedule.tags) * schedule.members * params.rounds * schedule.bytes > most_exchanged)
    throw ConfigError("workload.rounds is ", params.rounds,
                      ", with which the messages of all processes together have more than 2^60 bytes, the most that an "
                      "exchange may have; choose fewer rounds or a smaller message_size.");
  return made;
}

}  // namespace sunstar::workload
