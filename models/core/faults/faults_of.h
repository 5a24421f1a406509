// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <tuple>
#include <utility>

#include "models/core/faults/strikes.h"

namespace sunstar::faults {

/// The faults of one part by effect, in the order in which they were added. `Effects` is the OneOf of the possible
/// effects.
template <class Effects>
class FaultsOf;
template <class... Effects>
class FaultsOf<OneOf<Effects...>> {
 public:
  template <class Effect>
  struct FaultOf {
    Effect effect;
    Strikes strikes;
  };

  void add(const OneOf<Effects...>& effect, Strikes strikes) {
    effect.visit([&]<class Effect>(const Effect& e) { all<Effect>().push_back({e, std::move(strikes)}); });
  }
  template <class Effect>
  std::deque<FaultOf<Effect>>& all() {
    return std::get<std::deque<FaultOf<Effect>>>(all_);
  }
  /// The part carries out an operation that each fault of that effect could strike. Returns whether a fault does.
  template <class Effect>
  bool strike(Time now) {
    bool any = false;
    for (auto& one : all<Effect>()) any |= one.strikes.operation(now);
    return any;
  }
  /// Whether a state of that effect holds now; asks every fault of that effect.
  template <class Effect>
  bool hold(Time now) {
    bool any = false;
    for (auto& one : all<Effect>()) any |= one.strikes.holds(now);
    return any;
  }

 private:
  std::tuple<std::deque<FaultOf<Effects>>...> all_;
};

}  // namespace sunstar::faults
