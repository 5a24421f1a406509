// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "models/node/hal.h"
#include "sw/io/store/driver_params.h"

namespace sunstar::io {

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
