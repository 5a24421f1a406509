// SPDX-License-Identifier: MIT
#include "models/network/network_faults.h"

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

}  // namespace sunstar::network
