// SPDX-License-Identifier: MIT
#include "models/network/cube/flit_network.h"

#include <algorithm>
#include <bit>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::network {

FlitNetwork::FlitNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
                         Timetable* timetable)
    : CubeNetwork(name, params, seed, timetable),
      cycle_(params.router.cycle),
      flit_bytes_(params.router.flit_size.count),
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
  const Route& route = *message.route;
  FlitCore::Packet packet = packet_of(route.bytes);
  packet.from = route.from;
  packet.to = route.to;
  packet.random = random_.next();
  packet.tag = std::bit_cast<std::uintptr_t>(message.payload);
  const auto first = static_cast<FlitCore::Cycle>((now().time_since_epoch() + cycle_ - Duration{1}) / cycle_);
  if (first > core_.now()) core_.skip_to(first);
  core_.send(packet);
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

void FlitNetwork::describe_waiting(std::vector<std::string>& lines) const {
  if (core_.deadlocked())
    for (std::string& line : core_.waiting_circle()) lines.push_back(std::move(line));
  CubeNetwork::describe_waiting(lines);
}

}  // namespace sunstar::network
