// SPDX-License-Identifier: MIT

#include "models/core/fifo.h"
#include "models/network/ethernet/lan.h"

namespace sunstar::network {
namespace {
constexpr std::uint32_t switch_end = 0, station_end = 1;  // of a half-duplex link

/// A store-and-forward switch with a link to each station (docs/models/ethernet.md). A full port makes senders pause
/// after their current frame, for which it has room. So no frame is dropped, and as receivers take every frame, every
/// port drains.
class StoreAndForward final : public Lan {
 public:
  StoreAndForward(const EthernetParams& params, std::uint64_t seed, std::string_view name)
      : Lan(params),
        propagation_(params.duplex == "half" ? Wiring::link(params).farthest() : params.propagation(params.cable)),
        ports_(params.ports) {
    if (params.duplex == "full") return;
    for (std::uint32_t p = 0; p < params.ports; ++p)
      ports_[p].half = std::make_unique<CsmaCd>(params, Wiring::link(params), seed,
                                                std::string(name) + ".port" + std::to_string(p), csma);
  }

  void send(Time now, const Frame& frame) override {
    Port& p = ports_[frame.from];
    p.leaving = frame;
    if (p.paused) p.held = frame;
    else leave(now, frame.from);
  }
  Time next() const override { return due_.empty() ? Time::max() : due_.front().when; }
  void advance(Time now) override {
    while (!due_.empty() && due_.front().when <= now) {
      const Due due = due_.front();
      std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
      due_.pop_back();
      if (due.what == Due::left) {
        station_sent(now, due.port);
      } else if (due.what == Due::received) {
        auto& in = ports_[due.port].in;
        in.push_back(due.frame);
        if (in.size() == 1) forward(now, due.port, false);
      } else if (due.what == Due::sent) {
        port_sent(now, due.port);
      } else {
        look(now, due.port);
      }
    }
  }
  Duration zero_load(std::uint32_t, std::uint32_t, std::uint64_t bytes) const override {
    // The last frame waits at its port for the longer frame before it.
    const Duration through = propagation_ + params_.switch_latency, last = params_.frame_time(last_payload(bytes));
    Duration starts = in_a_row(bytes) + through;
    if (params_.frames(bytes) > 1)
      starts = std::max(starts, in_a_row(bytes) - last + through + params_.frame_time(params_.mtu.count));
    return starts + last + propagation_;
  }
  std::uint32_t hops() const override { return 2; }
  Duration busy(std::uint32_t port) const override {
    const Port& p = ports_[port];
    return p.half ? p.half->carried() : p.busy;
  }

 private:
  struct Port {
    std::unique_ptr<CsmaCd> half;  // the link, if it is half-duplex: the switch is station 0 of it
    Time half_next = Time::max();  // when the link is due to be looked at
    Time up_free{}, down_free{};   // when the directions of a full-duplex link are free
    Frame leaving;                 // from the station
    std::optional<Frame> held;     // the station may not start this one yet
    bool paused = false;
    Fifo<Frame> in;               // received frames that wait for room at their next port
    Fifo<Frame> out;              // frames that wait or leave
    std::uint64_t out_bytes = 0;  // of these, on the wire
    bool sending = false;         // the first frame is on the link or waits for it
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

  void push(Time when, Due::What what, std::uint32_t port, const Frame& frame = {}) {
    due_.push_back({when, order_++, what, port, frame});
    std::push_heap(due_.begin(), due_.end(), std::greater<>{});
  }
  // The station's frame goes on the link.
  void leave(Time now, std::uint32_t port) {
    Port& p = ports_[port];
    if (p.half) {
      p.half->offer(now, station_end, params_.wire_bytes(p.leaving.payload));
      look(now, port);
      return;
    }
    const Time end = std::max(now, p.up_free) + params_.frame_time(p.leaving.payload);
    p.up_free = end + params_.gap();
    push(end, Due::left, port);
  }
  void station_sent(Time now, std::uint32_t port) {
    left.push_back(port);
    push(now + propagation_ + params_.switch_latency, Due::received, port, ports_[port].leaving);
  }
  // Moves frames that came in at the port to the ports of their receivers, until one finds no room or other ports are
  // first. `its_turn`: this port is the first that waits for the port of its first frame.
  void forward(Time now, std::uint32_t port, bool its_turn) {
    Port& p = ports_[port];
    for (; !p.in.empty(); p.in.pop_front(), its_turn = false) {
      const Frame& frame = p.in.front();
      Port& to = ports_[frame.to];
      const std::uint64_t bytes = params_.wire_bytes(frame.payload);
      if (to.out_bytes + bytes > params_.port_buffer.count || (!its_turn && !to.wants.empty())) {
        to.wants.push_back(port);
        if (!p.paused) ++pauses;
        p.paused = true;
        return;
      }
      to.out_bytes += bytes;
      shows(frame.to, to.out_bytes);
      to.out.push_back(frame);
      start_next(now, frame.to);
    }
    p.paused = false;
    if (std::exchange(p.held, {})) leave(now, port);
  }
  void start_next(Time now, std::uint32_t port) {
    Port& p = ports_[port];
    if (p.sending || p.out.empty()) return;
    p.sending = true;
    const std::uint32_t payload = p.out.front().payload;
    if (p.half) {
      p.half->offer(now, switch_end, params_.wire_bytes(payload));
      look(now, port);
      return;
    }
    const Time end = std::max(now, p.down_free) + params_.frame_time(payload);
    p.down_free = end + params_.gap();
    p.busy += params_.frame_time(payload);
    push(end, Due::sent, port);
  }
  void port_sent(Time now, std::uint32_t port) {
    Port& p = ports_[port];
    p.out_bytes -= params_.wire_bytes(p.out.front().payload);
    shows(port, p.out_bytes);
    arrives(take_first(p.out), now + propagation_);
    p.sending = false;
    while (!p.wants.empty()) {
      const std::uint32_t from = p.wants.front();
      if (p.out_bytes + params_.wire_bytes(ports_[from].in.front().payload) > params_.port_buffer.count) break;
      p.wants.pop_front();
      forward(now, from, true);
    }
    start_next(now, port);
  }
  void look(Time now, std::uint32_t port) {
    Port& p = ports_[port];
    const std::vector<std::uint32_t> sent = p.half->advance(now);  // the next lines may call this function again
    for (const std::uint32_t end : sent) {
      if (end == station_end) station_sent(now, port);
      else port_sent(now, port);
    }
    if (p.half->next() == p.half_next || p.half->next() == Time::max()) return;
    p.half_next = p.half->next();
    push(p.half_next, Due::look, port);
  }

  Duration propagation_;
  std::vector<Port> ports_;
  std::vector<Due> due_;  // a heap, earliest first
  std::uint64_t order_ = 0;
};

}  // namespace

std::unique_ptr<Lan> store_and_forward(const EthernetParams& params, std::uint64_t seed, std::string_view name) {
  return std::make_unique<StoreAndForward>(params, seed, name);
}

}  // namespace sunstar::network
