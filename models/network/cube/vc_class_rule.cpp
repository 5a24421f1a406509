// SPDX-License-Identifier: MIT
#include "models/network/cube/vc_class_rule.h"

#include "models/core/one_of.h"

namespace sunstar::network {
namespace {

// The textbook's rule (Dally, Towles 2004, 14.2.3): class 0 up to the dateline between the last router and the first,
// class 1 from the link that crosses it.
std::uint32_t dateline(const RingStep& s) {
  const bool crosses = s.here == (s.up ? s.routers - 1 : 0);
  return crosses || (!s.entering && s.before == 1);
}

// BookSim2's dim_order: a packet chooses its class on entering the dimension and keeps it. Upwards, class 1 has the
// packets that will cross the dateline; downwards, the packets that will not.
std::uint32_t fixed(const RingStep& s) { return s.entering ? s.there < s.here : s.before; }

// BookSim2's dim_order_bal, after the Cray T3D: a packet that will cross the dateline takes class 1, a packet that will
// cross the middle of the ring class 0; for all other packets a coin decides.
std::uint32_t balanced(const RingStep& s) {
  if (!s.entering) return s.before;
  const std::uint32_t middle = (s.routers - 1) / 2;
  const bool wraps = s.up ? s.here > s.there : s.here < s.there;
  if (wraps) return 1;
  const bool crosses_middle = s.up ? s.here <= middle && s.there > middle : s.here > middle && s.there <= middle;
  return crosses_middle ? 0 : s.coin;
}

std::uint32_t none(const RingStep&) { return 0; }

// One line for each rule.
const VcClassRule rules[] = {
    {"dateline", true, dateline},
    {"static", true, fixed},
    {"balanced", true, balanced},
    {"none", false, none},
};

}  // namespace

const VcClassRule& vc_class_rule(std::string_view name) { return named(rules, name); }
std::vector<std::string> vc_class_rules() { return names_of(rules); }

}  // namespace sunstar::network
