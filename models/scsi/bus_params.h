// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/faults.h"
#include "models/core/problems.h"
#include "models/disk/overhead_params.h"

// A SCSI bus without a kernel: its faults and parameters, the lengths of its phases, the choice of the next device.
namespace sunstar::scsi {

struct ParityError {
  static constexpr std::string_view kind = "parity-error";
  static constexpr std::string_view help = "a burst of data is spoilt: its command ends with ABORTED COMMAND";
};

struct BusHang {
  static constexpr std::string_view kind = "bus-hang";
  static constexpr std::string_view help = "a connection does not end until the bus is reset, and no other is made";
};

struct BusReset {
  static constexpr std::string_view kind = "bus-reset";
  static constexpr std::string_view help =
      "the bus is reset: commands under way are gone, and each drive answers its next command with UNIT ATTENTION";
};

using BusFaultEffects = OneOf<ParityError, BusHang, BusReset>;

/// The faults of one bus, which asks at each connection and each burst.
using BusFaults = faults::FaultsOf<BusFaultEffects>;

/// The rule by which a free bus goes to one of several devices.
BOOST_DEFINE_ENUM_CLASS(Arbitration,
                        fair,    ///< to the longest wait; of equals, to the highest priority
                        scsi_id  ///< as in SCSI-2, to the highest priority: 7 (the initiator), 6 ... 0, then 15 ... 8;
                                 ///< busy devices can starve others
)

/// A parallel SCSI-2 bus (ANSI X3.131-1994): the times of section 5.7 where the standard fixes them, typical times
/// where it does not. A bus of the model carries any number of targets; a real narrow bus carries 7, a real wide bus
/// 15.
struct BusParams {
  Bandwidth data_rate{10e6};
  Duration bus_free = std::chrono::nanoseconds{1200};
  Duration arbitration = std::chrono::nanoseconds{2400};
  Duration selection = std::chrono::nanoseconds{2000};
  Duration message_byte = std::chrono::nanoseconds{500};
  std::uint32_t command_bytes = 10;
  Duration command_overhead{0};
  Duration disconnect_threshold = std::chrono::microseconds{50};
  Duration selection_timeout = std::chrono::milliseconds{250};
  Duration reset_hold = std::chrono::microseconds{25};
  Arbitration arbitration_policy = Arbitration::fair;
  bool operator==(const BusParams&) const = default;
};
BOOST_DESCRIBE_STRUCT(BusParams, (),
                      (data_rate, bus_free, arbitration, selection, message_byte, command_bytes, command_overhead,
                       disconnect_threshold, selection_timeout, reset_hold, arbitration_policy))
inline std::vector<Param> parameters(const BusParams*) {
  return {{"data_rate", "rate of synchronous data transfer", "1kB/s", "10GB/s", disk::faster_buses},
          {"bus_free",
           "from the end of one connection to the start of the next arbitration: bus settle and bus free delay (0.4 + "
           "0.8 us)",
           "0ns", "1s", disk::faster_buses},
          {"arbitration", "from the start of arbitration to its outcome: arbitration delay (2.4 us)", "0ns", "1s",
           disk::faster_buses},
          {"selection",
           "selection or reselection after arbitration: bus clear and bus settle delay (1.2 us), deskew and the other "
           "side's answer",
           "0ns", "1s", disk::faster_buses},
          {"message_byte", "time for a byte of command, message or status, sent with an asynchronous handshake", "0ns",
           "1ms", disk::faster_buses},
          {"command_bytes", "bytes of a command descriptor block", "6", "16"},
          {"command_overhead", "additional time for which each command holds the bus, once", "0ns", "1s",
           disk::faster_buses},
          {"disconnect_threshold", "longest wait for which a target keeps the bus instead of disconnecting", "0ns",
           "1s", Tuning::setting},
          {"selection_timeout",
           "how long the initiator waits for a target that does not answer its selection (X3.131-1994, 5.7: at least "
           "250 ms recommended)",
           "1us", "10s"},
          {"reset_hold", "how long a reset of the bus lasts: reset hold time (25 us)", "25us", "1s"},
          {"arbitration_policy", "how a free bus is given to one of several devices", Tuning::setting}};
}

/// The ranges above, for parameters not read from a file.
inline void check(const BusParams& p, const std::string& path, Problems& problems) {
  const auto fault = [&](const char* key, const auto&... what) { problems.add(json_path(path, key), what...); };
  if (!(p.data_rate.bytes_per_second > 0) || !std::isfinite(p.data_rate.bytes_per_second))
    fault("data_rate", "must be positive");
  if (p.command_bytes < 6 || p.command_bytes > 16)
    fault("command_bytes", "is ", p.command_bytes, "; a SCSI command has 6 to 16 bytes");
  check_not_negative(p, path, problems);
}

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
  void withdraw(std::uint32_t device) {
    std::erase_if(waiting_, [device](const Waiting& w) { return w.device == device; });
  }
  void clear() { waiting_.clear(); }
  /// Removes the winner and returns it. There must be one: not when empty().
  std::uint32_t grant() {
    assert(!waiting_.empty());
    const auto before = [this](const Waiting& a, const Waiting& b) {
      const auto rank_a = arbitration_rank(scsi_id(a.device)), rank_b = arbitration_rank(scsi_id(b.device));
      if (policy_ == Arbitration::fair) return std::tuple{a.since, rank_a} < std::tuple{b.since, rank_b};
      return rank_a < rank_b;
    };
    const auto winner = std::min_element(waiting_.begin(), waiting_.end(), before);
    const std::uint32_t device = winner->device;
    waiting_.erase(winner);
    return device;
  }

 private:
  struct Waiting {
    std::uint32_t device;
    Time since;
  };
  Arbitration policy_;
  std::vector<Waiting> waiting_;
};

}  // namespace sunstar::scsi
