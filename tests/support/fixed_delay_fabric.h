// SPDX-License-Identifier: MIT
#pragma once
#include "models/kernel/sc_time_bridge.h"
#include "models/network/fabric.h"

namespace sunstar::test {

/// A fabric whose messages all take the same time, whatever their length and however many there are.
class FixedDelayFabric : public network::Fabric {
 public:
  FixedDelayFabric(const sc_core::sc_module_name& name, const network::FabricParams& params, Duration delay,
                   Timetable* timetable = nullptr)
      : Fabric(name, params, 1, timetable), delay_(delay) {}

  Duration zero_load(std::uint32_t, std::uint32_t, std::uint64_t) const override { return delay_; }

 protected:
  void inject(Message message) override {
    message.route->hops = 1;
    message.route->entered = now();
    count(message);
    arrives(message, now() + delay_);
  }

 private:
  Duration delay_;
};

}  // namespace sunstar::test
