// SPDX-License-Identifier: MIT
#include "models/network/cube/cube.h"

#include <algorithm>
#include <cassert>

#include "models/core/ranges.h"

namespace sunstar::network {

Cube::Cube(std::vector<std::uint32_t> shape, Topology topology)
    : shape_(std::move(shape)), topology_(topology), channels_per_router_(2 + 2 * dimensions()) {
  assert(!shape_.empty());
  for (std::uint32_t k : shape_) {
    assert(k > 0);
    stride_.push_back(routers_);
    routers_ *= k;
  }
  for (std::uint32_t r = 0; r < routers_; ++r)
    for (std::uint32_t d = 0; d < dimensions(); ++d) coordinate_.push_back(r / stride_[d] % shape_[d]);
}

std::uint32_t Cube::distance(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t hops = 0;
  for (std::uint32_t d = 0; d < dimensions(); ++d) {
    const std::uint32_t a = coordinate_[from * dimensions() + d], b = coordinate_[to * dimensions() + d];
    const std::uint32_t apart = a > b ? a - b : b - a;
    hops += topology_ == Topology::mesh ? apart : std::min(apart, shape_[d] - apart);
  }
  return hops;
}

std::uint32_t Cube::longest_way() const {
  return sum(shape_, [](std::uint32_t k) { return k - 1; });
}

bool Cube::has_link(std::uint32_t router, std::uint32_t dimension, bool up) const {
  const std::uint32_t k = shape_[dimension];
  if (k == 1 || topology_ == Topology::torus) return k > 1;
  return coordinate(router, dimension) != (up ? k - 1 : 0);
}

std::uint32_t Cube::neighbour(std::uint32_t router, std::uint32_t dimension, bool up) const {
  if (!has_link(router, dimension, up)) return router;
  const std::uint32_t k = shape_[dimension], here = coordinate(router, dimension),
                      there = (here + (up ? 1 : k - 1)) % k;
  return router + (there - here) * stride_[dimension];  // unsigned numbers wrap round to count down
}

bool Cube::is_link(std::uint32_t channel) const {
  const std::uint32_t kind = channel % channels_per_router_;
  return kind >= 2 && has_link(channel / channels_per_router_, (kind - 2) / 2, kind % 2 == 0);
}

std::string Cube::channel_name(std::uint32_t channel) const {
  const std::uint32_t kind = channel % channels_per_router_;
  const std::string router = "router" + std::to_string(channel / channels_per_router_) + ".";
  if (kind < 2) return router + (kind == 0 ? "injection" : "ejection");
  return router + (kind % 2 == 0 ? "up" : "down") + std::to_string((kind - 2) / 2);
}

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
