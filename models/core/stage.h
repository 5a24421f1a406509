// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sunstar {

/// Where the time between an event and its cause goes.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    Stage, std::uint8_t,
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
    pcie_link         ///< data on the drive's link
)

inline constexpr auto stage_names = []<template <class...> class List, class... S>(List<S...>) {
  return std::array<std::string_view, sizeof...(S)>{S::name...};
}(boost::describe::describe_enumerators<Stage>{});
inline constexpr std::size_t stage_count = stage_names.size(), stages_without_nvme = 15;

/// What a reader is told of a stage.
struct StageText {
  std::string_view is;              ///< as in "63 % of the run is seeks of the disks"
  std::string_view waits_for = {};  ///< for a stage in which nothing works: any change may shorten it
  bool is_processor = false;
};
inline constexpr std::array<StageText, stage_count> stage_texts{{
    {"the controllers of the disks"},
    {"seeks of the disks"},
    {"rotational delay on the disks", "for a sector to come round"},
    {"sectors passing under the heads of the disks"},
    {"data that the interfaces of the disks pass more slowly than their bus"},
    {"data on the SCSI buses"},
    {"the SCSI buses' other phases"},
    {"messages in the network"},
    {"messages that wait in the network, for others or for their receiver", "for messages ahead"},
    {"DMA to and from the nodes' memory"},
    {"work of the compute processors", "", true},
    {"work of the I/O processors", "", true},
    {"work of the processors", "", true},
    {"programs that think"},
    {"timers of the software, such as time-outs of missing answers"},
    {"the controllers of the NVMe drives, and what waits in their queues"},
    {"flash that is read, or has to be programmed before more can be written"},
    {"data on the links of the NVMe drives"},
}};
static_assert(!stage_texts.back().is.empty(), "every stage has its text");

}  // namespace sunstar
