// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/places.h"

namespace sunstar::network {

/// A fabric whose messages all take the same time, whatever their length and number.
struct FixedDelayParams {
  static constexpr std::string_view kind = "fixed-delay";
  static constexpr std::string_view help = "every message takes the same time, however long it is";
  std::uint32_t ports = 64;
  Duration delay = 10_us;
  Bandwidth port_bandwidth = 200_MBps;
  std::uint32_t input_fifo = 64;
  Duration timing_variation{};
};
BOOST_DESCRIBE_STRUCT(FixedDelayParams, (), (ports, delay, port_bandwidth, input_fifo, timing_variation))
inline std::vector<Param> parameters(const FixedDelayParams*) {
  return {
      {"ports", "nodes that can be connected", "1", "131072", Tuning::fixed},
      {"delay", "time between a message's departure from its node and its arrival", "0ns", "1s", faster_network},
      {"port_bandwidth",
       "reference for messages: whether they are longer than the timing variation, and the load that synthetic traffic "
       "offers",
       "1kB/s", "1TB/s"},
      input_fifo_param(),
      timing_variation_param(),
  };
}

std::unique_ptr<Fabric> make(const FixedDelayParams&, const sc_core::sc_module_name&, std::uint64_t seed, Timetable*);
inline Places places(const FixedDelayParams& params) { return Places::by_number(params.ports); }
inline Pace pace(const FixedDelayParams& params) {
  return Pace::by_bytes(params.port_bandwidth,
                        static_cast<std::uint64_t>(params.delay / params.port_bandwidth.time_for(1)));
}

}  // namespace sunstar::network
