// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

// The addresses on a node bus: memory from zero, device registers far above it, one page for each device.
namespace sunstar::node {

inline constexpr std::uint64_t device_base = 0x8000'0000'0000;
inline constexpr std::uint64_t device_page = 0x1'0000;

/// Devices by their page.
enum class Device : std::uint64_t { network_interface = 0, dma_engine = 1, first_host_adapter = 2 };

constexpr std::uint64_t page_of(Device d) { return device_base + static_cast<std::uint64_t>(d) * device_page; }

}  // namespace sunstar::node
