// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <numeric>

#include "models/core/param.h"

// Types that a fabric's parameters only name; fabric.h defines them.
namespace sc_core {
class sc_module_name;
}
namespace sunstar {
class Timetable;
}

// Facts about a fabric that are known before it is made.
namespace sunstar::network {

class Fabric;

inline constexpr Speedup faster_network{"a network twice as fast", {Stage::network, Stage::network_wait}};

/// The parameters that most fabrics share.
inline Param input_fifo_param() {
  return {"input_fifo", "requests that the input FIFO of an interface holds before their senders have to wait", "1",
          "65536", Tuning::setting};
}
inline Param timing_variation_param() {
  const Literal help = "largest random delay of a message, uniform from zero: breaks artificial symmetry";
  return {"timing_variation", help, "0ns", "1ms", {Tuning::fixed, faster_network}};
}

struct Places {
  using Coordinates = std::vector<std::uint32_t>;
  Coordinates shape;  ///< places in each dimension; ports are numbered with the first coordinate running fastest
  std::string rule;   ///< the rule for coordinates, in error messages: "2 coordinates inside the torus of shape [6,6]"
  std::string size;   ///< the parameter that gives their number: "shape"
  std::string noun;   ///< the noun for a place: "router"
  bool by_coordinates = true;          ///< false: port numbers identify nodes
  std::uint32_t ports_per_router = 0;  ///< "router7" has that many ports in a row and can go down; 0: no router can
  std::uint32_t ports_per_group = 0;   ///< if ports in a row belong to groups
  std::string undecided = {};  ///< why the places are not known yet, continuing a sentence after `size`; then there are
                               ///< none

  std::uint32_t ports() const {
    return shape.empty() ? 0 : std::accumulate(shape.begin(), shape.end(), 1u, std::multiplies<>{});
  }
  std::optional<std::uint32_t> port_at(const Coordinates& coordinates) const {
    if (coordinates.size() != shape.size()) return std::nullopt;
    std::uint32_t port = 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (coordinates[d] >= shape[d]) return std::nullopt;
      port = port * shape[d] + coordinates[d];
    }
    return port;
  }
  Coordinates coordinates(std::uint32_t port) const {
    Coordinates all;
    for (const std::uint32_t k : shape) {
      all.push_back(port % k);
      port /= k;
    }
    return all;
  }

  /// The places of a fabric that identifies nodes by port numbers.
  static Places by_number(std::uint32_t ports) {
    return {{ports}, "the number of a port, 0 to " + std::to_string(ports - 1), "ports", "port", false};
  }
};

/// The units in which synthetic traffic for a fabric is measured.
struct Pace {
  Duration cycle;                  ///< latencies are counted in these
  Bytes flit;                      ///< loads are counted in these
  Duration flit_time;              ///< time of a flit on the link from a node
  std::uint64_t buffer_bytes = 0;  ///< most bytes of one node's messages inside the fabric

  /// The pace of a fabric without flits: a byte at a time.
  static Pace by_bytes(Bandwidth link, std::uint64_t buffer_bytes) {
    return {link.time_for(1), Bytes{1}, link.time_for(1), buffer_bytes};
  }
};

}  // namespace sunstar::network
