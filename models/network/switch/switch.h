// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cassert>

#include "models/core/problems.h"
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
      input_fifo_param(),
      timing_variation_param(),
  };
}
inline void check(const SwitchParams& params, const std::string& path, Problems& problems) {
  if (params.nodes_per_frame % params.nodes_per_chip != 0)
    problems.add(json_path(path, "nodes_per_frame"), "is ", params.nodes_per_frame,
                 "; it must be a multiple of nodes_per_chip, ", params.nodes_per_chip);
}

std::unique_ptr<Fabric> make(const SwitchParams&, const sc_core::sc_module_name&, std::uint64_t seed, Timetable*);
inline Places places(const SwitchParams& params) { return Places::by_number(params.ports); }
/// A message crosses at most five chips.
inline Pace pace(const SwitchParams& params) {
  return Pace::by_bytes(params.port_bandwidth, 5 * params.chip_buffer.count);
}

/// Departure and arrival times of messages at a multistage switch, without a kernel. A message goes through as soon as
/// its head has crossed the chips on its way (virtual cut-through). There are several ways between any two chips, so
/// messages meet only where they share a port: at the link from their sender, and at the link to their receiver, which
/// serves them in the order in which they entered. A message that waits there fills the buffers of the chips on its
/// way; the rest keeps its sender's link busy.
class SwitchCore {
 public:
  explicit SwitchCore(const SwitchParams& params)
      : params_(params), from_free_(params.ports), to_free_(params.ports), busy_(params.ports) {}

  /// Chips on the way between two ports.
  std::uint32_t chips(std::uint32_t from, std::uint32_t to) const {
    if (from / params_.nodes_per_chip == to / params_.nodes_per_chip) return 1;
    if (from / params_.nodes_per_frame == to / params_.nodes_per_frame) return 3;
    // A frame has as many links to other frames as it has nodes; up to five frames are connected directly.
    return params_.ports <= 5 * params_.nodes_per_frame ? 4 : 5;
  }
  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
    return params_.chip_delay * chips(from, to) + params_.port_bandwidth.time_for(bytes);
  }

  /// When the link from the port is free for another message.
  Time link_free(std::uint32_t from) const { return from_free_[from]; }
  /// Sends a message at `now`, when the link from its port is free; calls come in order of time. Returns when its tail
  /// arrives.
  Time send(Time now, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    assert(from_free_[from] <= now);
    const std::uint32_t on_the_way = chips(from, to);
    const Duration delay = params_.chip_delay * on_the_way, length = params_.port_bandwidth.time_for(bytes);
    const Time head = std::max(now + delay, to_free_[to]);
    const Time tail = to_free_[to] = head + length;
    busy_[to] += length;
    const Duration held = params_.port_bandwidth.time_for(on_the_way * params_.chip_buffer.count);
    from_free_[from] = std::max(now + length, tail - delay - held);
    return tail;
  }
  /// The time for which bytes have passed the link to the port, or are already due to.
  Duration busy(std::uint32_t to) const { return busy_[to]; }

 private:
  SwitchParams params_;
  std::vector<Time> from_free_, to_free_;  // by port: when its links are free
  std::vector<Duration> busy_;
};

}  // namespace sunstar::network
