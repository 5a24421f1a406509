// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

namespace sunstar::nvme {

/// How a command has ended: type and code of the status field of its completion (NVM Express 1.4, 4.6.1).
enum class Status : std::uint16_t {
  success = 0x000,
  aborted_power_loss = 0x005,  ///< Commands Aborted due to Power Loss Notification
  aborted = 0x007,             ///< Command Abort Requested, or ended by a reset
  lba_out_of_range = 0x080,
  namespace_not_ready = 0x082,
  unrecovered_read_error = 0x281,
  host_path_error = 0x370  ///< set by the host for a drive that is gone
};

constexpr std::string_view name_of(Status status) {
  switch (status) {
    case Status::success: return "success";
    case Status::aborted_power_loss: return "aborted by a loss of power";
    case Status::aborted: return "aborted";
    case Status::lba_out_of_range: return "block out of range";
    case Status::namespace_not_ready: return "not ready";
    case Status::unrecovered_read_error: return "unrecovered read error";
    case Status::host_path_error: return "the drive is gone";
  }
  return "";
}

}  // namespace sunstar::nvme
