// SPDX-License-Identifier: MIT
#pragma once
#include <functional>

#include "sw/io/layouts/layout.h"

// The common part of the layout policies; only they and layout.cpp include this.
namespace sunstar::io::layouts {

#define SUNSTAR_LAYOUT(policy) extern const LayoutPolicy policy;
#include "sw/io/layouts/list.h"
#undef SUNSTAR_LAYOUT

/// Throws the ConfigError for a file that does not fit.
[[noreturn]] void does_not_fit(const LayoutRequest& request, const DiskSpace& space, std::string_view why);

/// Divides the disk into `positions` of `sectors_per_position` sectors, draws `wanted` different free positions and
/// calls `use` with each; `use` must take some of its sectors. Throws if too few positions are free.
void take_random(std::uint64_t wanted, std::uint64_t positions, const LayoutRequest& request, DiskSpace& space,
                 RandomStream& random, std::uint64_t sectors_per_position, std::string_view why,
                 const std::function<void(std::uint64_t)>& use);

}  // namespace sunstar::io::layouts
