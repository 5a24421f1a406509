// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/network/forward.h"
#include "models/network/places.h"

namespace sunstar::network {

/// A multistage switch of the SP-2 kind: nodes on chips, chips in frames, and frames connected with one another.
struct SwitchParams {
  static constexpr std::string_view kind = "switch";
  static constexpr std::string_view help = "a multistage switch, as in an SP-2";
  std::uint32_t ports = 160;
  Bandwidth port_bandwidth{34e6};
  std::uint32_t nodes_per_chip = 4;
  std::uint32_t nodes_per_frame = 16;
  Duration chip_delay = 125_ns;
  Bytes chip_buffer = 1_KiB;
  std::uint32_t input_fifo = 4096;
  Duration timing_variation{};
};
BOOST_DESCRIBE_STRUCT(SwitchParams, (),
                      (ports, port_bandwidth, nodes_per_chip, nodes_per_frame, chip_delay, chip_buffer, input_fifo,
                       timing_variation))
inline std::vector<Param> parameters(const SwitchParams*) {
  return {
      {"ports", "nodes that can be connected (Galley, 6.1: 160)", "1", "131072", Tuning::fixed},
      {"port_bandwidth",
       "bandwidth of the link between a node and the switch, in each direction (Galley, 6.1: 34 MB/s)", "1kB/s",
       "1TB/s", faster_network},
      {"nodes_per_chip", "nodes on one switch chip; messages between them cross that chip only", "1", "4096"},
      {"nodes_per_frame",
       "nodes of one frame; messages between its chips cross 3 chips, messages between frames 4, or 5 if there are "
       "more than 5 frames",
       "1", "4096"},
      {"chip_delay", "delay of a message's head in each chip", "0ns", "1ms", faster_network},
      {"chip_buffer",
       "bytes of a waiting message that each chip on its way holds; the rest keeps its sender's link busy", "0B",
       "1MiB"},
      {"input_fifo", "requests that the input FIFO of an interface holds before their senders have to wait", "1",
       "65536", Tuning::setting},
      {"timing_variation",
       "largest random delay of a message, uniform from zero: breaks artificial symmetry",
       "0ns",
       "1ms",
       {Tuning::fixed, faster_network}},
  };
}
inline void check(const SwitchParams& params, const std::string& path, Problems& problems) {
  if (params.nodes_per_frame % params.nodes_per_chip != 0)
    problems.add(json_path(path, "nodes_per_frame"), "is " + std::to_string(params.nodes_per_frame) +
                                                         "; it must be a multiple of nodes_per_chip, " +
                                                         std::to_string(params.nodes_per_chip));
}

std::unique_ptr<Fabric> make(const SwitchParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable);
inline Places places(const SwitchParams& params) { return Places::by_number(params.ports); }
/// A message crosses at most five chips.
inline Pace pace(const SwitchParams& params) {
  return Pace::by_bytes(params.port_bandwidth, 5 * params.chip_buffer.count);
}

}  // namespace sunstar::network
