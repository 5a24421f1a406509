// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/type_of.h"

// The JSON Schema (draft 2020-12) of a configuration, from the declaration of its parameters, for editors and other
// tools. The descriptions give the ranges of quantities, which JSON Schema cannot express.
namespace sunstar::kit {

inline constexpr const char* schema_dialect = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a value of that JSON type, such as "string".
inline json::object schema_of_type(std::string_view type) { return {{"type", type}}; }

/// The schema of a whole configuration file, from a configuration that has its defaults.
json::object json_schema(const std::string& title, ConstRef defaults);

}  // namespace sunstar::kit
