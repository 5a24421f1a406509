// SPDX-License-Identifier: MIT
#pragma once

namespace sunstar::disk_platform {

/// sunstar-disk fit: argv[0] is "fit". Returns the exit code.
int fit_main(int argc, const char* const* argv);

}  // namespace sunstar::disk_platform
