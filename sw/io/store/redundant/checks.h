// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "models/core/content/content.h"
#include "sw/io/store/redundant/geometry.h"
#include "sw/io/store/redundant/plan.h"

namespace sunstar::io::redundant {

/// How the checks of a row, as they are, compare with those that its data ask for.
struct CheckedRow {
  std::vector<std::uint32_t> differ;   ///< members that are checks and not what they should be
  std::optional<std::uint32_t> wrong;  ///< the unit that is wrong, if all others fit together: with two checks only
};

/// `unit(slice)`: the content of a unit that a plan of checking has read, or computed, there.
CheckedRow check(const Geometry& geometry, const std::vector<Compared>& compared, std::uint32_t unit_bytes,
                 const std::function<content::Content(const Slice&)>& unit);

}  // namespace sunstar::io::redundant
