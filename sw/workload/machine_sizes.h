// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>

namespace sunstar::workload {

class Workload;  // workload.h; the parameters of a kind name what they make

/// What workloads depend on: sizes of the machine, and the run's seed.
struct MachineSizes {
  std::uint32_t processors = 1;  ///< that compute
  std::uint32_t io_processors = 1;
  std::uint32_t disks = 1;
  std::uint32_t block_bytes = 8192;  ///< of the file system
  std::uint64_t seed = 1;
};

}  // namespace sunstar::workload
