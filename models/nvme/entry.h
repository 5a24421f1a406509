// SPDX-License-Identifier: MIT
#pragma once
#include "models/nvme/drive.h"
#include "models/nvme/status.h"

namespace sunstar::nvme {

/// An entry of a submission queue, and what its completion says. It stays with the controller until
/// Host::completed().
struct Entry {
  /// A command, or what the host does about one that does not end.
  enum class What : std::uint8_t { command, abort, reset };
  What what = What::command;
  Command command;
  std::uint64_t address = 0;  ///< of its data in the host's memory
  std::uint64_t number = 0;   ///< the host counts from 1; places are used again
  std::uint64_t aborts = 0;   ///< of an abort: which command
  std::uint32_t request = 0;  ///< for whoever watches
  // Set by the controller.
  Time submitted{};
  Status status = Status::success;
  std::uint64_t information = 0;  ///< the first sector in error
  Time on_medium{};               ///< of a write: when all that the drive has begun to program is on the dies
};

/// Whom a controller interrupts (MSI-X). It may ring doorbells then.
class Host {
 public:
  virtual void completed(Entry& entry) = 0;

 protected:
  ~Host() = default;
};

}  // namespace sunstar::nvme
