// SPDX-License-Identifier: MIT
#pragma once
#include "sw/os/task.h"

namespace sunstar::io {

struct BlockJob;

/// Keeps others away from a block while a transfer has it in a buffer.
class BlockGuard {
 public:
  /// Waits until the block is this transfer's alone and the disk holds its newest bytes. `whole` says that a write will
  /// replace all of them, so that older ones may be forgotten.
  virtual os::Task<> acquire(const BlockJob& job, bool write, bool whole) = 0;
  virtual void release(const BlockJob& job) = 0;

 protected:
  ~BlockGuard() = default;
};

}  // namespace sunstar::io
