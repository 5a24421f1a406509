// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/json_schema.h"
#include "platforms/kit/results/document.h"

// The JSON Schema (draft 2020-12) of a whole result file, from the declarations of its figures, for programs that read
// results.
namespace sunstar::kit {

namespace detail {

/// The properties of a struct of figures, and which of them are always there.
struct FigureProperties {
  json::object properties;
  json::array required;
  bool others = false;  ///< figures that are only known when the program runs
};

/// `in_mean`: for the result rather than for a trial. The mean of a count need not be whole.
template <FigureSection T>
FigureProperties figure_properties(bool in_mean);

json::object object_schema(FigureProperties);
json::object any_figure_schema();

template <class T>
json::object figure_schema(bool in_mean) {
  if constexpr (std::same_as<T, bool>) return {{"type", "boolean"}};
  else if constexpr (Integer<T>) return {{"type", in_mean ? "number" : "integer"}};
  else if constexpr (std::floating_point<T>) return {{"type", json::array{"number", "null"}}};
  else if constexpr (std::same_as<T, std::string>) return {{"type", "string"}};
  else if constexpr (FigureSection<T>) return object_schema(figure_properties<T>(in_mean));
  else if constexpr (Optional<T>) {
    using Value = typename T::value_type;
    auto schema = figure_schema<Value>(in_mean);
    if constexpr (!FigureSection<Value>)
      if (schema.at("type").is_string()) schema["type"] = json::array{schema.at("type"), "null"};
    return schema;
  } else if constexpr (List<T>) {
    return {{"type", "array"}, {"items", figure_schema<typename T::value_type>(in_mean)}};
  } else if constexpr (Map<T>) {
    return {{"type", "object"}, {"additionalProperties", figure_schema<typename T::mapped_type>(in_mean)}};
  } else {
    static_assert(std::same_as<T, NamedFigures> || std::same_as<T, json::object>);
    return {{"type", "object"}, {"additionalProperties", any_figure_schema()}};
  }
}

template <FigureSection T>
FigureProperties figure_properties(bool in_mean) {
  FigureProperties all;
  for_each_member<T>([&](const char* name, auto member) {
    using Member = member_type_t<decltype(member)>;
    using Section = section_type<Member>;
    const Figure& rule = figure_of<T>(name);
    const bool may_lack = rule.optional_key || (Optional<Member> && FigureSection<Section>);
    if constexpr (FigureSection<Section>) {
      if (rule.is_flat) {
        auto flat = figure_properties<Section>(in_mean);
        for (const auto& [key, schema] : flat.properties) all.properties[key] = schema;
        if (!may_lack) all.required.insert(all.required.end(), flat.required.begin(), flat.required.end());
        all.others |= flat.others;
        return;
      }
    } else if (rule.is_flat) {
      all.others = true;
      return;
    }
    if (rule.mean == Figure::Mean::variation && !in_mean) return;
    json::object schema{{"description", rule.help}};
    if (!rule.unit.empty()) schema["unit"] = rule.unit;
    for (const auto& [key, value] : figure_schema<Member>(in_mean && rule.mean != Figure::Mean::first))
      schema[key] = value;
    all.properties[name] = std::move(schema);
    if (!may_lack || rule.mean == Figure::Mean::variation) all.required.push_back(json::value(name));
  });
  return all;
}

json::object document_schema(const std::string& platform, json::object config, FigureProperties result,
                             FigureProperties trial, FigureProperties host);

}  // namespace detail

/// The schema of what `platform` writes with --output.
template <Described Config, FigureSection Result, FigureSection Host = HostFigures>
json::object result_schema(const std::string& platform) {
  return detail::document_schema(platform, json_schema<Config>(platform), detail::figure_properties<Result>(true),
                                 detail::figure_properties<Result>(false), detail::figure_properties<Host>(true));
}

}  // namespace sunstar::kit
