// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <utility>

#include "models/core/faults/strikes.h"
#include "models/core/one_of.h"
#include "models/core/param.h"

// What can be wrong with a SCSI bus.
namespace sunstar::scsi {

struct ParityError {
  static constexpr std::string_view kind = "parity-error";
  static constexpr std::string_view help = "a burst of data is spoilt: its command ends with ABORTED COMMAND";
  static constexpr bool lasting = false;
};

struct BusHang {
  static constexpr std::string_view kind = "bus-hang";
  static constexpr std::string_view help = "a connection does not end until the bus is reset, and no other is made";
  static constexpr bool lasting = false;
};

struct BusReset {
  static constexpr std::string_view kind = "bus-reset";
  static constexpr std::string_view help =
      "the bus is reset: commands under way are gone, and each drive answers its next command with UNIT ATTENTION";
  static constexpr bool lasting = false;
};

using BusFaultEffects = OneOf<ParityError, BusHang, BusReset>;

/// What is wrong with one bus. The bus asks at each connection and each burst.
class BusFaults {
 public:
  void add(const BusFaultEffects& effect, faults::Strikes strikes) {
    (effect.is<ParityError>() ? parity_ : effect.is<BusHang>() ? hangs_ : resets_).push_back(std::move(strikes));
  }
  bool parity_error(Time now) { return any(parity_, now); }
  bool hangs(Time now) { return any(hangs_, now); }
  bool resets(Time now) { return any(resets_, now); }

 private:
  static bool any(std::deque<faults::Strikes>& all, Time now) {
    bool struck = false;
    for (faults::Strikes& one : all) struck |= one.operation(now);
    return struck;
  }
  std::deque<faults::Strikes> parity_, hangs_, resets_;
};

}  // namespace sunstar::scsi
