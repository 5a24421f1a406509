// SPDX-License-Identifier: MIT
#include "models/network/cube/worm_network.h"

#include <cmath>
#include <utility>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::network {

WormNetwork::WormNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
                         Timetable* timetable)
    : CubeNetwork(name, params, seed, timetable),
      core_(cube(),
            {params.router_delay, params.link_bandwidth, static_cast<std::uint32_t>(params.router_buffer.count),
             params.router.cycle},
            vc_class_rule(params.router.vc_class_rule)),
      sending_(cube().routers()),
      stuck_(cube().routers()) {}

// A worm reserves its path when it starts, so it must not start before the previous one has left the node: otherwise
// channels that it cannot use yet would stand idle for all others.
void WormNetwork::inject(Message message) {
  const std::uint32_t from = message.route->from;
  if (!sending_[from].empty() || core_.free_at(cube().injection(from)) > now()) {
    sending_[from].push_back(message);
    show_leaving(from);
    if (sending_[from].size() == 1) leave_when_free(from);
    return;
  }
  start(message);
}

void WormNetwork::leave_when_free(std::uint32_t from) {
  const Time free = core_.free_at(cube().injection(from));
  stuck_[from] = free == Time::max();
  if (!stuck_[from]) call_at(free, from);
}

// call_at() asked for this: for the next message of a node, or for the worms that wait.
void WormNetwork::called(std::uint32_t what) {
  if (what < cube().routers()) start_next(what);
  else if (called_at_ == now())  // otherwise an earlier call has been asked for meanwhile
    proceed();
}

void WormNetwork::start_next(std::uint32_t from) {
  if (core_.free_at(cube().injection(from)) > now()) return leave_when_free(from);  // the one before is late
  auto& queue = sending_[from];
  const Message message = queue.front();
  queue.pop_front();
  show_leaving(from);
  start(message);
  if (!queue.empty()) leave_when_free(from);
}

void WormNetwork::start(Message message) {
  if (core_.next() <= now()) proceed();
  Route& route = *message.route;
  const auto passage = core_.inject(route.from, route.to, route.bytes, now(), random_of(route), route.fate.forced);
  route.hops = passage.hops;
  route.ticket = passage.ticket;
  route.entered = now();
  count(message);
  follow(message, passage);
  call_for_next();
}

void WormNetwork::follow(const Message& message, const WormCore::Passage& passage) {
  if (passage.tail != WormCore::waits_on_the_way) {
    arrives(message, passage.tail);
    return;
  }
  if (waiting_.size() <= passage.ticket) waiting_.resize(passage.ticket + 1);
  waiting_[passage.ticket] = message;
  ++waiting_count_;
}

void WormNetwork::proceed() {
  while (core_.next() <= now()) {
    const auto passage = core_.proceed();
    if (!passage) continue;
    const Message message = std::exchange(waiting_[passage->ticket], {});
    --waiting_count_;
    follow(message, *passage);
    if (const std::uint32_t from = message.route->from; stuck_[from]) leave_when_free(from);
  }
  called_at_ = Time::max();
  call_for_next();
}

void WormNetwork::call_for_next() {
  if (deadlocked()) when_deadlocked();
  if (core_.next() >= called_at_) return;
  called_at_ = core_.next();
  call_at(called_at_, cube().routers());
}

void WormNetwork::describe_waiting(std::vector<std::string>& lines) const {
  for (const Message& message : waiting_)
    if (message.payload)
      lines.push_back("message from router " + std::to_string(message.route->from) + " to router " +
                      std::to_string(message.route->to) + " waits for a channel");
  CubeNetwork::describe_waiting(lines);
}

void WormNetwork::show_leaving(std::uint32_t router) {
  if (waves_) waves_->change(shown_leaving_[router], now(), static_cast<int>(sending_[router].size()));
}

void WormNetwork::show(WaveFile& waves) {
  const std::string prefix = std::string(name()) + ".";
  std::vector<WaveFile::Signal> messages;
  for (std::uint32_t c = 0; c < cube().channels(); ++c)
    messages.push_back(waves.number(prefix + cube().channel_name(c)));
  CubeNetwork::show(waves);
  for (std::uint32_t r = 0; r < cube().routers(); ++r)
    shown_leaving_.push_back(waves.number(prefix + "router" + std::to_string(r) + ".leaving"));
  core_.observe(
      [&waves, messages](std::uint32_t channel, Time when, int by) { waves.step(messages[channel], when, by); });
}

std::vector<std::string> WormNetwork::warnings() const {
  double most = 0;
  std::uint32_t busiest = 0, beyond = 0;
  for (std::uint32_t c = 0; c < cube().channels(); ++c) {
    if (!cube().is_link(c)) continue;
    const double share = utilisation(c);
    beyond += share > WormCore::good_utilisation;
    if (share > most) {
      most = share;
      busiest = c;
    }
  }
  if (beyond == 0) return {};
  const auto percent = [](double share) { return std::to_string(std::lround(100 * share)) + " %"; };
  return {"the worm model is good for links that are busy up to " + percent(WormCore::good_utilisation) +
          " of the time; " + std::to_string(beyond) + (beyond == 1 ? " link was" : " links were") + " busier, " +
          cube().channel_name(busiest) + " most with " + percent(most) + ": see machine.network.model=flit"};
}

}  // namespace sunstar::network
