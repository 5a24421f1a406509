// SPDX-License-Identifier: MIT

#include "models/core/faults.h"

namespace sunstar::faults {

Strikes::Strikes(const Trigger& trigger, const Extent& extent, std::uint64_t seed, std::string_view name)
    : trigger_(trigger), extent_(extent), random_(seed, name) {
  if (const auto* at = trigger_.kind.if_is<AtTime>()) begin_ = Time{at->at};
  else begin_ = after(Time{});
}

// By inversion: the same on every host.
Duration Strikes::draw() {
  double scale = 0, shape = 1;
  if (const auto* e = trigger_.kind.if_is<Exponential>()) scale = seconds(e->mean);
  else if (const auto* w = trigger_.kind.if_is<Weibull>()) scale = seconds(w->scale), shape = w->shape;
  else return {};
  const double s = scale * std::pow(-std::log1p(-random_.uniform()), 1 / shape);
  return Duration{static_cast<std::int64_t>(std::min(s, 9e6) * 1e12)};
}

Time Strikes::after(Time t) { return t + std::min(draw(), horizon - t); }

// Called at an operation, or at any time if the trigger is one of time.
bool Strikes::begins(Time now) {
  if (const auto* nth = trigger_.kind.if_is<AtOperation>()) {
    if (operations_ < nth->number) return false;
    begin_ = now;
  } else if (const auto* rate = trigger_.kind.if_is<AtRate>()) {
    if (random_.uniform() >= rate->probability) return false;
    begin_ = now;
  } else if (now < begin_) {
    return false;
  }
  return begun_ = true;
}

bool Strikes::ended(Time now) const { return extent_.lasts > Duration{} && begun_ && now >= begin_ + extent_.lasts; }

bool Strikes::strike(Time now) {
  ++struck_;
  if (when_struck) when_struck(now);
  return true;
}

bool Strikes::operation(Time now) {
  ++operations_;
  if (struck_ >= extent_.times || ended(now)) return false;
  Time at = now;
  if (!begun_) {
    if (!begins(now)) return false;
    if (trigger_.kind.is<AtTime>() && ended(now)) return false;
    at = begin_;
  } else if (const auto* rate = trigger_.kind.if_is<AtRate>(); rate && random_.uniform() >= rate->probability) {
    return false;
  }
  last_ = at;
  if (drawn()) {
    begun_ = false;  // the next strike has a time of its own
    begin_ = after(now);
  }
  return strike(now);
}

void Strikes::pass(Time now) {
  if (drawn()) begin_ = after(now);
  else begun_ = true;
}

void Strikes::count(Time now) {
  ++operations_;
  if (!by_operation()) {
    holds(now);
    return;
  }
  if (trigger_.kind.is<AtRate>() && ended(now)) begun_ = false;
  if (!begun_ && struck_ < extent_.times && begins(now)) strike(begin_);
}

bool Strikes::holds(Time now) {
  while (true) {
    if (!begun_ && !by_operation() && struck_ < extent_.times && begins(now)) strike(begin_);
    if (!ended(now) || !drawn()) return begun_ && !ended(now);
    begun_ = false;
    begin_ = after(begin_ + extent_.lasts);
  }
}

}  // namespace sunstar::faults
