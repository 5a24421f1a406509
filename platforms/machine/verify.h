// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "platforms/machine/machine.h"
#include "sw/file_systems/file_system.h"

// The bytes of a run: what lies on the disks before it, what the processors write, and the check of both afterwards.
namespace sunstar::machine {

/// Puts version 0 of every file on its disks.
void fill_media(Machine& machine, const file_systems::System& system);

/// Puts version 1 of what each processor will write into its memory, and rubbish where it will read.
void fill_memories(file_systems::System& system);

struct Verdict {
  bool ok = true;
  std::uint64_t bytes = 0;  ///< looked at
};

/// Checks every byte: written ranges of the files hold version 1 on the medium and all others version 0; what was
/// read is, in the memories, what the file held. Throws SimulationError naming the first byte that is wrong, or
/// calls and bytes that are missing.
Verdict verify(Machine& machine, const file_systems::System& system, const file_systems::FileSystem& file_system);

}  // namespace sunstar::machine
