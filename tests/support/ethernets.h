// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "models/network/ethernet/ethernet_params.h"

namespace sunstar::test {

/// Eight stations at 100 Mb/s without delays but the switch's 10 us, so that times are those of bits: a byte takes 80
/// ns, the gap 960 ns.
inline network::EthernetParams short_ethernet(const std::string& medium, const std::string& duplex = "full") {
  network::EthernetParams params;
  params.ports = 8;
  params.medium = medium;
  params.duplex = duplex;
  params.cable = 0;
  params.station_latency = params.hub_latency = Duration{};
  return params;
}

}  // namespace sunstar::test
