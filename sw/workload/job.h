// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <type_traits>

#include "models/core/durations.h"
#include "sw/messages/barrier.h"
#include "sw/messages/endpoint.h"
#include "sw/messages/exchange.h"
#include "sw/workload/run_record.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

class Teams;

/// The compute processors of one application, which wait for one another and make collectives together.
class Team {
 public:
  Team(Teams& all, std::uint32_t number, const TeamRange& range, std::vector<messages::Endpoint*> members,
       const Workload& workload, messages::Numbers& numbers);

  std::uint32_t number() const { return number_; }
  std::uint32_t first() const { return range_.first; }
  std::uint32_t processors() const { return range_.processors; }
  bool calls() const { return range_.calls; }
  /// Whether the processor is the first that is not gone.
  bool leads(std::uint32_t processor) const {
    const std::uint32_t member = processor - range_.first;
    return barrier_.first(member) == member;
  }

  /// The members that `processor` knows to be gone, counted within the team.
  std::vector<std::uint32_t> gone(std::uint32_t processor) const { return barrier_.gone(processor - range_.first); }

  /// Returns when all processors of the team have called it.
  os::Task<messages::Barrier::Said> wait(std::uint32_t processor) { return barrier_.wait(processor - range_.first); }
  /// The messages among its processors, if the application exchanges messages; otherwise null.
  messages::Exchange* exchange() const { return exchange_.get(); }
  /// Called by each processor when its team has ended. Returns true for the one processor that ends the run, when all
  /// teams have ended. Keep the answer in a variable: GCC 12 miscompiles a co_await in the condition of an if.
  os::Task<bool> ends_run(std::uint32_t processor);

 private:
  Teams& all_;
  const std::uint32_t number_;
  const TeamRange range_;
  messages::Endpoint& leader_;
  messages::Barrier barrier_;
  std::unique_ptr<messages::Exchange> exchange_;
};

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

/// A workload on its processors: the buffers, the start times, and a record of what it has done.
struct Job {
  const Workload* workload = nullptr;
  std::vector<messages::RemoteMemory> memory;  ///< the application's buffer on each processor
  std::vector<Duration> delays;  ///< of the programs at their start, by processor; empty if there are none
  RunRecord record;
  /// The file system's work when files are closed, or calls wait for the disks (Access::sync): each processor flushes
  /// its node's changed bytes, then one brings all written bytes to disk. Empty: there is nothing to do.
  std::function<os::Task<>(std::uint32_t processor)> flush{}, sync{};
  bool all_sync = false;  ///< a processor brings to disk what its own node has written, so each does it

  Duration delay(std::uint32_t p) const { return delays.empty() ? Duration{} : delays[p]; }
};

/// The program of processor `p` on a file system whose calls are `transfer(access)`. It makes the workload's calls,
/// with the thinking and waiting that they ask for, and ends when all processors of its team have made theirs. A
/// `transfer(access, calls)` may also take the calls that continue it. `call` is a call's cost.
template <os::Cost call = os::Cost::file_call, class Transfer>
os::Task<> make_calls(Job& job, os::Os& os, Team& team, std::uint32_t p, Transfer transfer) {
  requests::Calls calls(job.workload->accesses(p));
  Access access;
  co_await team.wait(p);
  co_await os.sleep_until(os.now() + job.delay(p));
  while (true) {
    calls.tell(os.now());
    while (os::WaitQueue* const queue = calls.blocked(os)) co_await queue->wait();
    if (!calls.next(access)) break;
    os::counted_from_here<call>();
    const Time wanted = std::max(os.now() + access.think, Time{access.not_before});
    if (wanted > os.now()) co_await os.sleep_until(wanted);
    if (access.in_step) co_await team.wait(p);
    if ((access.close || access.sync) && job.flush) co_await job.flush(p);
    if (access.sync) {
      co_await team.wait(p);
      const bool syncs = job.sync && (job.all_sync || team.leads(p));
      if (syncs) co_await job.sync(p);
      co_await team.wait(p);
      job.record.synced(os.now());
    }
    if (access.bytes == 0) continue;
    if constexpr (std::is_invocable_v<Transfer, Access&, requests::Calls&>) co_await transfer(access, calls);
    else co_await transfer(access);
  }
  co_await team.wait(p);
}

/// Processors of a team that are gone when a collective has ended.
struct Gone {
  bool leader = false;                 ///< the team's leader at the beginning is among them
  std::vector<std::uint32_t> members;  ///< counted within the team
};

/// The program of processor `p` on a file system that carries out collectives by `carry_out(collective, its number)`,
/// which returns a status, and for which all processors of its team meet before and after. The record gets the leader's
/// status. If processors are gone, `missing(collective, gone)` notes the bytes that are missing because of them, and
/// returns a status.
template <class CarryOut, class Missing>
os::Task<> make_collectives(Job& job, os::Os& os, Team& team, std::uint32_t p, CarryOut carry_out, Missing missing) {
  const auto& collectives = job.workload->collectives();
  co_await os.sleep_until(Time{job.delay(p)});
  for (std::uint32_t c = 0; c < collectives.size(); ++c) {
    if (collectives[c].team != team.number()) continue;
    const Time wanted = std::max(os.now() + collectives[c].think, Time{collectives[c].not_before});
    if (wanted > os.now()) co_await os.sleep_until(wanted);
    if (collectives[c].in_step) co_await team.wait(p);
    const Time start = os.now();
    job.record.begin(start, p);
    os.charge(os::Cost::file_call);
    co_await team.wait(p);  // all buffers are ready
    const bool led = team.leads(p);
    hal::Status status = co_await carry_out(collectives[c], c);
    co_await team.wait(p);  // all data are there
    job.workload->carried_out(collectives[c], start, os.now());
    if (!team.leads(p)) continue;
    if (const Gone gone{!led, team.gone(p)}; !gone.members.empty()) [[unlikely]]
      if (const hal::Status more = missing(collectives[c], gone); more != hal::Status::ok) status = more;
    const bool sync = collectives[c].sync && job.sync;
    if (sync) co_await job.sync(p);
    job.record.end({.processor = p, .start = start, .end = os.now(), .status = status});
    if (sync) job.workload->carried_out(collectives[c], start, os.now());
  }
}

/// The rounds of an application that exchanges messages instead of using files, and what they took.
struct ExchangeRounds {
  messages::Schedule schedule;
  std::uint32_t rounds = 1;  ///< of each process
  Duration compute{}, period{};

  /// How long rounds took, or parts of them.
  struct Times {
    Durations all;
    Duration sum{};
    void add(Duration d) {
      all.add(d);
      sum += d;
    }
  };
  Times round;                 ///< from its start, before computing, until the last message is there
  Times communication;         ///< without computing
  std::uint64_t messages = 0;  ///< that have arrived
  /// What a process waits for before it computes in a round, and, with `round` = rounds, what it does after the last.
  std::function<os::Task<>(std::size_t member, std::uint32_t round, os::Os& os)> before{};
};

/// The program of processor `p` of such an application; `team` has the exchange. It computes, exchanges messages and
/// waits for the next period, and ends when all processors of its team have made their rounds.
os::Task<> exchange_messages(Job& job, os::Os& os, Team& team, std::uint32_t p);

}  // namespace sunstar::workload
