// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <utility>

#include "models/core/catalogue.h"
#include "platforms/kit/config.h"
#include "platforms/kit/parameter_table.h"
#include "platforms/kit/unused.h"

// The JSON Schema (draft 2020-12) of a configuration, from the declaration of its parameters, for editors and other
// tools. The descriptions give the ranges of quantities, which JSON Schema cannot express.
namespace sunstar::kit {

inline constexpr const char* schema_dialect = "https://json-schema.org/draft/2020-12/schema";

namespace detail {

inline json::value limit(const std::string& text) {
  const auto number = parse_json(text);
  return number && number->is_number() ? *number : json::value(text);
}

inline json::array names(const std::vector<std::string>& all) { return json::array(all.begin(), all.end()); }

template <class T>
json::object schema_of(const T& preset, const Param& rule);

template <class Member>
json::object schema_of_parameter(const Member& preset, const Param& rule, std::string help) {
  if constexpr (Quantity<Member>)
    if (const auto range = range_text(rule.min, rule.max); !range.empty()) help += " (" + range + ")";
  json::object described{{"description", help}};
  for (const auto& [key, value] : schema_of(preset, rule)) described[key] = value;
  if constexpr (!Described<Member>) described["default"] = write(preset);
  return described;
}

/// Adds the tag to `properties`, the keys of each kind to `cases`, and the names of all these keys to `keys`.
template <TaggedChoice C>
void add_choice(const C& choice, const char* tag, const Param& rule, const std::vector<Param>& beside,
                json::object& properties, json::array& cases, std::vector<std::string>& keys) {
  properties[tag] = {{"description", help_of_choice<C>(help_text(rule, beside))},
                     {"enum", names(C::kind_names())},
                     {"default", std::string(choice.kind_name())}};
  choice.for_each([&]<class A>(const A& alternative, bool chosen) {
    json::object own;
    for_each_member<A>([&](const char* name, auto member) {
      const auto& of_member = parameter_of<A>(name);
      own[name] = schema_of_parameter(alternative.*member, of_member, help_text(of_member, parameters_of<A>()));
    });
    json::object condition{{"properties", {{tag, {{"const", std::string(A::kind)}}}}}};
    if (!chosen) condition["required"] = json::array{tag};  // without a tag, the default is chosen
    cases.push_back({{"if", std::move(condition)}, {"then", {{"properties", std::move(own)}}}});
  });
  for_each_key_of_alternatives<C>([&](const char* name, auto, auto) { keys.emplace_back(name); });
}

template <Described T>
json::object schema_of_members(const T& preset) {
  json::object properties;
  json::array cases;
  std::vector<std::string> keys;  // keys of any kind: those of kinds other than the chosen one are allowed
  for_each_member<T>([&](const char* name, auto member) {
    const auto& rule = parameter_of<T>(name);
    if constexpr (TaggedChoice<member_type_t<decltype(member)>>)
      add_choice(preset.*member, name, rule, parameters_of<T>(), properties, cases, keys);
    else properties[name] = schema_of_parameter(preset.*member, rule, help_text(rule, parameters_of<T>()));
  });
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!keys.empty()) {
    std::string any;
    for (const auto& key : keys) any += (any.empty() ? "" : "|") + key;
    schema["patternProperties"] = {{"^(" + any + ")$", json::object{}}};
  }
  schema["additionalProperties"] = false;
  if (!cases.empty()) schema["allOf"] = std::move(cases);
  return schema;
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
  json::object schema{
      {"$schema", schema_dialect}, {"title", title}, {"type", "object"}, {"required", json::array{"schema"}}};
  members["properties"] = std::move(properties);
  for (const auto& [key, value] : members) schema[key] = value;
  return schema;
}

}  // namespace sunstar::kit
