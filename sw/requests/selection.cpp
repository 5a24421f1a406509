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

std::uint32_t Selection::place(os::Os* charged, std::uint64_t number, const std::byte* record) const {
  switch (function) {
    case Function::cyclic:
      if (charged) charged->charge<os::Cost::record_cyclic>();
      return static_cast<std::uint32_t>(number % processors);
    case Function::hash:
      if (charged) charged->charge<os::Cost::record_hash>();
      return static_cast<std::uint32_t>(mix64(key.read(record)) % processors);
    case Function::range: break;
  }
  if (charged) {
    charged->charge<os::Cost::record_range>();
    charged->charge(os::Cost::sort_comparison, static_cast<double>(std::bit_width(boundaries.size())));
  }
  const std::uint64_t value = key.read(record);
  const os::Counted<os::Cost::sort_comparison> search;
  const auto above = std::ranges::upper_bound(boundaries, value);
  return static_cast<std::uint32_t>(above - boundaries.begin());
}

void Selection::charge_filter(os::Os& os, std::uint64_t records) const {
  if (filters()) os.charge(os::Cost::record_filter, static_cast<double>(records));
}

}  // namespace sunstar::requests
