// SPDX-License-Identifier: MIT
#pragma once
#include <utility>

#include "platforms/kit/json_read.h"

// A whole configuration: a file that says "schema": "sunstar/1", settings on the command line that override it, and for
// the rest the values of the configuration's base, or the defaults. A configuration whose type has a member `base` may
// have a base: the name of a preset, or a file, which may have a base itself.
namespace sunstar::kit {

inline constexpr const char* schema_name = "sunstar/1";

struct ConfigInput {
  std::optional<std::filesystem::path> file = {};  ///< without one, everything has its default
  Settings settings = {};
  std::filesystem::path catalogues = project_folder();  ///< what catalogue_of<T>::folder is relative to
  std::filesystem::path presets = project_folder() / "platforms/presets";
  std::string preset = {};  ///< the base of files that name none, and of the defaults
};

/// Reads a configuration into an object that has its defaults. A function is_base(T&) beside the type is called when
/// only the base has been read. Throws a ConfigError that lists every error. `warnings` receives sentences about
/// parameters that are set but not used by the run, or set to values that are hardly meant.
void load_config(Ref config, ConfigInput input, std::vector<std::string>* warnings = nullptr);
template <Described T>
T load_config(ConfigInput input, std::vector<std::string>* warnings = nullptr) {
  T config{};
  load_config(Ref(config), std::move(input), warnings);
  return config;
}

/// The effective configuration: a file with this content gives the same configuration.
json::object effective(ConstRef config);

}  // namespace sunstar::kit
