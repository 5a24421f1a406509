// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/fabric.h"
#include "models/network/fixed_delay/fixed_delay_params.h"

namespace sunstar::network {

/// The fabric of FixedDelayParams as a SystemC module. A message costs one event of the timetable.
class FixedDelayNetwork : public Fabric {
 public:
  FixedDelayNetwork(const sc_core::sc_module_name& name, const FixedDelayParams& params, std::uint64_t seed = 1,
                    Timetable* timetable = nullptr)
      : Fabric(name, {params.ports, params.input_fifo, params.timing_variation, params.port_bandwidth}, seed,
               timetable),
        delay_(params.delay) {}

  Duration zero_load(std::uint32_t, std::uint32_t, std::uint64_t) const override { return delay_; }

 protected:
  void inject(Message message) override {
    if (!sets_out(message)) return;
    message.route->hops = 1;
    message.route->entered = now();
    count(message);
    arrives(message, now() + delay_);
  }

 private:
  Duration delay_;
};

}  // namespace sunstar::network
