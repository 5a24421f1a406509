// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/core/quantity.h"
#include "models/network/ethernet/ethernet_params.h"

namespace sunstar::network {

/// Signal delays between the stations of one shared medium.
class Wiring {
 public:
  /// All stations of a hub, or of a coaxial cable if they have positions.
  static Wiring hub(const EthernetParams& params) {
    Wiring wiring;
    wiring.along_ = !params.positions.empty();
    for (const std::uint32_t metres : params.positions) wiring.at_.push_back(params.propagation(metres));
    wiring.middle_ = params.station_latency;
    if (!wiring.along_) {
      wiring.at_.assign(params.ports, params.propagation(params.cable));
      wiring.middle_ += params.hub_latency;
    }
    return wiring;
  }
  /// The two ends of a link.
  static Wiring link(const EthernetParams& params) {
    Wiring wiring;
    wiring.along_ = true;
    wiring.at_ = {Duration{}, params.propagation(params.cable)};
    wiring.middle_ = params.station_latency;
    return wiring;
  }

  std::uint32_t stations() const { return static_cast<std::uint32_t>(at_.size()); }
  /// The delay from one station to another.
  Duration delay(std::uint32_t a, std::uint32_t b) const {
    if (!along_) return at_[a] + middle_ + at_[b];
    return middle_ + (at_[a] > at_[b] ? at_[a] - at_[b] : at_[b] - at_[a]);
  }
  /// The delay between the two stations farthest apart.
  Duration farthest() const {
    const auto [least, greatest] = std::minmax_element(at_.begin(), at_.end());
    return middle_ + *greatest + (along_ ? -*least : *greatest);
  }

 private:
  Wiring() = default;

  bool along_ = false;        // a cable without a hub
  std::vector<Duration> at_;  // by station: delay from the hub, or from the beginning of the cable
  Duration middle_{};         // delay of the interfaces and the hub
};

}  // namespace sunstar::network
