// SPDX-License-Identifier: MIT
#pragma once
#include "models/nvme/drive.h"
#include "models/nvme/status.h"

namespace sunstar::nvme {

/// An entry of a submission queue, with its completion. It stays with the controller until Host::completed().
struct Entry {
  /// A command, or the host's help for a command that does not end.
  enum class What : std::uint8_t { command, abort, reset };
  What what = What::command;
  Command command;
  std::uint64_t address = 0;  ///< place of its data in the host's memory
  std::uint64_t number = 0;   ///< the host counts from 1; places are used again
  std::uint64_t aborts = 0;   ///< of an abort: the command's number
  std::uint32_t request = 0;  ///< for observers
  // Set by the controller.
  Time submitted{};
  Status status = Status::success;
  std::uint64_t information = 0;  ///< the first sector in error
  Time on_medium{};               ///< of a write: when all data that the drive has begun to program are on the dies
};

/// The host that a controller interrupts (MSI-X). It may ring doorbells then.
class Host {
 public:
  virtual void completed(Entry& entry) = 0;

 protected:
  ~Host() = default;
};

}  // namespace sunstar::nvme
