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
/// whose links can break must use. Dimensions are still taken in order, so a circle would lie in one ring and
/// direction. A packet goes less than once round it and so crosses the dateline at most once: in class 0 nobody waits
/// for the link across, and in class 1 nobody who has crossed it waits for it again. The rules that choose a class on
/// entering a ring count on ways of at most half of it: with `static`, packets from 2 to 1 the long way up, and from 7
/// to 3 the short way, fill class 1 of a ring of eight.
std::optional<Cube::Directions> detour(const Cube& cube, std::uint32_t from, std::uint32_t to, std::uint32_t ties,
                                       const std::function<bool(std::uint32_t link)>& down);

}  // namespace sunstar::network
