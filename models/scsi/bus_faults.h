// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/faults/faults_of.h"

// The faults of a SCSI bus.
namespace sunstar::scsi {

struct ParityError {
  static constexpr std::string_view kind = "parity-error";
  static constexpr std::string_view help = "a burst of data is spoilt: its command ends with ABORTED COMMAND";
};

struct BusHang {
  static constexpr std::string_view kind = "bus-hang";
  static constexpr std::string_view help = "a connection does not end until the bus is reset, and no other is made";
};

struct BusReset {
  static constexpr std::string_view kind = "bus-reset";
  static constexpr std::string_view help =
      "the bus is reset: commands under way are gone, and each drive answers its next command with UNIT ATTENTION";
};

using BusFaultEffects = OneOf<ParityError, BusHang, BusReset>;

/// The faults of one bus, which asks at each connection and each burst.
using BusFaults = faults::FaultsOf<BusFaultEffects>;

}  // namespace sunstar::scsi
