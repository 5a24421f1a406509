// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/io/store/redundant/plan.h"

namespace sunstar::disk_platform {

/// Joins commands of a plan: those that read, or that write, on one disk with at most `gap` sectors between them become
/// one, which waits for all that they waited for. Who waited for one of them waits for all of it. What memory they use
/// is forgotten: this is for disks that hold no data.
io::redundant::Plan joined(const io::redundant::Plan& plan, std::uint32_t gap);

}  // namespace sunstar::disk_platform
