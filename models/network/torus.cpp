// SPDX-License-Identifier: MIT
#include "models/network/torus.h"

#include <algorithm>
#include <cassert>

namespace sunstar::network {

Torus::Torus(std::vector<std::uint32_t> shape) : shape_(std::move(shape)) {
  for (std::uint32_t k : shape_) {
    assert(k > 0);
    stride_.push_back(routers_);
    routers_ *= k;
  }
  channels_per_router_ = 2 + 2 * dimensions();
  for (std::uint32_t r = 0; r < routers_; ++r)
    for (std::uint32_t d = 0; d < dimensions(); ++d) coordinate_.push_back(r / stride_[d] % shape_[d]);
}

std::vector<std::uint32_t> Torus::coordinates(std::uint32_t router) const {
  const auto first = coordinate_.begin() + static_cast<std::ptrdiff_t>(router) * dimensions();
  return {first, first + dimensions()};
}

std::uint32_t Torus::router_at(const std::vector<std::uint32_t>& c) const {
  assert(c.size() == shape_.size());
  std::uint32_t router = 0;
  for (std::uint32_t d = 0; d < dimensions(); ++d) router += c[d] * stride_[d];
  return router;
}

std::uint32_t Torus::distance(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t hops = 0;
  for (std::uint32_t d = 0; d < dimensions(); ++d) {
    const std::uint32_t a = coordinate_[from * dimensions() + d], b = coordinate_[to * dimensions() + d];
    const std::uint32_t apart = a > b ? a - b : b - a;
    hops += std::min(apart, shape_[d] - apart);
  }
  return hops;
}

std::string Torus::channel_name(std::uint32_t channel) const {
  const std::uint32_t kind = channel % channels_per_router_;
  const std::string router = "router" + std::to_string(channel / channels_per_router_) + ".";
  if (kind < 2) return router + (kind == 0 ? "injection" : "ejection");
  return router + (kind % 2 == 0 ? "up" : "down") + std::to_string((kind - 2) / 2);
}

}  // namespace sunstar::network
