// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/content/content.h"
#include "sw/io/store/redundant/plan.h"

namespace sunstar::io::redundant {

void replace(content::Content& in, std::uint32_t at, const content::Content& by);
/// Adds `factor` (galois.h) times `what` to `sum`, from byte `at` of it on. With a factor of 1 content stays described;
/// otherwise it becomes bytes.
void add(content::Content& sum, std::uint32_t at, const content::Content& what, std::uint8_t factor);
/// The same with bytes, a multiple of 64, to count instructions: as Linux 2.4's xor_8regs, or with a table.
void add(std::byte* sum, const std::byte* what, std::uint32_t bytes, std::uint8_t factor);

/// The comparison of a row's checks with the checks that its data require.
struct CheckedRow {
  std::vector<std::uint32_t> differ;   ///< members that are checks and do not match the data
  std::optional<std::uint32_t> wrong;  ///< the wrong unit, if all other units agree: with two checks only
};

/// `unit(slice)`: the content of a unit that a plan of checking has read into the slice, or computed there.
CheckedRow check(const Geometry& geometry, const std::vector<Compared>& compared, std::uint32_t unit_bytes,
                 const std::function<content::Content(const Slice&)>& unit);

}  // namespace sunstar::io::redundant
