// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/core/quantity.h"

namespace sunstar {

/// The spans of a timeline that one request goes through, kept until they can be written as one chain of arrows. Spans
/// arrive in the order of their ends, arrows go in the order of their beginnings, and the last span is known only when
/// no more arrive. So a request's points are written once many other requests have had points since its last one. The
/// memory is bounded: a very long chain is written piece by piece, and a request that sleeps for very long begins
/// another chain.
class Flows {
 public:
  static constexpr std::uint32_t last_turn = ~std::uint32_t{0};
  struct Point {
    Time at{};  ///< when the point's span begins
    std::uint32_t group = 0, track = 0;
    std::uint32_t turn = last_turn;  ///< the order of spans that begin at the same time
    std::uint64_t span = 0;          ///< the span's number
  };
  /// Writes the next point of a request's chain. `before`: the arrow's origin; null for the first point.
  using Write = std::function<void(std::uint32_t request, const Point* before, const Point& point, bool last)>;

  explicit Flows(Write write, std::size_t most_requests = 4096, std::size_t most_points = 64)
      : write_(std::move(write)), most_requests_(most_requests), most_points_(most_points) {}

  void add(std::uint32_t request, const Point& point);
  /// Writes all remaining points.
  void finish();

 private:
  struct Chain {
    std::vector<Point> points;
    std::optional<Point> written;  // the last written point
  };
  using Chains = boost::unordered_flat_map<std::uint32_t, Chain>;

  void write(std::uint32_t request, Chain& chain, std::size_t points, bool last);
  void write_all(Chains& chains);

  Write write_;
  std::size_t most_requests_, most_points_;
  Chains young_, old_;  // old: saw no point while most_requests_ others were active
};

}  // namespace sunstar
