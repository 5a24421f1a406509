// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "models/network/cube/cube.h"

namespace sunstar::network {

/// The way of a message, dimension by dimension, round links that are down. If a link on its way in a ring is down it
/// goes round the other way; on a mesh, or if both ways are broken, it has no way: the order of dimensions is fixed.
/// `ties`: as Cube::route() takes them. A link to or from a router that is down counts as down.
///
/// Packets cannot wait for one another in a circle, on a torus only under the rule `dateline` (vc_class_rule.h), which
/// CubeNetwork::unsafe_detours() asks for: a packet goes less than once round a ring, and crosses the dateline at
/// most once. Rules that choose a class on entering a ring rely on ways of at most half the ring.
std::optional<Cube::Directions> detour(const Cube& cube, std::uint32_t from, std::uint32_t to, std::uint32_t ties,
                                       const std::function<bool(std::uint32_t link)>& down);

}  // namespace sunstar::network
