// SPDX-License-Identifier: MIT
#include "platforms/disk/array/join.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

namespace sunstar::disk_platform {

using io::redundant::Plan;
using io::redundant::Step;

Plan joined(const Plan& plan, std::uint32_t gap) {
  // For each step the one that it becomes part of: itself, or the first by sector of its group.
  std::vector<std::uint32_t> order(plan.steps.size()), head(plan.steps.size());
  std::iota(order.begin(), order.end(), 0u);
  head = order;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Step &x = plan.steps[a], &y = plan.steps[b];
    return std::tuple(x.kind, x.at.disk, x.at.sector) < std::tuple(y.kind, y.at.disk, y.at.sector);
  });
  std::vector<Step> steps = plan.steps;
  bool any = false;
  for (std::size_t i = 1; i < order.size(); ++i) {
    Step& before = steps[head[order[i - 1]]];
    const Step& next = steps[order[i]];
    const std::uint64_t end = before.at.sector + before.at.sectors;
    if (next.kind == Step::Kind::compute || next.kind != before.kind || next.at.disk != before.at.disk ||
        next.at.sector > end + gap)
      continue;
    head[order[i]] = head[order[i - 1]];
    before.at.sectors = static_cast<std::uint32_t>(std::max(end, next.at.sector + next.at.sectors) - before.at.sector);
    before.after.insert(before.after.end(), next.after.begin(), next.after.end());
    any = true;
  }
  if (!any) return plan;

  // Reads come first, then what is computed of them, then the writes, so that no step waits for a later one.
  Plan result = plan;
  result.steps.clear();
  std::vector<std::uint32_t> number(steps.size());
  for (auto kind : {Step::Kind::read, Step::Kind::compute, Step::Kind::write})
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      if (steps[i].kind == kind && head[i] == i) {
        number[i] = static_cast<std::uint32_t>(result.steps.size());
        result.steps.push_back(std::move(steps[i]));
      }
  for (Step& s : result.steps) {
    for (std::uint32_t& a : s.after) a = number[head[a]];
    std::sort(s.after.begin(), s.after.end());
    s.after.erase(std::unique(s.after.begin(), s.after.end()), s.after.end());
  }
  return result;
}

}  // namespace sunstar::disk_platform
