// SPDX-License-Identifier: MIT
#include "tests/support/places.h"

namespace sunstar::test {

std::filesystem::path source_folder() { return SUNSTAR_SOURCE_DIR; }
std::filesystem::path binary_folder() { return SUNSTAR_BINARY_DIR; }

}  // namespace sunstar::test
