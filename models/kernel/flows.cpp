// SPDX-License-Identifier: MIT
#include "models/kernel/flows.h"

#include <algorithm>
#include <utility>

namespace sunstar {

void Flows::add(std::uint32_t request, const Point& point) {
  auto at = young_.find(request);
  if (at == young_.end()) {
    if (young_.size() == most_requests_) {
      write_all(old_);
      std::swap(young_, old_);
    }
    Chain chain;
    if (const auto before = old_.find(request); before != old_.end()) {
      chain = std::move(before->second);
      old_.erase(before);
    }
    at = young_.emplace(request, std::move(chain)).first;
  }
  Chain& chain = at->second;
  chain.points.push_back(point);
  if (chain.points.size() == most_points_) write(request, chain, most_points_ / 2, false);
}

void Flows::write(std::uint32_t request, Chain& chain, std::size_t points, bool last) {
  std::ranges::stable_sort(chain.points, {}, [](const Point& p) { return std::pair(p.at, p.turn); });
  for (std::size_t i = 0; i < points; ++i) {
    write_(request, chain.written ? &*chain.written : nullptr, chain.points[i], last && i + 1 == points);
    chain.written = chain.points[i];
  }
  chain.points.erase(chain.points.begin(), chain.points.begin() + static_cast<std::ptrdiff_t>(points));
}

void Flows::write_all(Chains& chains) {
  std::vector<std::uint32_t> requests;  // in an order that no hash decides
  for (const auto& [request, chain] : chains)
    if (chain.written || chain.points.size() > 1) requests.push_back(request);
  std::ranges::sort(requests);
  for (const std::uint32_t request : requests) {
    Chain& chain = chains.at(request);
    write(request, chain, chain.points.size(), true);
  }
  chains.clear();
}

void Flows::finish() {
  write_all(old_);
  write_all(young_);
}

}  // namespace sunstar
