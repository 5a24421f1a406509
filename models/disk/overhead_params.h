// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"

namespace sunstar::disk {

// Changes to a drive, and to the bus that it shares, that would make runs faster.
inline constexpr Speedup faster_spindles{"disks that turn twice as fast", {Stage::disk_rotation, Stage::disk_transfer}};
inline constexpr Speedup faster_seeks{"disks that seek in half the time", {Stage::disk_seek}};
inline constexpr Speedup faster_controllers{"disk controllers with half the overhead", {Stage::disk_overhead}};
inline constexpr Speedup faster_interfaces{"drives with interfaces twice as fast", {Stage::drive_interface}};
inline constexpr Speedup faster_buses{"SCSI buses twice as fast", {Stage::bus_data, Stage::bus_overhead}};

/// The times of the drive's controller, by task. The time from a command's arrival until it is decoded depends on the
/// kind of the previous command, unless the drive has had no command for a while, and on whether it hits: a read hits
/// if its first block is in the buffer or on its way there; a write hits if the drive reports it before the medium has
/// its data.
struct OverheadParams {
  Duration pause = std::chrono::milliseconds{5};
  Duration read_hit_after_read = std::chrono::microseconds{2200};
  Duration read_hit_after_write = std::chrono::microseconds{2200};
  Duration read_hit_after_pause{0};
  Duration read_miss_after_read = std::chrono::microseconds{2200};
  Duration read_miss_after_write = std::chrono::microseconds{2200};
  Duration read_miss_after_pause{0};
  Duration write_hit_after_read = std::chrono::microseconds{2200};
  Duration write_hit_after_write = std::chrono::microseconds{2200};
  Duration write_hit_after_pause{0};
  Duration write_miss_after_read = std::chrono::microseconds{2200};
  Duration write_miss_after_write = std::chrono::microseconds{2200};
  Duration write_miss_after_pause{0};
  Duration read_disconnect_after_read{0};
  Duration read_disconnect_after_write{0};
  Duration write_disconnect{0};
  Duration first_reselection{0};
  Duration other_reselection{0};
  Duration data_preparation{0};
  Duration read_completion{0};
  Duration write_completion{0};
  bool write_reconnects = false;
  Duration reconnect_command{0};
  Duration reconnect_disconnect{0};
  Duration reconnect_delay{0};
  Duration reconnect_second_disconnect{0};
  Duration minimum_seek_delay{0};
  bool operator==(const OverheadParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(OverheadParams, (),
                      (pause, read_hit_after_read, read_hit_after_write, read_hit_after_pause, read_miss_after_read,
                       read_miss_after_write, read_miss_after_pause, write_hit_after_read, write_hit_after_write,
                       write_hit_after_pause, write_miss_after_read, write_miss_after_write, write_miss_after_pause,
                       read_disconnect_after_read, read_disconnect_after_write, write_disconnect, first_reselection,
                       other_reselection, data_preparation, read_completion, write_completion, write_reconnects,
                       reconnect_command, reconnect_disconnect, reconnect_delay, reconnect_second_disconnect,
                       minimum_seek_delay))
inline std::vector<Param> parameters(const OverheadParams*) {
  return {
      {"pause", "time without a command after which the decoding times after a pause hold", "0ms", "1000s"},
      {"read_hit_after_read", "decoding a read that hits, after a read", "0ms", "1s"},
      {"read_hit_after_write", "decoding a read that hits, after a write", "0ms", "1s"},
      {"read_hit_after_pause", "decoding a read that hits, after a pause; 0: as without one", "0ms", "1s"},
      {"read_miss_after_read", "decoding a read that needs the heads, after a read", "0ms", "1s"},
      {"read_miss_after_write", "decoding a read that needs the heads, after a write", "0ms", "1s"},
      {"read_miss_after_pause", "decoding a read that needs the heads, after a pause; 0: as without one", "0ms", "1s"},
      {"write_hit_after_read", "decoding a write that is reported before the medium has its data, after a read", "0ms",
       "1s"},
      {"write_hit_after_write", "decoding a write that is reported before the medium has its data, after a write",
       "0ms", "1s"},
      {"write_hit_after_pause",
       "decoding a write that is reported before the medium has its data, after a pause; 0: as without one", "0ms",
       "1s"},
      {"write_miss_after_read", "decoding a write that is reported from the medium, after a read", "0ms", "1s"},
      {"write_miss_after_write", "decoding a write that is reported from the medium, after a write", "0ms", "1s"},
      {"write_miss_after_pause", "decoding a write that is reported from the medium, after a pause; 0: as without one",
       "0ms", "1s"},
      {"read_disconnect_after_read", "leaving the bus before the heads move for a read, after a read", "0ms", "1s"},
      {"read_disconnect_after_write", "leaving the bus before the heads move for a read, after a write", "0ms", "1s"},
      {"write_disconnect", "leaving the bus when the data of a write is in the buffer", "0ms", "1s"},
      {"first_reselection", "coming back to the bus for the first time in a command", "0ms", "1s"},
      {"other_reselection", "coming back to the bus again", "0ms", "1s"},
      {"data_preparation", "preparing the data of a read before it goes on the bus", "0ms", "1s"},
      {"read_completion", "from the last data to the status of a read", "0ms", "1s"},
      {"write_completion", "from the end of the work to the status of a write", "0ms", "1s"},
      {"write_reconnects", "whether a write leaves the bus after its command and comes back for its data"},
      {"reconnect_command", "such a write: decoding, in place of the four above", "0ms", "1s"},
      {"reconnect_disconnect", "such a write: leaving the bus after its command", "0ms", "1s"},
      {"reconnect_delay", "such a write: until it comes back for its data", "0ms", "1s"},
      {"reconnect_second_disconnect", "such a write: leaving the bus after its data, in place of write_disconnect",
       "0ms", "1s"},
      {"minimum_seek_delay", "least time from the arrival of a write to the start of its seek", "0ms", "1s"}};
}

/// The drive's own interface, as in its data sheet.
struct InterfaceParams {
  Bandwidth data_rate{0};
  bool operator==(const InterfaceParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(InterfaceParams, (), (data_rate))
inline std::vector<Param> parameters(const InterfaceParams*) {
  return {
      {"data_rate",
       "greatest rate of synchronous transfer; the lower of this and the bus's rate holds; 0B/s: as fast as the bus",
       "0B/s", "10GB/s", faster_interfaces}};
}

/// The runs in which the pace of the rig counts.
BOOST_DEFINE_ENUM_CLASS(RigCounts,
                        alone,       ///< if the drive is measured alone, as on the rig: sunstar-disk
                        everywhere,  ///< also in machines
                        nowhere)

/// The pace of the rig on which the drive was measured: host, adapter and bus. The rig was often slower than the
/// drive's interface, and measured response times include its pace.
struct RigParams {
  RigCounts counts = RigCounts::alone;
  Duration read_sector{0};
  Duration write_sector{0};
  bool operator==(const RigParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(RigParams, (), (counts, read_sector, write_sector))
inline std::vector<Param> parameters(const RigParams*) {
  return {{"counts",
           "alone: in sunstar-disk, which measures a drive alone; everywhere: also in machines; nowhere: the bus and "
           "the drive's interface set the pace"},
          {"read_sector", "time that a sector of a read took to the host; 0: as fast as the bus", "0ms", "1s",
           faster_interfaces},
          {"write_sector", "time that a sector of a write took from the host; 0: as fast as the bus", "0ms", "1s",
           faster_interfaces}};
}

}  // namespace sunstar::disk
