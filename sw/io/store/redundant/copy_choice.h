// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>

#include "models/core/random.h"
#include "sw/io/store/redundant/plan.h"

// Which copy of mirrored data is read.
namespace sunstar::io::redundant {

enum class ReadCopy {
  primary,                      ///< the first that works
  random,                       ///< any, with equal probability
  round_robin,                  ///< one after the other, whatever is read
  nearest,                      ///< whose sector is nearest the first sector of the last command to its disk
  shortest_queue,               ///< whose disk has the fewest commands, with the one under way
  shortest_queue_then_nearest,  ///< of these the nearest
};
BOOST_DESCRIBE_ENUM(ReadCopy, primary, random, round_robin, nearest, shortest_queue, shortest_queue_then_nearest)

/// What the policies ask about the disks.
class DiskStates {
 public:
  /// Commands queued or under way.
  virtual std::uint64_t commands(std::uint32_t disk) const = 0;
  /// First sector of the command that was sent last; 0 before the first.
  virtual std::uint64_t last_sector(std::uint32_t disk) const = 0;

 protected:
  ~DiskStates() = default;
};

/// The policy. Of equals it draws one. `disks` must outlive it.
ChooseCopy copy_choice(ReadCopy policy, const DiskStates& disks, const RandomStream& random);

}  // namespace sunstar::io::redundant
