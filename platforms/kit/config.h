// SPDX-License-Identifier: MIT
#pragma once
#include <utility>

#include "platforms/kit/json_read.h"
#include "platforms/kit/type_of.h"

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

/// A row of the reference table of parameters.
struct ParameterRow {
  std::string path, type, preset, range, help;
  bool operator==(const ParameterRow&) const = default;
};

/// All parameters with their full paths, from a configuration that has its defaults; elements of lists are
/// "nodes.<n>.role".
std::vector<ParameterRow> parameter_rows(ConstRef defaults);

/// A Markdown table of the rows, with a heading line.
std::string markdown(const std::vector<ParameterRow>&);

/// The type's name in the table: "whole number", "list: name".
std::string type_text(const Type&);
/// "what heats it (gas: a flame under the kettle; mains: a coil inside it)"
std::string help_of_choice(const ChoiceForm&, const std::string& help);

inline constexpr const char* schema_dialect = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a value of that JSON type, such as "string".
inline json::object schema_of_type(std::string_view type) { return {{"type", type}}; }

/// The JSON Schema (draft 2020-12) of a whole configuration file, for editors and other tools, from a configuration
/// that has its defaults. The descriptions give the ranges of quantities, which JSON Schema cannot express.
json::object json_schema(const std::string& title, ConstRef defaults);

}  // namespace sunstar::kit
