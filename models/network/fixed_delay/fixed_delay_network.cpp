// SPDX-License-Identifier: MIT
#include "models/network/fixed_delay/fixed_delay_network.h"

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::network {

void FixedDelayNetwork::inject(Message message) {
  message.route->hops = 1;
  message.route->entered = now();
  count(message);
  arrives(message, now() + delay_);
}

std::unique_ptr<Fabric> make(const FixedDelayParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<FixedDelayNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
