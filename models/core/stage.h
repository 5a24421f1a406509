// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sunstar {

/// Where the time between an event and its cause goes.
enum class Stage : std::uint8_t {
  disk_overhead,       ///< a drive's controller decodes, prepares, reports
  disk_seek,           ///< seeks and head switches, with settling
  disk_rotation,       ///< until a sector comes under the head
  disk_transfer,       ///< sectors of requests or of the read-ahead pass under the head
  drive_interface,     ///< extra time of data phases due to a drive's interface, or to the rig it is on
  bus_data,            ///< data phases of the SCSI bus
  bus_overhead,        ///< its other phases, and from the end of a connection to the next
  network,             ///< messages on their way, as fast as an empty network lets them
  network_wait,        ///< extra time of messages, behind others or until their receiver has room
  memory,              ///< the node bus: DMA to and from memory
  compute_processor,   ///< the processors of compute nodes
  io_processor,        ///< the processors of I/O nodes
  combined_processor,  ///< the processors of nodes with both roles
  application,         ///< programs that think
  timer,               ///< the software's timers: time-outs of missing answers, the file system's own
  // Stages of NVMe drives; a machine without such drives has none of them.
  nvme_controller,  ///< a command waits in its queue, is decoded, completes
  flash,            ///< dies and channels, or a full write buffer
  pcie_link,        ///< data on the drive's link
};
BOOST_DESCRIBE_ENUM(Stage, disk_overhead, disk_seek, disk_rotation, disk_transfer, drive_interface, bus_data,
                    bus_overhead, network, network_wait, memory, compute_processor, io_processor, combined_processor,
                    application, timer, nvme_controller, flash, pcie_link)

inline constexpr auto stage_names = []<template <class...> class List, class... S>(List<S...>) {
  return std::array<std::string_view, sizeof...(S)>{S::name...};
}(boost::describe::describe_enumerators<Stage>{});
inline constexpr std::size_t stage_count = stage_names.size(), stages_without_nvme = 15;

}  // namespace sunstar
