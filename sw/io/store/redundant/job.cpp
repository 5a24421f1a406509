// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/job.h"

#include <algorithm>

namespace sunstar::io::redundant {

void Job::lay_out() {
  std::sort(wholes.begin(), wholes.end(), [](const Whole& a, const Whole& b) {
    const Part &p = a.parts.front(), &q = b.parts.front();
    return std::pair(p.unit.member, p.from) < std::pair(q.unit.member, q.from);
  });
  parts.clear();
  std::uint32_t own = 0;
  for (Whole& w : wholes) {
    const Part& p = w.parts.front();
    w.own = own;
    if (!parts.empty() && parts.back().unit == p.unit) parts.back().sectors += p.sectors;
    else parts.push_back({p.unit, p.from, p.sectors, own});
    own += p.sectors;
  }
}

}  // namespace sunstar::io::redundant
