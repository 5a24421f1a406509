// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/disk/overhead_params.h"

namespace sunstar::scsi {

/// The rule by which a free bus goes to one of several devices.
enum class Arbitration {
  fair,    ///< to the longest wait; of equals, to the highest priority
  scsi_id  ///< as in SCSI-2, to the highest priority: 7 (the initiator), 6 ... 0, then 15 ... 8; busy devices can
           ///< starve others
};
BOOST_DESCRIBE_ENUM(Arbitration, fair, scsi_id)

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
  return {
      {"data_rate", "rate of synchronous data transfer", "1kB/s", "10GB/s", disk::faster_buses},
      {"bus_free",
       "from the end of one connection to the start of the next arbitration: bus settle and bus free delay (0.4 + "
       "0.8 "
       "us)",
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
      {"disconnect_threshold", "longest wait for which a target keeps the bus instead of disconnecting", "0ns", "1s",
       Tuning::setting},
      {"selection_timeout",
       "how long the initiator waits for a target that does not answer its selection (X3.131-1994, 5.7: at least 250 "
       "ms "
       "recommended)",
       "1us", "10s"},
      {"reset_hold", "how long a reset of the bus lasts: reset hold time (25 us)", "25us", "1s"},
      {"arbitration_policy", "how a free bus is given to one of several devices", Tuning::setting}};
}

/// The ranges above, for parameters not read from a file.
void check(const BusParams& params, const std::string& path, Problems& problems);

}  // namespace sunstar::scsi
