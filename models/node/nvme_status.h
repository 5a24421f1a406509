// SPDX-License-Identifier: MIT
#pragma once
#include "models/node/hal.h"
#include "models/nvme/status.h"

namespace sunstar::node {

/// The status of an NVMe command as firmware sees it.
constexpr hal::Status status_of(nvme::Status status) {
  switch (status) {
    case nvme::Status::success: return hal::Status::ok;
    case nvme::Status::unrecovered_read_error: return hal::Status::medium_error;
    case nvme::Status::namespace_not_ready: return hal::Status::not_ready;
    case nvme::Status::lba_out_of_range: return hal::Status::refused;
    case nvme::Status::host_path_error: return hal::Status::no_device;
    default: return hal::Status::interrupted;
  }
}

}  // namespace sunstar::node
