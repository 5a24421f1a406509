// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/scsi/bus_params.h"

// The bus without a kernel: the lengths of its phases, and the choice of the next device.
namespace sunstar::scsi {

enum class BusPhase : std::uint8_t { free, arbitration, selection, command, disconnect, reselection, data, status };
inline constexpr std::size_t bus_phases = 8;
inline constexpr std::array<std::string_view, bus_phases> bus_phase_names{
    "free", "arbitration", "selection", "command", "disconnect", "reselection", "data", "status"};

/// Length of each phase that is made up of several parts. Messages count towards the phase they belong to.
class BusTiming {
 public:
  explicit BusTiming(const BusParams& p) : p_(p) {}
  /// Selection with its identify message; reselection likewise.
  Duration selection() const { return p_.selection + p_.message_byte; }
  Duration reselection() const { return p_.selection + p_.message_byte; }
  Duration command() const { return p_.message_byte * p_.command_bytes + p_.command_overhead; }
  /// Save-data-pointers and disconnect messages.
  Duration disconnect() const { return p_.message_byte * 2; }
  /// Status byte and command-complete message.
  Duration status() const { return p_.message_byte * 2; }

 private:
  BusParams p_;
};

/// Device 0 is the initiator, device i + 1 is target i. SCSI ids: the initiator has 7; targets have 0, 1, ... 6, 8, 9
/// ...
constexpr std::uint32_t scsi_id(std::uint32_t device) { return device == 0 ? 7 : device <= 7 ? device - 1 : device; }

/// The smallest rank wins: ids 7 ... 0, then 15 ... 8. Ids beyond 15, which no real bus has, come last in falling
/// groups of eight.
constexpr std::uint32_t arbitration_rank(std::uint32_t id) { return id / 8 * 8 + (7 - id % 8); }

/// The devices that want the bus; the initiator is in it once for each command.
class Arbiter {
 public:
  explicit Arbiter(Arbitration policy) : policy_(policy) {}
  bool empty() const { return waiting_.empty(); }
  void request(std::uint32_t device, Time since) { waiting_.push_back({device, since}); }
  /// Forgets the device's requests.
  void withdraw(std::uint32_t device) {
    std::erase_if(waiting_, [device](const Waiting& w) { return w.device == device; });
  }
  void clear() { waiting_.clear(); }
  /// Removes the winner and returns it. There must be one: not when empty().
  std::uint32_t grant();

 private:
  struct Waiting {
    std::uint32_t device;
    Time since;
  };
  Arbitration policy_;
  std::vector<Waiting> waiting_;
};

}  // namespace sunstar::scsi
