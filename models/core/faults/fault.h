// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/faults/strikes.h"

namespace sunstar::faults {

/// One fault, as a configuration says it: a place, one of the effects that there are, a trigger, and how often or how
/// long. An effect that is `lasting` is a state of its part; others strike single operations.
template <class Effects>
struct Fault {
  std::string place;
  Effects effect;
  Trigger trigger;
  std::uint32_t times = 0;
  Duration lasts{};
  BOOST_DESCRIBE_CLASS(Fault, (), (place, effect, trigger, times, lasts), (), ())
};
template <class Effects>
std::vector<Param> parameters(const Fault<Effects>*) {
  return {
      {"place",
       "the part: a drive (iop0_scsi0.disk1), a bus (iop0_scsi0), a node (cp3, iop0), a port or router of the network "
       "(network.router7), a link (network.router7.up0); * and ? stand for any characters, and then each part that "
       "fits "
       "has the fault, by itself"},
      {"effect", "what goes wrong there"},
      {"trigger", "when it begins"},
      {"times",
       "how many operations it strikes; 0: one, or without limit if the effect is a state of the part, such as dead",
       "0", "4000000000"},
      {"lasts", "for how long from its beginning; 0s: for good", "0s", "1000000s"}};
}

/// How often and how long it strikes.
template <class Effects>
Extent extent(const Fault<Effects>& fault) {
  const bool lasting = fault.effect.visit([](const auto& effect) { return effect.lasting; });
  const bool by_chance = !fault.trigger.kind.template is<AtTime>() && !fault.trigger.kind.template is<AtOperation>();
  const std::uint64_t times = fault.times > 0 ? fault.times : lasting || by_chance ? Extent::no_limit : 1;
  return {times, fault.lasts};
}

}  // namespace sunstar::faults
