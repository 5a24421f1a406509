// SPDX-License-Identifier: MIT
#include "models/network/fixed_delay/fixed_delay_network.h"

namespace sunstar::network {

std::unique_ptr<Fabric> make(const FixedDelayParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<FixedDelayNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
