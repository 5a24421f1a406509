// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe/enum.hpp>
#include <cstdint>

#include "models/core/quantity.h"

// What applications ask of a file system. A file system and a workload both know it, and neither knows more of the
// other.
namespace sunstar::requests {

BOOST_DEFINE_FIXED_ENUM_CLASS(Operation, std::uint8_t, read, write)

/// One call of an application on a compute processor: a contiguous run of one file.
struct Access {
  std::uint32_t file = 0;  ///< index into the files of the workload
  Operation operation = Operation::read;
  std::uint64_t offset = 0;  ///< bytes into the file
  std::uint64_t memory = 0;  ///< bytes into this processor's buffer
  std::uint64_t bytes = 0;
  Duration think{};       ///< computing between the end of the previous call and this one
  Duration not_before{};  ///< open loop: the call is made no earlier than this, counted from the start of the run
  /// The processor waits before this access until all others have come as far. An access of no bytes only waits. Every
  /// processor has the same number of such accesses.
  bool in_step = false;
  /// A write after which no cache may return an older copy. File systems without copies in clients treat it as any
  /// other write.
  bool coherent = false;
  /// An access of no bytes: the processor closes its files, and its node sends their changed bytes to the servers.
  bool close = false;
  /// An access of no bytes: the processor waits until everything that its application has written is on disk. Every
  /// processor has the same number of such accesses.
  bool sync = false;
  bool single = false;  ///< a call by itself: no other continues it
};

/// A run of bytes that lies contiguously in the file and in the memory of one compute processor.
struct Piece {
  std::uint32_t processor = 0;      ///< compute processor, counted from 0
  std::uint64_t file_offset = 0;    ///< bytes
  std::uint64_t memory_offset = 0;  ///< bytes into that processor's buffer
  std::uint64_t bytes = 0;
  bool operator==(const Piece&) const = default;
};

}  // namespace sunstar::requests
