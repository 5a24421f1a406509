// SPDX-License-Identifier: MIT
#include "models/network/ethernet/ethernet_params.h"

#include "models/network/ethernet/csma_cd.h"

namespace sunstar::network {

std::vector<Param> parameters(const EthernetParams*) {
  const auto hub = [](Param p) { return std::move(p).used_if("medium", {"hub"}); };
  const auto on_switch = [](Param p) { return std::move(p).used_if("medium", {"switch"}); };
  const auto collides = [](Param p) { return std::move(p).used_if("medium", {"hub"}).used_if("duplex", {"half"}); };
  return {
      {"ports", "stations that can be connected", "1", "1024", Tuning::fixed},
      {"medium",
       "hub: all stations share one half-duplex medium (CSMA/CD); switch: each has a link to a store-and-forward "
       "switch",
       "",
       "",
       {"hub", "switch"},
       Tuning::part},
      on_switch({"duplex",
                 "full: a link carries frames in both directions at once; half: in one at a time (CSMA/CD)",
                 "",
                 "",
                 {"full", "half"},
                 Tuning::part}),
      {"bandwidth", "bit rate, in bytes: 12.5 MB/s is Fast Ethernet (IEEE 802.3u), 1.25 MB/s Ethernet", "1kB/s",
       "125MB/s", faster_network},
      {"preamble", "preamble and start of frame delimiter (IEEE 802.3, 3.1.1)", "1B", "64B"},
      {"header", "addresses and type (IEEE 802.3, 3.1.1)", "0B", "64B"},
      {"fcs", "frame check sequence (IEEE 802.3, 3.1.1)", "0B", "64B"},
      {"minimum_payload", "a shorter payload is padded (IEEE 802.3, 4.4.2: frames of at least 64 bytes)", "0B",
       "64KiB"},
      Param{"mtu", "largest payload; a longer message goes as several frames (IEEE 802.3, 3.2.7)", "1B", "64KiB"}
          .usually("128B", "64KiB"),
      Param{"gap_bits", "bit times between frames (IEEE 802.3, 4.4.2: 96)", "0", "100000"}.usually("8", "1000"),
      collides(Param{"slot_bits", "bit times of a slot, the unit of back-off (IEEE 802.3, 4.4.2: 512)", "1", "100000"}
                   .usually("64", "8192")),
      collides(
          Param{"jam_bits", "bits that a station sends on after a collision (IEEE 802.3, 4.4.2: 32)", "0", "100000"}
              .usually("8", "1000")),
      collides(Param{"attempt_limit",
                     "attempts after which an interface gives up and its driver starts over (IEEE 802.3, 4.4.2: 16)",
                     "2", "64"}
                   .usually("4", "64")),
      collides(
          Param{"backoff_limit",
                "collisions of a frame after which the range of its back-off grows no more (IEEE 802.3, 4.4.2: 10)",
                "1", "30"}
              .usually("4", "20")),
      {"cable", "metres of cable between a station and the hub or switch", "0", "10000"},
      hub({"positions", "metres along one coaxial cable at which the stations are; takes the place of hub and cables",
           "0", "10000"}),
      {"propagation_speed",
       "speed of signals on the cable, as a share of the speed of light (IEEE 802.3u, Table 29-3: 1.112 bit times for "
       "a metre and back on category 5)",
       "0.1", "1"},
      collides({"station_latency",
                "delay of a signal in the sending and receiving interfaces together (IEEE 802.3u, Table 29-3: 100 bit "
                "times there and back)",
                "0ns", "100us", faster_network}),
      hub({"hub_latency",
           "delay of a signal in the hub (IEEE 802.3u, Table 29-3: 92 bit times there and back, class II)", "0ns",
           "100us", faster_network}),
      on_switch({"switch_latency", "from the last bit of a frame received until the switch can send it on", "0ns",
                 "1ms", faster_network}),
      {"loopback_latency", "time of a message from a node to itself, in the node's kernel: no medium carries it", "1ns",
       "1ms", faster_network},
      on_switch({"port_buffer",
                 "bytes of frames that wait or leave at a port of the switch; while there is no room for a frame, its "
                 "sender pauses",
                 "0B", "64MiB"}),
      input_fifo_param(),
      timing_variation_param(),
  };
}

void check(const EthernetParams& params, const std::string& path, Problems& problems) {
  const bool hub = params.medium == "hub";
  if (params.mtu < params.minimum_payload)
    problems.add(json_path(path, "mtu"), "is ", params.mtu.count, " bytes; it must be at least minimum_payload, ",
                 params.minimum_payload.count, " bytes");
  if (hub && !params.positions.empty() && params.positions.size() != params.ports)
    problems.add(json_path(path, "positions"), "has ", params.positions.size(),
                 " entries; there must be one for each of the ", params.ports, " ports, or none");
  else if (hub || params.duplex == "half") {
    // A station that just misses the other's signal must still be sending when that signal arrives, so that both notice
    // the collision; with the jam it must end within a slot.
    const Wiring wiring = hub ? Wiring::hub(params) : Wiring::link(params);
    const double there_and_back = 2 * seconds(wiring.farthest()) / seconds(params.bit_times(1));
    const auto shortest = static_cast<double>(8 * (params.wire_bytes(0) - params.preamble.count));
    if (const double limit = std::min<double>(params.slot_bits, shortest); there_and_back + params.jam_bits > limit)
      problems.add(json_path(path, "slot_bits"), "is ", params.slot_bits, " and the shortest frame has ",
                   static_cast<std::uint64_t>(shortest), " bits; the longest way and back takes ",
                   static_cast<std::uint64_t>(there_and_back), " bit times, and with the jam it must fit into both");
  }
  if (!hub && params.port_buffer.count < params.wire_bytes(params.mtu.count))
    problems.add(json_path(path, "port_buffer"), "is ", params.port_buffer.count,
                 " bytes; it must hold the longest frame, ", params.wire_bytes(params.mtu.count), " bytes");
}

}  // namespace sunstar::network
