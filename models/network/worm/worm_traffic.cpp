// SPDX-License-Identifier: MIT
#include "models/network/worm/worm_traffic.h"

namespace sunstar::network {

WormTraffic::WormTraffic(Fabric& fabric, WormCore& core, Duration behind)
    : fabric_(fabric), core_(core), behind_(behind), sending_(fabric.ports()), stuck_(fabric.ports()) {}

// A worm reserves its path when it starts, so it must not start before the previous one has left the node: otherwise
// channels that it cannot use yet would stand idle.
void WormTraffic::inject(Message message) {
  const std::uint32_t from = message.route->from;
  if (!sending_[from].empty() || core_.free_at(injection(from)) > now()) {
    sending_[from].push_back(message);
    ++leaving_;
    show_leaving(from);
    if (sending_[from].size() == 1) leave_when_free(from);
    return;
  }
  start(message);
}

void WormTraffic::leave_when_free(std::uint32_t from) {
  const Time free = core_.free_at(injection(from));
  stuck_[from] = free == Time::max();
  if (!stuck_[from]) fabric_.call_at(free, from);
}

// The scheduled call: for the next message of a node, or for the waiting worms.
void WormTraffic::called(std::uint32_t what) {
  if (what < fabric_.ports()) start_next(what);
  else if (called_at_ == now())  // otherwise an earlier call has been scheduled meanwhile
    proceed();
}

void WormTraffic::start_next(std::uint32_t from) {
  if (core_.free_at(injection(from)) > now()) return leave_when_free(from);  // the message before is late
  auto& queue = sending_[from];
  const Message message = queue.take(next_to_leave(queue));
  --leaving_;
  show_leaving(from);
  start(message);
  if (!queue.empty()) leave_when_free(from);
}

void WormTraffic::start(Message message) {
  if (core_.next() <= now()) proceed();
  if (!fabric_.sets_out(message)) return;
  Route& route = *message.route;
  const auto passage = core_.inject(path(route), route.bytes, now());
  route.hops = passage.hops;
  route.ticket = passage.ticket;
  route.entered = now();
  fabric_.count(message);
  follow(message, passage);
  call_for_next();
}

void WormTraffic::follow(const Message& message, const WormCore::Passage& passage) {
  if (passage.tail != WormCore::waits_on_the_way) {
    fabric_.arrives(message, passage.tail + behind_);
    return;
  }
  if (waiting_.size() <= passage.ticket) waiting_.resize(passage.ticket + 1);
  waiting_[passage.ticket] = message;
  ++waiting_count_;
}

void WormTraffic::proceed() {
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

void WormTraffic::call_for_next() {
  if (deadlocked()) fabric_.when_deadlocked();
  if (core_.next() >= called_at_) return;
  called_at_ = core_.next();
  fabric_.call_at(called_at_, fabric_.ports());
}

void WormTraffic::describe_waiting(std::vector<std::string>& lines) const {
  const std::string noun = fabric_.port_noun() + " ";
  for (const Message& message : waiting_)
    if (message.payload)
      lines.push_back("message from " + noun + std::to_string(message.route->from) + " to " + noun +
                      std::to_string(message.route->to) + " waits for a channel");
}

std::vector<std::string> WormTraffic::warnings(double good, const std::string& see) const {
  double most = 0;
  std::string busiest;
  std::uint32_t beyond = 0;
  for (const Fabric::Link& link : fabric_.links()) {
    const double share = fabric_.utilisation(link.channel);
    beyond += share > good;
    if (share <= most) continue;
    most = share;
    busiest = link.name;
  }
  if (beyond == 0) return {};
  const auto percent = [](double share) { return std::to_string(std::lround(100 * share)) + " %"; };
  return {"the worm model is good for links that are busy up to " + percent(good) + " of the time; " +
          std::to_string(beyond) + (beyond == 1 ? " link was" : " links were") + " busier, " + busiest + " most with " +
          percent(most) + ": see " + see};
}

void WormTraffic::show_leaving(std::uint32_t port) {
  if (fabric_.waves_) fabric_.waves_->change(shown_leaving_[port], now(), static_cast<int>(sending_[port].size()));
}

void WormTraffic::show(WaveFile& waves) {
  for (std::uint32_t port = 0; port < fabric_.ports(); ++port)
    shown_leaving_.push_back(waves.number(std::string(fabric_.name()) + "." + fabric_.port_name(port) + ".leaving"));
}

}  // namespace sunstar::network
