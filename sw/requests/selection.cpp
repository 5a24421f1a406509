// SPDX-License-Identifier: MIT
#include "sw/requests/selection.h"

#include "models/core/random.h"

namespace sunstar::requests {

bool Selection::keeps(const std::byte* record) const {
  const os::Counted<os::Cost::record_filter> mark;
  if (!filters()) return true;
  std::uint32_t field;
  std::memcpy(&field, record + filter_offset, filter_bytes);
  return field >= discarded_below;
}

std::uint32_t Selection::place(std::uint64_t number, const std::byte* record) const {
  switch (function) {
    case Function::cyclic: return static_cast<std::uint32_t>(number % processors);
    case Function::hash: return static_cast<std::uint32_t>(mix64(key.read(record)) % processors);
    case Function::range: break;
  }
  const std::uint64_t value = key.read(record);
  const os::Counted<os::Cost::sort_comparison> search;
  const auto above = std::ranges::upper_bound(boundaries, value);
  return static_cast<std::uint32_t>(above - boundaries.begin());
}

void Selection::charge_filter(os::Os& os, std::uint64_t records) const {
  if (filters()) os.charge(os::Cost::record_filter, static_cast<double>(records));
}

void Selection::charge_function(os::Os& os) const {
  switch (function) {
    case Function::cyclic: os.charge<os::Cost::record_cyclic>(); return;
    case Function::hash: os.charge<os::Cost::record_hash>(); return;
    case Function::range: break;
  }
  os.charge<os::Cost::record_range>();
  os.charge(os::Cost::sort_comparison, static_cast<double>(std::bit_width(boundaries.size())));
}

}  // namespace sunstar::requests
