// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/problems.h"
#include "models/network/places.h"

namespace sunstar::network {

/// An Ethernet (IEEE 802.3): stations that share a medium, or stations on a switch. docs/models/ethernet.md gives the
/// source of each default.
struct EthernetParams {
  static constexpr std::string_view kind = "ethernet";
  static constexpr std::string_view help = "a hub or a store-and-forward switch";
  std::uint32_t ports = 16;
  std::string medium = "hub";
  std::string duplex = "full";
  Bandwidth bandwidth{12.5e6};
  Bytes preamble = 8_B;
  Bytes header = 14_B;
  Bytes fcs = 4_B;
  Bytes minimum_payload = 46_B;
  Bytes mtu = 1500_B;
  std::uint32_t gap_bits = 96;
  std::uint32_t slot_bits = 512;
  std::uint32_t jam_bits = 32;
  std::uint32_t attempt_limit = 16;
  std::uint32_t backoff_limit = 10;
  std::uint32_t cable = 5;
  std::vector<std::uint32_t> positions;
  double propagation_speed = 0.6;
  Duration station_latency = 500_ns;
  Duration hub_latency = 460_ns;
  Duration switch_latency = 10_us;
  Duration loopback_latency = 1_us;
  Bytes port_buffer = 64_KiB;
  std::uint32_t input_fifo = 64;
  Duration timing_variation{};

  /// Time for this many bits.
  Duration bit_times(std::uint64_t bits) const {
    return picoseconds(static_cast<double>(bits) * 1e12 / (8 * bandwidth.bytes_per_second));
  }
  Duration gap() const { return bit_times(gap_bits); }
  /// Bytes of a frame with this many bytes of payload, from the preamble to the frame check sequence.
  std::uint64_t wire_bytes(std::uint64_t payload) const {
    return preamble.count + header.count + std::max(payload, minimum_payload.count) + fcs.count;
  }
  Duration frame_time(std::uint64_t payload) const { return bandwidth.time_for(wire_bytes(payload)); }
  /// Frames that carry a message of this many bytes.
  std::uint64_t frames(std::uint64_t bytes) const {
    return std::max<std::uint64_t>((bytes + mtu.count - 1) / mtu.count, 1);
  }
  /// Time that a signal takes over this many metres of cable.
  Duration propagation(std::uint32_t metres) const {
    constexpr double light = 299'792'458;  // m/s
    return from_seconds(metres / (propagation_speed * light));
  }
};
BOOST_DESCRIBE_STRUCT(EthernetParams, (),
                      (ports, medium, duplex, bandwidth, preamble, header, fcs, minimum_payload, mtu, gap_bits,
                       slot_bits, jam_bits, attempt_limit, backoff_limit, cable, positions, propagation_speed,
                       station_latency, hub_latency, switch_latency, loopback_latency, port_buffer, input_fifo,
                       timing_variation))
std::vector<Param> parameters(const EthernetParams*);
/// Every station of a collision must hear it while it sends.
void check(const EthernetParams& params, const std::string& path, Problems& problems);

std::unique_ptr<Fabric> make(const EthernetParams&, const sc_core::sc_module_name&, std::uint64_t seed, Timetable*);
inline Places places(const EthernetParams& params) { return Places::by_number(params.ports); }
inline Pace pace(const EthernetParams& params) {
  return Pace::by_bytes(params.bandwidth, params.medium == "switch" ? params.port_buffer.count : 0);
}

}  // namespace sunstar::network
