// SPDX-License-Identifier: MIT
#include "models/network/cube/detours.h"

namespace sunstar::network {

std::optional<Cube::Directions> detour(const Cube& cube, std::uint32_t from, std::uint32_t to, std::uint32_t ties,
                                       const std::function<bool(std::uint32_t link)>& down) {
  Cube::Directions found(ties);
  for (std::uint32_t d = 0, here = from; d < cube.dimensions(); ++d) {
    const auto end = cube.coordinate(to, d);
    if (cube.coordinate(here, d) == end) continue;
    // The router where this way round leads, if it is open.
    const auto follow = [&](bool up) -> std::optional<std::uint32_t> {
      std::uint32_t at = here;
      for (; cube.coordinate(at, d) != end; at = cube.neighbour(at, d, up))
        if (!cube.has_link(at, d, up) || down(cube.link(at, d, up))) return std::nullopt;
      return at;
    };
    const bool up = cube.next_step(here, to, ties).up;
    auto next = follow(up);
    if (!next) {
      next = follow(!up);
      if (!next) return std::nullopt;
      found.forced |= 1u << d;
      found.up = up ? found.up & ~(1u << d) : found.up | 1u << d;
    }
    here = *next;
  }
  return found;
}

}  // namespace sunstar::network
