// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/type.h"

// The files that a run reads and writes. No output may overwrite an input or another output.
namespace sunstar::kit {

struct NamedFile {
  std::string name;  ///< "--output", "workload.trace"
  std::filesystem::path path;
};

/// Adds the paths in a configuration that are not empty.
void add_files(ConstRef config, const std::string& path, std::vector<NamedFile>& files);

/// Notes a file that was read because the command line, a configuration or another file named it.
void note_read(const std::filesystem::path& file);

/// Throws ConfigError if two of the files are the same file, or one is a file that was read.
void require_distinct(const std::vector<NamedFile>& files);

}  // namespace sunstar::kit
