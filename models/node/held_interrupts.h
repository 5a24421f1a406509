// SPDX-License-Identifier: MIT
#pragma once
#include <utility>
#include <variant>
#include <vector>

#include "models/node/hal.h"

namespace sunstar::node {

/// Takes the interrupts of a node's devices while its processor pauses, and delivers them afterwards, in order.
class HeldInterrupts final : public hal::Firmware {
 public:
  void message_arrived(hal::Message& m) override { held_.emplace_back(&m); }
  void block_done(hal::BlockCommand& c) override { held_.emplace_back(&c); }
  void deliver(hal::Firmware& firmware) {
    for (const auto& one : std::exchange(held_, {})) {
      if (auto* const* m = std::get_if<hal::Message*>(&one)) firmware.message_arrived(**m);
      else firmware.block_done(*std::get<hal::BlockCommand*>(one));
    }
  }

 private:
  std::vector<std::variant<hal::Message*, hal::BlockCommand*>> held_;
};

}  // namespace sunstar::node
