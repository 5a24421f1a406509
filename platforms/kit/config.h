// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/kit/json_read.h"
#include "platforms/kit/unused.h"

// A whole configuration: a file that says "schema": "sunstar/1", settings on the command line that override it, and
// defaults for the rest.
namespace sunstar::kit {

inline constexpr const char* schema_name = "sunstar/1";

struct ConfigInput {
  std::optional<std::filesystem::path> file = {};  ///< without one, everything has its default
  Settings settings = {};
  std::filesystem::path catalogue = default_catalogue();
};

/// The raw JSON with the settings applied and without the schema entry; nothing if the file cannot be used at all.
std::optional<json::value> load_json(ConfigInput&, Problems&);

/// Throws a ConfigError that names everything that is wrong. `unused` receives sentences about the parameters that are
/// set but not used by the run.
template <Described T>
T load_config(ConfigInput input, std::vector<std::string>* unused = nullptr) {
  Problems problems;
  std::optional<Problems::InFile> where;
  if (input.file) where.emplace(problems, input.file->string());
  T config{};
  if (const auto value = load_json(input, problems)) {
    Reader reader(problems, &input.settings, input.file ? input.file->parent_path() : "", input.catalogue);
    read_into(config, *value, "", Param{}, reader);
    if (problems.empty()) input.settings.report_unused(problems);
    if (problems.empty() && unused) *unused = unused_settings(config, input.settings, reader.foreign);
  }
  problems.throw_if_any();
  return config;
}

/// The effective configuration: a file with this content gives the same one.
template <Described T>
json::object effective(const T& config) {
  json::object all{{"schema", schema_name}};
  const auto sections = write(config);
  for (const auto& [key, value] : sections.get_object()) all[key] = value;
  return all;
}

}  // namespace sunstar::kit
