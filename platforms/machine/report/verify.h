// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/machine/report/excuses.h"
#include "sw/file_systems/file_system.h"

namespace sunstar::machine {

struct Verdict {
  std::uint64_t bytes = 0;      ///< checked in buffers, in files that the run writes, and on arrival
  std::uint64_t compared = 0;   ///< bytes that were made from descriptions and compared, besides
  std::uint64_t unchecked = 0;  ///< read by processors that stopped, whose memory is gone
  Excused excused;              ///< bytes that are not as the applications wanted them
};

/// `placed` says where the files lay before the run; a file system with structures of its own on the store tells by
/// them where the files lie now. Checks that all units of the workload have been carried out, and checks every byte of
/// the buffers that the workload's oracle names and every byte of the media: those of files, written or not, and those
/// of no file, which must be as before the run. Bytes that excuses.h excuses count as right; `spoilt`: messages were
/// passed on with a wrong byte. A stopped processor's buffer is not looked at. It compares descriptions of described
/// content and, of a sample drawn by `seed`, also the bytes. Throws SimulationError that names the first wrong byte, or
/// the missing units.
Verdict verify(io::Store& store, const io::Volume& placed, const workload::Job& job,
               const file_systems::FileSystem& file_system, std::uint64_t seed, bool nodes_stopped = false,
               bool spoilt = false);

}  // namespace sunstar::machine
