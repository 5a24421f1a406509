// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "models/core/content/content.h"

namespace sunstar::io::redundant {

/// Adds `factor` (galois.h) times `what` to `sum`, from byte `at` of it on. With a factor of 1 content stays described;
/// with another it becomes bytes.
void add(content::Content& sum, std::uint32_t at, const content::Content& what, std::uint8_t factor);
/// The same with bytes, a multiple of 64, for those who count instructions: as Linux 2.4's xor_8regs, or with a table.
void add(std::byte* sum, const std::byte* what, std::uint32_t bytes, std::uint8_t factor);

}  // namespace sunstar::io::redundant
