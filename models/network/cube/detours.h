// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "models/network/cube/cube.h"

namespace sunstar::network {

/// The way of a message, dimension by dimension, round links that are down. Where a link on its way in a ring is down
/// it takes the other way round; on a mesh, or if both ways are broken, there is none: the order of dimensions stays.
/// `ties`: as Cube::route() takes them. A link to or from a router that is down counts as down.
///
/// No circle of waiting packets closes, on a torus only under the rule `dateline` (vc_class_rule.h), which a network
/// whose links can break must use: a packet goes less than once round a ring, and crosses the dateline at most once.
/// The rules that choose a class on entering a ring count on ways of at most half of it.
std::optional<Cube::Directions> detour(const Cube& cube, std::uint32_t from, std::uint32_t to, std::uint32_t ties,
                                       const std::function<bool(std::uint32_t link)>& down);

}  // namespace sunstar::network
