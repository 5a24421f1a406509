// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sw/file_systems/galley/on_disk/form.h"

namespace sunstar::file_systems::galley {

/// Block 0 of each disk: whether it is one of Galley's disks, which one, and how it is divided.
struct Superblock {
  Form form;
  std::uint32_t disk = 0;   ///< this one
  std::uint32_t disks = 1;  ///< of the file system
  bool operator==(const Superblock&) const = default;
};

/// Writes the superblock over a whole block.
void encode(const Superblock&, std::span<std::byte> block);
/// The superblock in a block; none if magic number, version or checksum are wrong.
std::optional<Superblock> decode_superblock(std::span<const std::byte> block);

}  // namespace sunstar::file_systems::galley
