// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "models/core/fifo.h"
#include "models/network/ethernet/lan.h"

namespace sunstar::network {

/// A store-and-forward switch with a link to each station (docs/models/ethernet.md). Where a port is full it has
/// senders pause, after the frame that they are sending, for which it has room. So no frame is dropped, and as
/// receivers take every frame, every port drains.
class StoreAndForward final : public Lan {
 public:
  StoreAndForward(const EthernetParams& params, std::uint64_t seed, std::string_view name);

  void send(Time now, const Frame& frame) override;
  Time next() const override { return due_.empty() ? Time::max() : due_.front().when; }
  void advance(Time now) override;
  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override;
  std::uint32_t hops() const override { return 2; }
  Duration busy(std::uint32_t port) const override;

 private:
  struct Port {
    std::unique_ptr<CsmaCd> half;  // the link, if it is half-duplex: the switch is station 0 of it
    Time half_next = Time::max();  // when the link has been asked to be looked at
    Time up_free{}, down_free{};   // when the directions of a full-duplex link are free
    Frame leaving;                 // from the station
    std::optional<Frame> held;     // the station may not start this one yet
    bool paused = false;
    Fifo<Frame> in;               // received frames that wait for room where they go to
    Fifo<Frame> out;              // frames that wait or leave
    std::uint64_t out_bytes = 0;  // of these, on the wire
    bool sending = false;         // the first of them is on the link or waits for it
    Fifo<std::uint32_t> wants;    // ports whose first frame waits for room here
    Duration busy{};              // of a full-duplex link, towards the station
  };
  struct Due {
    /// left: the station's frame has left. received: the switch may forward `frame`. sent: the first frame has left the
    /// port. look: at the half-duplex link.
    enum What : std::uint32_t { left, received, sent, look };
    Time when;
    std::uint64_t order;
    What what;
    std::uint32_t port;
    Frame frame;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };

  void push(Time when, Due::What what, std::uint32_t port, const Frame& frame = {});
  void leave(Time now, std::uint32_t port);
  void station_sent(Time now, std::uint32_t port);
  void forward(Time now, std::uint32_t port, bool its_turn);
  void start_next(Time now, std::uint32_t port);
  void port_sent(Time now, std::uint32_t port);
  void look(Time now, std::uint32_t port);

  Duration propagation_;
  std::vector<Port> ports_;
  std::vector<Due> due_;  // a heap, earliest first
  std::uint64_t order_ = 0;
};

}  // namespace sunstar::network
