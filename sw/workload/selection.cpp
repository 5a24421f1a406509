// SPDX-License-Identifier: MIT
#include "sw/workload/selection.h"

#include <algorithm>
#include <bit>

namespace sunstar::workload {

std::uint32_t Selection::processor(std::uint64_t number, const std::byte* record) const {
  switch (function) {
    case Function::cyclic: return static_cast<std::uint32_t>(number % processors);
    case Function::hash: return static_cast<std::uint32_t>(mix64(key.read(record)) % processors);
    case Function::range: break;
  }
  const auto above = std::ranges::upper_bound(boundaries, key.read(record));
  return static_cast<std::uint32_t>(above - boundaries.begin());
}

void Selection::charge_filter(os::Os& os, std::uint64_t records) const {
  if (filters()) os.charge(os::Cost::record_filter, static_cast<double>(records));
}

void Selection::charge_function(os::Os& os, std::uint64_t records) const {
  const auto n = static_cast<double>(records);
  switch (function) {
    case Function::cyclic: os.charge(os::Cost::record_cyclic, n); return;
    case Function::hash: os.charge(os::Cost::record_hash, n); return;
    case Function::range: break;
  }
  os.charge(os::Cost::record_range, n);
  os.charge(os::Cost::sort_comparison, n * static_cast<double>(std::bit_width(boundaries.size())));
}

}  // namespace sunstar::workload
