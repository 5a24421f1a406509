// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <vector>

namespace sunstar::disk_platform {

using Point = std::vector<double>;

/// Looks for a minimum by the simplex method of Nelder and Mead (The Computer Journal 7(4), 1965) and returns where it
/// is. The first simplex has `start` and the points that lie `step` from it along each axis; after half of the
/// evaluations a new one is begun at the best point.
Point minimum(Point start, double step, std::size_t evaluations, const std::function<double(const Point&)>& value);

}  // namespace sunstar::disk_platform
