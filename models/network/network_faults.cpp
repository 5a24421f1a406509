// SPDX-License-Identifier: MIT
#include "models/network/network_faults.h"

#include "models/network/fabric.h"

namespace sunstar::network {

void NetworkFaults::add(Place& place, const FaultEffects& effect, faults::Strikes strikes) {
  breaks_links_ |= effect.is<LinkDown>() || effect.is<RouterDown>();
  place.add(effect, std::move(strikes));
}

void NetworkFaults::count(Time now, std::uint32_t from, std::uint32_t to, std::span<const std::uint32_t> links) {
  const auto count_at = [now](Place* place) {
    if (!place) return;
    for (auto& one : place->all<LinkDown>()) one.strikes.count(now);
    for (auto& one : place->all<PortDown>()) one.strikes.count(now);
    for (auto& one : place->all<RouterDown>()) one.strikes.count(now);
  };
  count_at(find(at_port_, from));
  if (to != from) count_at(find(at_port_, to));
  if (per_router_ > 0) {
    const std::uint32_t first = from / per_router_, last = to / per_router_;
    count_at(find(at_router_, first));
    if (last != first) count_at(find(at_router_, last));
  }
  for (const std::uint32_t link : links) count_at(find(at_link_, link));
}

void NetworkFaults::strike(Place& place, Time now, Fate& fate) {
  fate.lost |= place.strike<MessageLost>(now);
  fate.corrupted |= place.strike<MessageCorrupted>(now);
  fate.duplicated |= place.strike<MessageDuplicated>(now);
  for (auto& [delayed, strikes] : place.all<MessageDelayed>())
    if (strikes.operation(now)) fate.delay += delayed.delay;
}

NetworkFaults::Fate NetworkFaults::fate(Time now, std::uint32_t from, std::span<const std::uint32_t> links) {
  Fate fate;
  if (Place* const place = find(at_port_, from)) strike(*place, now, fate);
  for (const std::uint32_t link : links)
    if (Place* const place = find(at_link_, link)) strike(*place, now, fate);
  return fate;
}

void Fabric::take_down(std::uint32_t port) {
  faults().take_down(port, now());
  room_[port].reset();
  admit_waiting(port);  // these requests vanish
}

// Whether a link on the message's way is down; leaves the links in links_.
bool Fabric::broken(const Route& route) {
  links_.clear();
  add_links(route, links_);
  return std::ranges::any_of(links_, [this](std::uint32_t link) { return link_down(link); });
}

bool Fabric::sets_out_with_faults(Message message) {
  Route& route = *message.route;
  NetworkFaults& f = *faults_;
  Route::Fate& fate = route.fate;
  if (fate.decided) return true;
  fate.decided = true;
  const auto dropped = [&] {
    drop(message, Loss::no_way);
    return false;
  };
  choose_way(route);
  if (fate.from_life != f.life(route.from) || fate.to_life != f.life(route.to) || f.stopped(route.from) ||
      f.stopped(route.to))
    return dropped();
  if (stays(route)) return true;
  const auto no_way = [&] { return f.port_down(route.from, now()) || f.port_down(route.to, now()) || broken(route); };
  if (no_way()) return dropped();
  f.count(now(), route.from, route.to, links_);
  const auto decided = f.fate(now(), route.from, links_);
  fate.lost = decided.lost || no_way();  // a fault may strike at this very message
  fate.corrupted = decided.corrupted;
  fate.duplicated = decided.duplicated;
  if (decided.delay == Duration{}) return true;
  push(now() + decided.delay, Due::delayed, message, 0);
  return false;
}

bool Fabric::arrives_well(const Route& route) {
  NetworkFaults& f = *faults_;
  const Route::Fate& fate = route.fate;
  // A message that was still at its node when the node stopped did not leave it.
  if (fate.from_life != f.life(route.from) && route.entered > f.last_stopped(route.from)) return false;
  if (fate.to_life != f.life(route.to) || f.stopped(route.to)) return false;
  return stays(route) || (!fate.lost && !f.port_down(route.to, now()) && !broken(route));
}

void Fabric::deliver_with_faults(Message message) {
  Route& route = *message.route;
  if (!arrives_well(route)) return drop(message, Loss::lost);
  if (route.fate.duplicated) {
    route.fate.duplicated = false;
    if (route.reply || room_[route.to].take(now())) {
      message.payload->acquire();
      push(now(), Due::again, message, route.to);
    }
  }
  const bool spoilt = route.fate.corrupted;
  if (pass_on(route.to, *message.payload) == tlm::TLM_COMPLETED && spoilt) drop(message, Loss::refused);
}

void Fabric::deliver_again(Message message) {
  ++duplicated_.messages;
  duplicated_.bytes += message.payload->get_data_length();
  when_duplicated(*message.route);
  deliver_with_faults(message);
}

void Fabric::drop(Message message, Loss why) {
  const Route& route = *message.route;
  Count& count = dropped_[static_cast<std::size_t>(why)];
  ++count.messages;
  count.bytes += message.payload->get_data_length();
  if (!route.reply && route.fate.to_life == faults_->life(route.to)) {
    room_[route.to].give_back(now());
    if (!waiting_[route.to].empty()) look_again(route.to);
  }
  when_dropped(route, why);
  message.payload->release();
}

}  // namespace sunstar::network
