// SPDX-License-Identifier: MIT
#pragma once
#include <fnmatch.h>

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/faults/strikes.h"

namespace sunstar::faults {

/// One fault as a configuration declares it: a place, an effect, a trigger, and how often or how long. `Effects` is a
/// OneOf of the possible effects; an effect that is a state of its part is declared `lasting`.
template <class Effects>
struct FaultOf {
  std::string place;
  Effects effect;
  Trigger trigger;
  std::uint32_t times = 0;
  Duration lasts{};
  BOOST_DESCRIBE_CLASS(FaultOf, (), (place, effect, trigger, times, lasts), (), ())

  bool at(std::string_view part) const { return ::fnmatch(place.c_str(), std::string(part).c_str(), 0) == 0; }
  Extent extent() const {
    const bool lasting = effect.visit([](const auto& e) {
      return requires { e.lasting; };
    });
    const bool by_chance = !trigger.kind.template is<AtTime>() && !trigger.kind.template is<AtOperation>();
    return {times > 0 ? times : lasting || by_chance ? Extent::no_limit : 1, lasts};
  }
};
/// The part that has such faults defines what a place is.
template <class Effects>
std::vector<Param> parameters(const FaultOf<Effects>*) {
  return {{"place", "the part"},
          {"effect", "the fault at that place"},
          {"trigger", "when it begins"},
          {"times",
           "how many operations it strikes, or how often a state with a random trigger and an end begins; 0: one, or "
           "without limit if the effect is a state of the part, such as dead, or the trigger is random",
           "0", "4000000000"},
          {"lasts", "how long a strike lasts; 0s: for good", "0s", "1000000s"}};
}

}  // namespace sunstar::faults
