// SPDX-License-Identifier: MIT
#include "sw/messages/exchange.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "models/core/error.h"

namespace sunstar::messages {

Schedule neighbours(std::vector<std::uint32_t> grid, std::uint32_t bytes) {
  const std::uint32_t members = std::accumulate(grid.begin(), grid.end(), 1U, std::multiplies());
  std::erase(grid, 1U);
  const auto dimensions = static_cast<std::uint32_t>(grid.size());
  const auto step = [grid = std::move(grid), dimensions](std::uint32_t member, std::uint32_t) {
    Schedule::Step all;
    std::uint32_t stride = 1;
    for (std::uint32_t d = dimensions; d-- > 0; stride *= grid[d]) {
      const std::uint32_t at = member / stride % grid[d], line = member - at * stride;
      const std::uint32_t next = line + (at + 1) % grid[d] * stride;
      const std::uint32_t previous = line + (at + grid[d] - 1) % grid[d] * stride;
      all.sends.push_back({next, 2 * d});
      all.sends.push_back({previous, 2 * d + 1});
      all.receives.push_back({previous, 2 * d});
      all.receives.push_back({next, 2 * d + 1});
    }
    return all;
  };
  return {members, 1, 2 * dimensions, bytes, std::uint64_t{members} * 2 * dimensions, step};
}

Schedule all_to_all(std::uint32_t members, std::uint32_t bytes) {
  const auto step = [members](std::uint32_t member, std::uint32_t) {
    Schedule::Step all;
    for (std::uint32_t s = 1; s < members; ++s) {
      all.sends.push_back({(member + s) % members, s - 1});
      all.receives.push_back({(member + members - s) % members, s - 1});
    }
    return all;
  };
  return {members, 1, members - 1, bytes, std::uint64_t{members} * (members - 1), step};
}

// Of the first 2 * extra processes, the odd ones take part for the even ones before them.
Schedule allreduce(std::uint32_t members, std::uint32_t bytes) {
  const std::uint32_t taking_part = std::bit_floor(members), extra = members - taking_part;
  const auto doublings = static_cast<std::uint32_t>(std::countr_zero(taking_part));
  const std::uint32_t steps = doublings + 2;
  const auto step = [=](std::uint32_t member, std::uint32_t s) {
    Schedule::Step one;
    const bool paired = member < 2 * extra, stands_in = paired && member % 2 == 1;
    if (s == 0 || s == steps - 1) {
      if (!paired) return one;
      const bool sends = stands_in == (s > 0);
      (sends ? one.sends : one.receives).push_back({member ^ 1U, s});
      one.combines = s == 0;
    } else if (!paired || stands_in) {
      const std::uint32_t partner = (paired ? member / 2 : member - extra) ^ 1U << (s - 1);
      const Schedule::Message message{partner < extra ? 2 * partner + 1 : partner + extra, s};
      one.sends.push_back(message);
      one.receives.push_back(message);
      one.combines = true;
    }
    return one;
  };
  return {members, steps, steps, bytes, std::uint64_t{taking_part} * doublings + 2 * extra, step};
}

Schedule allreduce_ring(std::uint32_t members, std::uint32_t bytes) {
  const std::uint32_t steps = 2 * (members - 1);
  const auto step = [members](std::uint32_t member, std::uint32_t s) {
    Schedule::Step one;
    one.sends.push_back({(member + 1) % members, s});
    one.receives.push_back({(member + members - 1) % members, s});
    one.combines = s < members - 1;
    return one;
  };
  return {members, steps, steps, (bytes + members - 1) / members, std::uint64_t{members} * steps, step};
}

// Its contents are those of a file beyond the numbers of the workload's files.
Exchange::Exchange(const std::vector<Endpoint*>& members, Schedule schedule, std::uint32_t number, Numbers& numbers)
    : schedule_(std::move(schedule)),
      message_(numbers, "exchange"),
      source_(content::source(content::Generated{~number, 0})) {
  for (Endpoint* endpoint : members) {
    Member& member = *members_.emplace_back(std::make_unique<Member>(*this, *endpoint));
    assert(!endpoint->os.takes(message_.number()));
    message_.on_arrival<os::Cost::reply_action>(endpoint->os, [&](hal::Message& m) { arrived(member, m); });
  }
}

content::Content Exchange::content(std::uint64_t number) const {
  const std::uint64_t members = members_.size(), round = number / members / schedule_.tags;
  return content::Content(
      content::Piece{source_, schedule_.bytes, (round * members + number % members) * schedule_.bytes});
}

os::Task<Exchange::Got> Exchange::round(std::size_t member) {
  Member& me = *members_[member];
  os::Os& os = me.endpoint.os;
  const std::uint64_t first = me.rounds++ * schedule_.tags;
  const auto number = [&](std::uint32_t tag, std::size_t from) { return (first + tag) * members_.size() + from; };
  if (schedule_.messages > 0) {
    const os::NotOnTheMachine mark;
    os.memory().write(me.buffer, content(number(0, member)));
  }
  Got got;
  for (std::uint32_t s = 0; s < schedule_.steps; ++s) {
    const Schedule::Step step = schedule_.step(static_cast<std::uint32_t>(member), s);
    for (const Schedule::Message& m : step.sends)
      co_await os.send(
          message_.message(members_[m.peer]->endpoint.id(), {number(m.tag, member)}, me.buffer, schedule_.bytes));
    for (const Schedule::Message& m : step.receives) {
      bool came = me.arrived.erase(number(m.tag, m.peer)) > 0;
      if (!came) came = co_await wait(me, number(m.tag, m.peer), members_[m.peer]->endpoint.id());
      ++(came ? got.messages : got.missing);
      if (came && step.combines) os.charge_copy(schedule_.bytes);  // a sum reads and writes as a copy does
    }
  }
  co_await os.settle();
  co_return got;
}

// Returns false if the message will not come.
os::Task<bool> Exchange::wait(Member& me, std::uint64_t number, hal::NodeId from) {
  me.awaited = number;
  while (me.awaited == number) {
    if (me.gone.contains(from) || !me.endpoint.peers().watch(from, me)) {
      me.gone.insert(from);
      co_return false;
    }
    co_await me.woken.wait();
    me.endpoint.peers().unwatch(from, me);
  }
  co_return true;
}

// In the handler of a message. What a node sends that has been taken for gone is missing already.
void Exchange::arrived(Member& me, hal::Message& m) {
  os::Os& os = me.endpoint.os;
  const std::uint64_t number = Kind<Header>::header(m).number;
  const bool late = me.gone.contains(m.source);
  if (!late) check(me, number, *m.content);
  const Time there = os.receive(m, me.buffer + schedule_.bytes);
  if (!late) os.after(there, [&me, number] { me.came(number); });
}

void Exchange::check(const Member& at, std::uint64_t number, const content::Content& data) const {
  const os::NotOnTheMachine mark;
  if (data.size() != schedule_.bytes) fail(number, at, "has " + std::to_string(data.size()) + " bytes");
  const content::Content right = content(number);
  if (std::ranges::equal(data.pieces(), right.pieces())) return;  // the same bytes by description, mostly
  if (const auto bad = first_difference(right, data)) fail(number, at, "has a wrong byte " + std::to_string(*bad));
}

void Exchange::Member::came(std::uint64_t number) {
  const os::NotOnTheMachine mark;
  if (awaited == number) {
    awaited = none;
    woken.wake_all();
  } else if (!arrived.insert(number).second) {
    exchange.fail(number, *this, "has come twice");
  }
}

void Exchange::ends(std::size_t member) const {
  const Member& me = *members_[member];
  if (me.gone.empty() && !me.arrived.empty()) fail(*me.arrived.begin(), me, "was not expected");
}

void Exchange::fail(std::uint64_t number, const Member& at, const std::string& what) const {
  const std::uint64_t of_round = number / members_.size();
  const auto process = static_cast<std::size_t>(
      std::ranges::find_if(members_, [&](const auto& m) { return m.get() == &at; }) - members_.begin());
  throw SimulationError("verification failed: message ", of_round % schedule_.tags, " of round ",
                        of_round / schedule_.tags, " of an exchange, from process ", number % members_.size(),
                        " to process ", process, ", ", what);
}

}  // namespace sunstar::messages
