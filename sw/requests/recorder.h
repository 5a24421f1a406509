// SPDX-License-Identifier: MIT
#pragma once
#include "models/node/hal.h"
#include "sw/requests/access.h"

namespace sunstar::requests {

/// A unit that has ended, or several that were carried out as one.
struct Ended {
  std::uint32_t processor;  ///< that asked for it; of a collective, the one that leads its team
  Time start, end;          ///< at the processor
  std::uint64_t units = 1;
  std::uint64_t bytes = 0;               ///< 0 of a collective
  const Access* call = nullptr;          ///< the first of the calls; null if there was no call, or none of one file
  hal::Status status = hal::Status::ok;  ///< what it returned
};

/// A run of a file's bytes that could not be read, or that was written and may not be on the medium.
struct Failed {
  std::uint32_t file = 0;
  Operation operation = Operation::read;
  std::uint64_t offset = 0, bytes = 0;
  hal::Status status = hal::Status::ok;
};

/// Receives what a file system has done.
class Recorder {
 public:
  /// A unit begins, at the processor that asked for it.
  virtual void begin(Time start, std::uint32_t processor) = 0;
  virtual void end(const Ended& ended) = 0;
  /// Bytes of units have been moved; each byte counts once.
  virtual void moved(std::uint64_t bytes) = 0;
  /// Bytes of units that were not moved, because something failed; each byte counts once, here or as moved.
  virtual void not_moved(std::uint64_t bytes) = 0;
  /// A failure has been reported: a call, a collective or a synchronisation returns it.
  virtual void failed(const Failed& failed) = 0;
  /// An I/O processor has not answered a synchronisation: bytes written there may not be on the medium.
  virtual void unsynced(std::uint32_t io_processor) = 0;
  /// A part of a unit, or a block of a flush, is done. Progress displays use this.
  virtual void progress(std::uint64_t bytes) = 0;

 protected:
  ~Recorder() = default;
};

}  // namespace sunstar::requests
