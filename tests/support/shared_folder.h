// SPDX-License-Identifier: MIT
#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/places.h"

namespace sunstar::test {

/// A file of the shared folder that is not part of the project (measured traces, reference data): under
/// $SUNSTAR_SHARED, else in ../shared beside the repository. Tests skip with a message when it is not there.
inline std::optional<std::string> shared_file(const std::string& path) {
  const char* from_environment = std::getenv("SUNSTAR_SHARED");
  const std::filesystem::path root =
      from_environment ? std::filesystem::path(from_environment) : source_folder() / ".." / "shared";
  const auto file = root / path;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  return file.string();
}

}  // namespace sunstar::test
