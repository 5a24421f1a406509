// SPDX-License-Identifier: MIT
#include "sw/os/accounts.h"

#include <algorithm>

namespace sunstar::os {

void Accounts::count_on(const Accounts& before, const CostTally& handlers) {
  for (const ThreadKind& k : before.kinds_) {
    ThreadKind& same = kind(k.name);
    same.tally = &k == before.handlers_kind_ ? handlers : k.tally;
    same.computed = k.computed;
  }
}

void Accounts::add_costs(StatisticSet& all, const std::string& node, const CostTally& handlers) const {
  const auto add = [&](const std::string& kind, const std::string& what, double times, double cycles) {
    const std::string owner = "." + kind + "." + what;
    all.add({node + ".cycles" + owner, "processor cycles that threads of this kind spent on this primitive", "cycles",
             [cycles] { return cycles; }});
    all.add({node + ".count" + owner, "how often threads of this kind carried out this primitive", "1",
             [times] { return times; }});
  };
  for (const ThreadKind& k : kinds_) {
    std::string kind = k.name;
    std::ranges::replace(kind, ' ', '_');
    const CostTally& tally = &k == handlers_kind_ ? handlers : k.tally;
    for (std::size_t c = 0; c < cost_count; ++c)
      if (tally[c] > 0) add(kind, cost_names[c], tally[c], tally[c] * cycles_[c].count);
    if (k.computed > 0) add(kind, "computing", 1, k.computed);
  }
}

}  // namespace sunstar::os
