// SPDX-License-Identifier: MIT
#include "models/network/cube/flit_network.h"

#include <algorithm>
#include <bit>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::network {

namespace {
Route& route_of(const FlitCore::Packet& packet) {
  return *std::bit_cast<tlm::tlm_generic_payload*>(static_cast<std::uintptr_t>(packet.tag))->get_extension<Route>();
}
}  // namespace

FlitNetwork::FlitNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
                         Timetable* timetable)
    : CubeNetwork(name, params, seed, timetable),
      cycle_(params.router.cycle),
      flit_bytes_(params.router.flit_size.count),
      vcs_(params.router.virtual_channels),
      core_(cube(), params.router, static_cast<std::uint32_t>(params.flit_time() / params.router.cycle)),
      clock_(timetable_, *this) {}

FlitCore::Packet FlitNetwork::packet_of(std::uint64_t bytes) const {
  bytes = std::max<std::uint64_t>(bytes, 1);
  FlitCore::Packet packet;
  packet.flits = static_cast<std::uint32_t>((bytes + flit_bytes_ - 1) / flit_bytes_);
  const std::uint64_t last = bytes - (packet.flits - 1) * flit_bytes_;
  packet.last_flit_cycles = static_cast<std::uint32_t>((last * core_.flit_cycles() + flit_bytes_ - 1) / flit_bytes_);
  return packet;
}

Duration FlitNetwork::zero_load_over(std::uint32_t hops, std::uint64_t bytes) const {
  return static_cast<std::int64_t>(core_.zero_load(hops, packet_of(bytes))) * cycle_;
}

void FlitNetwork::inject(Message message) {
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

void FlitNetwork::cycle() {
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

void FlitNetwork::add_statistics(StatisticSet& set) {
  CubeNetwork::add_statistics(set);
  set.add({std::string(name()) + ".flits", "flits delivered", "1",
           [this] { return static_cast<double>(core_.flits_delivered()); }});
}

FlitNetwork::Shown::Shown(FlitNetwork& n, WaveFile& w) : network(n), waves(w), vcs(n.vcs_) {
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

void FlitNetwork::Shown::owned(std::uint32_t channel, std::uint32_t vc, const FlitCore::Packet* packet,
                               FlitCore::Cycle when) {
  waves.change(owner[std::size_t{channel} * vcs + vc], network.edge(when),
               packet ? static_cast<int>(route_of(*packet).ticket) : 0);
}

void FlitNetwork::Shown::passes(std::uint32_t channel, const FlitCore::Packet& packet, FlitCore::Cycle when,
                                FlitCore::Cycle cycles) {
  waves.change(flit[channel], network.edge(when), static_cast<int>(route_of(packet).ticket));
  waves.change(flit[channel], network.edge(when + cycles), 0);
  const std::uint32_t router = network.cube().router_of(channel);
  if (channel == network.cube().injection(router)) leaving(router);
}

// How many messages of the node are behind the one that is leaving it.
void FlitNetwork::Shown::leaving(std::uint32_t router) {
  const std::uint64_t queued = network.core_.queued(router);
  waves.change(queue[router], now(), static_cast<int>(queued - std::min<std::uint64_t>(queued, 1)));
}

void FlitNetwork::show(WaveFile& waves) {
  CubeNetwork::show(waves);
  shown_ = std::make_unique<Shown>(*this, waves);
  core_.observe(*shown_);
}

void FlitNetwork::describe_waiting(std::vector<std::string>& lines) const {
  if (core_.deadlocked())
    for (std::string& line : core_.waiting_circle()) lines.push_back(std::move(line));
  CubeNetwork::describe_waiting(lines);
}

}  // namespace sunstar::network
