// SPDX-License-Identifier: MIT
#pragma once

namespace sunstar::kit {

/// Processor time of this process so far, user's and system's.
double cpu_seconds();

}  // namespace sunstar::kit
