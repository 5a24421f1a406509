// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/core/param.h"
#include "models/node/hal.h"

namespace sunstar::io {

/// A driver's handling of commands that fail or do not end. The defaults are from Linux 2.4: drivers/scsi/sd.h and
/// scsi_error.c. They matter only on a machine with faults, or if a drive takes
/// longer than `timeout` for a command.
struct DriverParams {
  Duration timeout = std::chrono::seconds{30};
  std::uint32_t retries = 5;
  bool retry_medium_errors = true;
  Duration help_timeout = std::chrono::seconds{10};
  Duration reset_settle = std::chrono::seconds{5};
  Duration ready_poll = std::chrono::seconds{1};
  Duration ready_limit = std::chrono::seconds{60};
};
BOOST_DESCRIBE_STRUCT(DriverParams, (),
                      (timeout, retries, retry_medium_errors, help_timeout, reset_settle, ready_poll, ready_limit))
inline std::vector<Param> parameters(const DriverParams*) {
  return {
      {"timeout", "how long a command may take before the driver aborts it (SD_TIMEOUT: 30 s)", "1ms", "3600s"},
      {"retries", "how often a command is tried again (SD_MAX_RETRIES: 5)", "0", "100"},
      {"retry_medium_errors", "whether that holds for sectors that cannot be read, too (Linux 2.4: yes)"},
      {"help_timeout",
       "how long an abort or a reset may take before the next remedy: device reset, then bus reset (SENSE_TIMEOUT: 10 "
       "s)",
       "1ms", "3600s"},
      {"reset_settle", "pause after a reset (BUS_RESET_SETTLE_TIME: 5 s)", "0s", "3600s"},
      {"ready_poll", "pause before the next try when a drive is not ready", "1ms", "3600s"},
      {"ready_limit", "how long the driver waits for that before it gives up", "0s", "3600s"},
  };
}

/// Decides which errors of a request are final, by DriverParams. Pure.
class Retries {
 public:
  explicit Retries(const DriverParams& params) : params_(params) {}
  /// The next request.
  void begin() { tries_ = 0, not_ready_since_ = Time::max(); }
  /// Its command has failed. Returns whether the error is final.
  bool final(hal::Status status, Time now) {
    using hal::Status;
    switch (status) {
      case Status::not_ready:
        not_ready_since_ = std::min(not_ready_since_, now);
        return now - not_ready_since_ >= params_.ready_limit;
      case Status::interrupted: return ++tries_ > params_.retries;
      case Status::medium_error: return !params_.retry_medium_errors || ++tries_ > params_.retries;
      default: return true;
    }
  }

 private:
  const DriverParams& params_;
  std::uint32_t tries_ = 0;  // retries after the first try
  Time not_ready_since_ = Time::max();
};

}  // namespace sunstar::io
