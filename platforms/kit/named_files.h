// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "platforms/kit/kinds.h"

// The files that a run reads and writes. No output may overwrite an input or another output.
namespace sunstar::kit {

struct NamedFile {
  std::string name;  ///< "--output", "workload.trace"
  std::filesystem::path path;
};

/// Adds the paths in a configuration that are not empty.
template <Described T>
void add_files(const T& config, const std::string& path, std::vector<NamedFile>& files) {
  for_each_member<T>([&](const char* name, auto member) {
    const auto& value = config.*member;
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::same_as<Value, std::filesystem::path>) {
      if (!value.empty()) files.push_back({json_path(path, name), value});
    } else if constexpr (TaggedChoice<Value>) {
      value.visit([&](const auto& chosen) { add_files(chosen, path, files); });
    } else if constexpr (Described<Value>) {
      add_files(value, json_path(path, name), files);
    }
  });
}

/// Notes a file that was read because the command line, a configuration or another file named it.
void note_read(const std::filesystem::path& file);
const std::vector<std::filesystem::path>& files_read();

/// Throws ConfigError if two of the files are the same one, or one is a file that was read.
void require_distinct(const std::vector<NamedFile>& files);

}  // namespace sunstar::kit
