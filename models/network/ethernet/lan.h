// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/ethernet/csma_cd.h"

namespace sunstar::network {

struct Frame {
  std::uint32_t from = 0, to = 0;
  std::uint32_t payload = 0;  ///< bytes, without padding
  std::uint32_t tag = 0;      ///< the sender's own mark
};

/// A local network that carries frames between stations, without a kernel. The owner calls send() for a station, calls
/// advance() at next(), and then takes the events out of the lists. No frame is lost, and frames from one station to
/// another arrive in order.
class Lan {
 public:
  /// The medium named by the parameters. `name` tells its random streams apart from others of the same seed.
  static std::unique_ptr<Lan> create(const EthernetParams& params, std::uint64_t seed, std::string_view name);
  virtual ~Lan() = default;

  /// A station hands over a frame for another one. When it has left, the station may hand over the next. Call advance()
  /// afterwards.
  virtual void send(Time now, const Frame& frame) = 0;
  /// When advance() must be called; Time::max() if no frame is under way.
  virtual Time next() const = 0;
  /// Simulates up to `now`, which is at most next().
  virtual void advance(Time now) = 0;
  /// The unloaded latency of a message of `bytes` bytes, in as many frames as it needs.
  virtual Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const = 0;
  /// Cables that a frame crosses.
  virtual std::uint32_t hops() const = 0;
  /// The time for which successful frames passed the cables of the hub together, or of one port of the switch (towards
  /// the station if the link is full-duplex).
  virtual Duration busy(std::uint32_t port) const = 0;

  struct Arrival {
    Frame frame;
    Time when;  ///< when its last bit arrives
  };
  /// Signals for a wave file: for a hub, the number of stations that send; for a switch, the bytes that wait or leave
  /// at each port.
  struct Change {
    std::uint32_t signal;
    std::uint32_t value;
  };
  // The events since the owner cleared the lists.
  std::vector<std::uint32_t> left;  ///< stations whose frame has left
  std::vector<Arrival> arrivals;    ///< frames that arrive, not before now
  std::vector<Change> changes;      ///< of signals, if `watched`
  bool watched = false;

  std::uint64_t frames = 0;      ///< frames that arrived
  std::uint64_t wire_bytes = 0;  ///< of these frames, from preamble to frame check sequence
  std::uint64_t pauses = 0;      ///< times that the switch stopped a station, because a port had no room for its frame
  CsmaCounters csma;             ///< of half-duplex media

 protected:
  explicit Lan(const EthernetParams& params) : params_(params) {}
  void arrives(const Frame& frame, Time when) {
    ++frames;
    wire_bytes += params_.wire_bytes(frame.payload);
    arrivals.push_back({frame, when});
  }
  void shows(std::uint32_t signal, std::uint64_t value) {
    if (watched) changes.push_back({signal, static_cast<std::uint32_t>(value)});
  }
  /// Time that the frames of a message take, one behind the other with gaps between them.
  Duration in_a_row(std::uint64_t bytes) const;
  /// Payload of the last of these frames.
  std::uint64_t last_payload(std::uint64_t bytes) const {
    return bytes - (params_.frames(bytes) - 1) * params_.mtu.count;
  }

  const EthernetParams params_;
};

/// The medium "switch".
std::unique_ptr<Lan> store_and_forward(const EthernetParams& params, std::uint64_t seed, std::string_view name);

}  // namespace sunstar::network
