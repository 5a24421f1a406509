// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "models/core/problems.h"

// Reads the parameter files (.parv, .diskspecs, .model) that describe many drives. They consist of
//   blocks      TYPE NAME { key = value, ... }; values are numbers, words, lists in brackets, blocks or `source FILE`
//   statements  source FILE, instantiate [ NAMES ] as NAME, topology TYPE NAME [ ... ]
//   comments    from # to the end of the line
namespace sunstar::disk_platform {

struct ParvBlock;

/// A value, its key, and its place in the files. The items of a list have its key.
struct ParvValue {
  enum class Kind { text, list, block } kind = Kind::text;
  std::string key;
  std::string text;              ///< a number or words
  std::vector<ParvValue> items;  ///< of a list
  std::vector<ParvBlock> block;  ///< one, or none
  std::filesystem::path file;
  std::uint32_t line = 0;
};

/// A block with its members in the order of the file.
struct ParvBlock {
  std::string type, name;
  std::vector<ParvValue> members;
  std::filesystem::path file;
  std::uint32_t line = 0;

  const ParvValue* find(std::string_view key) const;
};

/// A part of the topology and the parts below it.
struct ParvNode {
  std::string type, name;
  std::vector<ParvNode> below;
};

struct ParvFile {
  std::vector<ParvBlock> blocks;
  /// Names of instances, as written (`disk0 .. disk3` is three items), and the block from which each is made.
  struct Instances {
    std::vector<std::string> names;
    std::string of;
  };
  std::vector<Instances> instances;
  std::vector<ParvNode> topology;
  std::filesystem::path within;  ///< the folder that sourced files must be in; empty if they may be anywhere
};

/// Which files a description may source.
enum class Sourcing {
  from_folder,  ///< those in the description's folder or below it, wherever links lead
  from_anywhere
};

/// Reads a file and the files it sources, each relative to the folder of the file that names it. Throws ConfigError
/// "FILE:LINE: sentence".
ParvFile read_parv(const std::filesystem::path& file, Sourcing sourcing);

/// Throws ConfigError "FILE:LINE: sentence" if `path`, which `name` in that line leads to, is not in the folder
/// `within` or below it, wherever links lead.
void require_within(const std::filesystem::path& within, const std::filesystem::path& path, const std::string& name,
                    const std::filesystem::path& file, std::uint32_t line);

/// Throws ConfigError "FILE:LINE: sentence".
[[noreturn]] void parv_error(const std::filesystem::path& file, std::uint32_t line, const std::string& sentence);

}  // namespace sunstar::disk_platform
