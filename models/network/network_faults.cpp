// SPDX-License-Identifier: MIT
#include "models/network/network_faults.h"

namespace sunstar::network {

void NetworkFaults::add(Place& place, const FaultEffects& effect, faults::Strikes strikes) {
  breaks_links_ |= effect.is<LinkDown>() || effect.is<RouterDown>();
  if (const auto* delayed = effect.if_is<MessageDelayed>()) {
    place.delayed.emplace_back(std::move(strikes), delayed->delay);
    return;
  }
  All& all = effect.is<MessageLost>()         ? place.lost
             : effect.is<MessageCorrupted>()  ? place.corrupted
             : effect.is<MessageDuplicated>() ? place.duplicated
             : effect.is<RouterDown>()        ? place.router_down
                                              : place.down;
  all.push_back(std::move(strikes));
}

void NetworkFaults::count(Time now, std::uint32_t from, std::uint32_t to, std::span<const std::uint32_t> links) {
  const auto count_at = [now](Place* place) {
    if (!place) return;
    for (All* all : {&place->down, &place->router_down})
      for (faults::Strikes& one : *all) one.count(now);
  };
  count_at(find(at_port_, from));
  if (to != from) count_at(find(at_port_, to));
  for (const std::uint32_t link : links) count_at(find(at_link_, link));
}

void NetworkFaults::strike(Place& place, Time now, Fate& fate) {
  for (faults::Strikes& one : place.lost) fate.lost |= one.operation(now);
  for (faults::Strikes& one : place.corrupted) fate.corrupted |= one.operation(now);
  for (faults::Strikes& one : place.duplicated) fate.duplicated |= one.operation(now);
  for (auto& [one, delay] : place.delayed)
    if (one.operation(now)) fate.delay += delay;
}

NetworkFaults::Fate NetworkFaults::fate(Time now, std::uint32_t from, std::span<const std::uint32_t> links) {
  Fate fate;
  if (Place* const place = find(at_port_, from)) strike(*place, now, fate);
  for (const std::uint32_t link : links)
    if (Place* const place = find(at_link_, link)) strike(*place, now, fate);
  return fate;
}

}  // namespace sunstar::network
