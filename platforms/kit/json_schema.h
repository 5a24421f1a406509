// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <utility>

#include "models/core/catalogue.h"
#include "platforms/kit/config.h"
#include "platforms/kit/unused.h"

// The JSON Schema (draft 2020-12) of a configuration, from the declaration of its parameters, for editors and other
// tools. Ranges of quantities, which JSON Schema cannot express, are said in the description.
namespace sunstar::kit {

namespace detail {

inline json::value limit(const std::string& text) {
  const auto number = parse_json(text);
  return number && number->is_number() ? *number : json::value(text);
}

inline json::array names(const std::vector<std::string>& all) { return json::array(all.begin(), all.end()); }

template <class T>
json::object schema_of(const T& preset, const Param& rule);

template <Described T>
json::object schema_of_members(const T& preset) {
  json::object properties;
  for_each_member<T>([&](const char* name, auto member) {
    const auto& rule = parameter_of<T>(name);
    auto schema = schema_of(preset.*member, rule);
    auto help = help_text(rule, parameters_of<T>());
    using Member = std::remove_cvref_t<decltype(preset.*member)>;
    if constexpr (Quantity<Member>)
      if (const auto range = range_text(rule.min, rule.max); !range.empty()) help += " (" + range + ")";
    json::object described{{"description", help}};
    for (const auto& [key, value] : schema) described[key] = value;
    if constexpr (!Described<Member>) described["default"] = write(preset.*member);
    properties[name] = std::move(described);
  });
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

template <class T>
json::object schema_of(const T& preset, const Param& rule) {
  if constexpr (std::same_as<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (Integer<T> || Real<T>) {
    json::object schema{{"type", Integer<T> ? "integer" : "number"}};
    if (!rule.min.empty()) schema["minimum"] = limit(rule.min);
    else if (std::is_unsigned_v<T>) schema["minimum"] = 0;
    if (!rule.max.empty()) schema["maximum"] = limit(rule.max);
    return schema;
  } else if constexpr (Quantity<T>) {
    return {{"type", "string"}, {"pattern", pattern(notation<T>())}};
  } else if constexpr (DescribedEnum<T>) {
    return {{"enum", names(enumerator_names<T>())}};
  } else if constexpr (std::same_as<T, std::string>) {
    json::object schema{{"type", "string"}};
    if (!rule.allowed.empty()) schema["enum"] = names(rule.allowed);
    return schema;
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return {{"type", "string"}};
  } else if constexpr (Optional<T>) {
    using Value = typename T::value_type;
    return {{"anyOf", json::array{schema_of(preset.value_or(Value{}), rule), json::object{{"type", "null"}}}}};
  } else if constexpr (List<T>) {
    json::object schema{{"type", "array"}, {"items", schema_of(typename T::value_type{}, rule)}};
    if constexpr (is_fixed_list<T>) schema["minItems"] = schema["maxItems"] = preset.size();
    return schema;
  } else if constexpr (Map<T>) {
    return {{"type", "object"}, {"additionalProperties", schema_of(typename T::mapped_type{}, rule)}};
  } else {
    const auto noun = std::string(catalogue_of<T>::noun);
    const auto named = (noun.empty() ? "" : "the name of a " + noun + " in the catalogue, or ") +
                       std::string("the path of a file that holds the object");
    return {
        {"anyOf", json::array{schema_of_members(preset), json::object{{"type", "string"}, {"description", named}}}}};
  }
}

}  // namespace detail

/// The schema of a whole configuration file of T.
template <Described T>
json::object json_schema(const std::string& title, const T& defaults = {}) {
  auto members = detail::schema_of_members(defaults);
  json::object properties{{"schema", json::object{{"const", schema_name}}}};
  for (const auto& [key, value] : members["properties"].get_object()) properties[key] = value;
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", title},
          {"type", "object"},
          {"required", json::array{"schema"}},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

}  // namespace sunstar::kit
