// SPDX-License-Identifier: MIT
#pragma once
#include <boost/crc.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sunstar::file_systems::galley {

/// The CRC-32 of Ethernet and zip: with it libraries notice that what they stored has changed.
inline std::uint32_t crc32(std::span<const std::byte> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace sunstar::file_systems::galley
