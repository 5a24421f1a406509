// SPDX-License-Identifier: MIT
#include "sw/messages/schedule.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

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

}  // namespace sunstar::messages
