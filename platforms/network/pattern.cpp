// SPDX-License-Identifier: MIT
#include "platforms/network/pattern.h"

#include "models/core/one_of.h"

namespace sunstar::traffic {
namespace {

using Params = Pattern::Params;

std::uint32_t routers(const Params& p) {
  std::uint32_t n = 1;
  for (const std::uint32_t k : p.shape) n *= k;
  return n;
}

/// The router whose coordinates are change(coordinate, routers in that dimension).
template <class Change>
std::uint32_t each_coordinate(std::uint32_t from, const Params& p, Change&& change) {
  std::uint32_t to = 0, stride = 1;
  for (const std::uint32_t k : p.shape) {
    to += change(from % k, k) * stride;
    from /= k;
    stride *= k;
  }
  return to;
}

// Every router is equally likely, including the sender.
std::uint32_t uniform(std::uint32_t, const Params& p, RandomStream& random) {
  return static_cast<std::uint32_t>(random.below(routers(p)));
}

// To the router with the coordinates in reverse order.
std::uint32_t transpose(std::uint32_t from, const Params& p, RandomStream&) {
  std::uint32_t to = 0;
  for (const std::uint32_t k : p.shape) {
    to = to * k + from % k;
    from /= k;
  }
  return to;
}

// To the router whose number has the same bits in reverse order; the number of routers is a power of two.
std::uint32_t bit_reversal(std::uint32_t from, const Params& p, RandomStream&) {
  std::uint32_t to = 0;
  for (std::uint32_t n = routers(p); n > 1; n /= 2, from /= 2) to = 2 * to + from % 2;
  return to;
}

std::uint32_t complement(std::uint32_t from, const Params& p, RandomStream&) {
  return each_coordinate(from, p, [](std::uint32_t c, std::uint32_t k) { return k - 1 - c; });
}

// Just less than half-way round each ring, so all messages turn the same way.
std::uint32_t tornado(std::uint32_t from, const Params& p, RandomStream&) {
  return each_coordinate(from, p, [](std::uint32_t c, std::uint32_t k) { return (c + (k - 1) / 2) % k; });
}

std::uint32_t neighbour(std::uint32_t from, const Params& p, RandomStream&) {
  return each_coordinate(from, p, [](std::uint32_t c, std::uint32_t k) { return (c + 1) % k; });
}

std::uint32_t hotspot(std::uint32_t from, const Params& p, RandomStream& random) {
  return random.uniform() < p.hotspot_share ? p.hotspot : uniform(from, p, random);
}

// To any node of the next group.
std::uint32_t next_group(std::uint32_t from, const Params& p, RandomStream& random) {
  const auto place = static_cast<std::uint32_t>(random.below(p.group));
  return ((from / p.group + 1) * p.group + place) % routers(p);
}

// One line for each pattern.
const Pattern patterns[] = {
    {"uniform", uniform}, {"transpose", transpose}, {"complement", complement}, {"bit-reversal", bit_reversal},
    {"tornado", tornado}, {"neighbour", neighbour}, {"hotspot", hotspot},       {"next-group", next_group},
};

}  // namespace

const Pattern& pattern(std::string_view name) { return named(patterns, name); }
std::vector<std::string> pattern_names() { return names_of(patterns); }

}  // namespace sunstar::traffic
