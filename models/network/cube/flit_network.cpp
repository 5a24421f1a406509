// SPDX-License-Identifier: MIT

#include "models/network/cube/cube_network.h"
#include "models/network/cube/flit_core.h"

namespace sunstar::network {
namespace {
Route& route_of(const FlitCore::Packet& packet) {
  return *std::bit_cast<tlm::tlm_generic_payload*>(static_cast<std::uintptr_t>(packet.tag))->get_extension<Route>();
}

/// The flit model as a SystemC module: all routers share one alarm of the timetable, which rings once for each cycle
/// with an event.
///
/// The edges of the routers' clock lie at whole multiples of `router.cycle`; a message handed over between two edges
/// leaves at the next.
class FlitNetwork : public CubeNetwork {
 public:
  FlitNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed, Timetable* timetable)
      : CubeNetwork(name, params, seed, timetable),
        cycle_(params.router.cycle),
        flit_bytes_(params.router.flit_size.count),
        vcs_(params.router.virtual_channels),
        core_(cube(), params.router, static_cast<std::uint32_t>(params.flit_time() / params.router.cycle)),
        clock_(timetable_, *this) {}

  void add_statistics(StatisticSet& set) override {
    CubeNetwork::add_statistics(set);
    set.add({std::string(name()) + ".flits", "flits delivered", "1",
             [this] { return static_cast<double>(core_.flits_delivered()); }});
  }
  /// Messages are numbered from 1 in the order in which they enter the network; 0 is none.
  /// In a deadlock the circle of buffers that wait for one another comes first.
  void describe_waiting(std::vector<std::string>& lines) const override {
    if (core_.deadlocked())
      for (std::string& line : core_.waiting_circle()) lines.push_back(std::move(line));
    CubeNetwork::describe_waiting(lines);
  }
  std::uint64_t in_flight() const override { return CubeNetwork::in_flight() + core_.packets(); }
  bool deadlocked() const override { return core_.deadlocked(); }

 private:
  /// Shows the message whose flit passes each channel, the owner of each virtual channel, and the queues of the nodes.
  struct Shown final : FlitCore::Observer {
    Shown(FlitNetwork& n, WaveFile& w) : network(n), waves(w), vcs(n.vcs_) {
      const Cube& cube = network.cube();
      const std::string prefix = std::string(network.name()) + ".";
      for (std::uint32_t c = 0; c < cube.channels(); ++c) {
        const bool there =
            cube.is_link(c) || c == cube.injection(cube.router_of(c)) || c == cube.ejection(cube.router_of(c));
        const std::string name = prefix + cube.channel_name(c);
        flit.push_back(there ? waves.number(name + "_flit") : WaveFile::unseen);
        for (std::uint32_t vc = 0; vc < vcs; ++vc)
          owner.push_back(there ? waves.number(name + "_vc" + std::to_string(vc)) : WaveFile::unseen);
      }
      for (std::uint32_t r = 0; r < cube.routers(); ++r)
        queue.push_back(waves.number(prefix + "router" + std::to_string(r) + ".leaving"));
    }
    void owned(std::uint32_t channel, std::uint32_t vc, const FlitCore::Packet* packet, FlitCore::Cycle when) override {
      waves.change(owner[std::size_t{channel} * vcs + vc], network.edge(when),
                   packet ? static_cast<int>(route_of(*packet).ticket) : 0);
    }
    void passes(std::uint32_t channel, const FlitCore::Packet& packet, FlitCore::Cycle when,
                FlitCore::Cycle cycles) override {
      waves.change(flit[channel], network.edge(when), static_cast<int>(route_of(packet).ticket));
      waves.change(flit[channel], network.edge(when + cycles), 0);
      const std::uint32_t router = network.cube().router_of(channel);
      if (channel == network.cube().injection(router)) leaving(router);
    }
    // Shows how many messages of the node are behind the leaving one.
    void leaving(std::uint32_t router) {
      const std::uint64_t queued = network.core_.queued(router);
      waves.change(queue[router], now(), static_cast<int>(queued - std::min<std::uint64_t>(queued, 1)));
    }

    FlitNetwork& network;
    WaveFile& waves;
    std::uint32_t vcs;
    std::vector<WaveFile::Signal> flit, owner, queue;  // by channel; by channel and virtual channel; by router
  };

  void inject(Message message) override {
    if (!sets_out(message)) return;
    Route& route = *message.route;
    route.ticket = ++entered_;
    FlitCore::Packet packet = packet_of(route.bytes);
    packet.from = route.from;
    packet.to = route.to;
    packet.random = random_of(route);
    packet.forced = route.fate.forced;
    packet.tag = std::bit_cast<std::uintptr_t>(message.payload);
    const auto first = static_cast<FlitCore::Cycle>((now().time_since_epoch() + cycle_ - Duration{1}) / cycle_);
    if (first > core_.now()) core_.skip_to(first);
    core_.send(packet);
    if (shown_) shown_->leaving(route.from);
    count(message);
    const FlitCore::Cycle next = core_.next();
    if (next < due_) clock_.set(edge(due_ = next));
  }
  void show(WaveFile& waves) override {
    CubeNetwork::show(waves);
    shown_ = std::make_unique<Shown>(*this, waves);
    core_.observe(*shown_);
  }
  Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const override {
    return static_cast<std::int64_t>(core_.zero_load(hops, packet_of(bytes))) * cycle_;
  }
  /// The packet of a message: its flits, without `from` and `to`.
  FlitCore::Packet packet_of(std::uint64_t bytes) const {
    bytes = std::max<std::uint64_t>(bytes, 1);
    FlitCore::Packet packet;
    packet.flits = static_cast<std::uint32_t>((bytes + flit_bytes_ - 1) / flit_bytes_);
    const std::uint64_t last = bytes - (packet.flits - 1) * flit_bytes_;
    packet.last_flit_cycles = static_cast<std::uint32_t>((last * core_.flit_cycles() + flit_bytes_ - 1) / flit_bytes_);
    return packet;
  }
  Duration busy(std::uint32_t channel) const override {
    return static_cast<std::int64_t>(core_.busy(channel)) * cycle_;
  }
  void cycle() {
    core_.skip_to(due_);
    core_.step();
    // A receiver may send as soon as a packet arrives: inject() must then set the clock.
    due_ = FlitCore::never;
    for (const FlitCore::Arrival& a : core_.arrivals()) {
      auto* const payload = std::bit_cast<tlm::tlm_generic_payload*>(static_cast<std::uintptr_t>(a.tag));
      Route* const route = payload->get_extension<Route>();
      route->hops = a.hops;
      route->entered = edge(a.entered);
      arrives({payload, route}, now());
    }
    due_ = core_.next();
    if (due_ != FlitCore::never) clock_.set(edge(due_));
    else if (core_.deadlocked()) when_deadlocked();
  }
  Time edge(FlitCore::Cycle c) const { return Time{static_cast<std::int64_t>(c) * cycle_}; }

  Duration cycle_;
  std::uint64_t flit_bytes_;
  std::uint32_t vcs_;
  FlitCore core_;
  /// Rings at the cycles of the routers, after all messages that enter the network at that time.
  Timetable::Call<FlitNetwork, &FlitNetwork::cycle> clock_;
  std::uint32_t entered_ = 0;  // messages so far
  std::unique_ptr<Shown> shown_;
  FlitCore::Cycle due_ = FlitCore::never;  // the cycle the clock is set to
};

}  // namespace

std::unique_ptr<CubeNetwork> flit_network(const sc_core::sc_module_name& name, const CubeParams& params,
                                          std::uint64_t seed, Timetable* timetable) {
  return std::make_unique<FlitNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
