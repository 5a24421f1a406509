// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/random.h"
#include "sw/io/store/redundant/plan.h"

// The choice of the copy of mirrored data to read.
namespace sunstar::io::redundant {

BOOST_DEFINE_ENUM_CLASS(ReadCopy,
                        primary,         ///< the first working copy
                        random,          ///< one of them, with equal probability
                        round_robin,     ///< one after the other, regardless of the request
                        nearest,         ///< the copy nearest to the first sector of the last command to its disk
                        shortest_queue,  ///< the copy whose disk has the fewest commands, queued or active
                        shortest_queue_then_nearest  ///< of these, the nearest
)

class DiskStates {
 public:
  /// Commands queued or under way.
  virtual std::uint64_t commands(std::uint32_t disk) const = 0;
  /// First sector of the last sent command; 0 before the first.
  virtual std::uint64_t last_sector(std::uint32_t disk) const = 0;

 protected:
  ~DiskStates() = default;
};

/// The policy. Among equals it draws one. `disks` must outlive it.
ChooseCopy copy_choice(ReadCopy policy, const DiskStates& disks, const RandomStream& random);

}  // namespace sunstar::io::redundant
