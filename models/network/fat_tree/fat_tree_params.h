// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/network/forward.h"
#include "models/network/places.h"

namespace sunstar::network {

/// The port by which a message goes up from a switch. `d_mod_k`: chosen by its destination, so that all messages to a
/// node meet in one switch at the top; `adaptive`: the least loaded, as far as the switch knows.
enum class UpRouting : std::uint8_t { d_mod_k, adaptive };
BOOST_DESCRIBE_ENUM(UpRouting, d_mod_k, adaptive)

/// A fat tree of switches, as in clusters since InfiniBand; the default has HDR switches.
struct FatTreeParams {
  static constexpr std::string_view kind = "fat-tree";
  static constexpr std::string_view help = "a fat tree of switches, with static or adaptive routing";
  std::uint32_t switch_ports = 40;
  std::uint32_t levels = 2;
  double oversubscription = 1;
  UpRouting routing = UpRouting::adaptive;
  Bandwidth link_bandwidth{25e9};
  Duration switch_delay = 130_ns;
  Duration cable_delay = 15_ns;
  Bytes switch_buffer = 32_KiB;
  std::uint32_t input_fifo = 4096;
  Duration timing_variation{};

  /// Ports of a leaf switch that lead to nodes.
  std::uint32_t leaf_down() const;
};
BOOST_DESCRIBE_STRUCT(FatTreeParams, (),
                      (switch_ports, levels, oversubscription, routing, link_bandwidth, switch_delay, cable_delay,
                       switch_buffer, input_fifo, timing_variation))
std::vector<Param> parameters(const FatTreeParams*);
void check(const FatTreeParams& params, const std::string& path, Problems& problems);

std::unique_ptr<Fabric> make(const FatTreeParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable);
Places places(const FatTreeParams& params);
Pace pace(const FatTreeParams& params);

}  // namespace sunstar::network
